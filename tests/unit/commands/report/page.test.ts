import { expect, test } from "bun:test";
import { reportPage } from "../../../../src/commands/report/page.ts";
import { sessionReport } from "../../../../src/commands/report/report.ts";
import type { ProofFields, RecordedStop, SupervisedSession } from "../../../../src/supervisor/record/stops.ts";
import { at, OPEN, prompt, SESSION, stop, UNKNOWN } from "./session.ts";

/** What a reader of the page sees: icons by tone and name, what is marked behind !, and what is folded behind ▸ or, if open, ▾. */
function shown(session: SupervisedSession): string {
  const [, main = ""] = reportPage(sessionReport(session), "1.2.3").split("<body>");
  return main
    .replaceAll(/<svg class="icon (\w+)"[^>]*aria-label="([^"]*)".*?<\/svg>/gs, "[$1: $2]")
    .replaceAll(/<rect class="(\w+)" x="([\d.]+)" width="([\d.]+)".*?>/g, "{$1 $2+$3}")
    .replaceAll(/<span class="(hidden|legend)">.*?<\/span>/gs, "")
    .replaceAll("<details open><summary>", "\n▾ ")
    .replaceAll("<details><summary>", "\n▸ ")
    .replaceAll('<tr class="marked">', "\n! ")
    .replaceAll(/<t[hd][ >]/g, "| <")
    .replaceAll(/<\/?(p|h\d|li|ul|tr|dd|div|section|article|summary|blockquote|small|pre)\b[^>]*>/g, "\n")
    .replaceAll(/<[^>]*>/g, "")
    .replaceAll(/[ \t]+/g, " ")
    .replaceAll(/\s*\n\s*/g, "\n")
    .trim();
}

test("the page of a session that is done", () =>
  expect(shown(SESSION)).toBe(`Supervised session in shop
[good: Done]Done
3 of 3 criteria met after 3 reviews
Agent
5m
Reviews
1m30s
Review tokens
210
86 % cached
Changed files
5
1 suspicious
2026-01-01 12:00 UTC · agent on glm · reviewed by kimi · hook engine · Claude Code 2.1.325
Prompt
fix the cart
Criteria
| CriterionReview| 1| 2| 3
| C1 text of C1| ·| [good: met]| [good: met]
| C2 text of C2
cart.ts:3
| ·| [bad: unmet]| [good: met]
| T1 text of T1| ·| ·| [good: met]
Reviews
[bad: check failed] Review 1 of 10: check failed
30 s
▾ [bad: failed] npm test exit 1, 3 s
1 failed
[bad: not done] Review 2 of 10: not done, 1 of 2 met
30 s · 105 tokens, 86 % from the cache · by kimi · without the conversation
C2 is open
[bad: unmet] C2 text of C2
▸ Evidence for what is met (1)
[good: met] C1 text of C1
The reviewer was asked again: it has no evidence.
▸ What the reviewer opened and ran (1)
Read: cart.ts
[good: done] Review 3 of 10: done, 3 of 3 met
30 s · 105 tokens, 86 % from the cache · by kimi · with the conversation
All there.
▸ Evidence for what is met (3)
[good: met] C1 text of C1
[good: met] C2 text of C2
cart.ts:3
[good: met] T1 text of T1
Changed files
5 changed files (+3 -10), 1 suspicious change, committed or not, since the prompt
[warn: suspicious] T1 old.test.ts was deleted
[good: met] The reviewer: explained by the request
| File| Change| Added| Deleted
| cart.ts| modified| +3| −1
! | old.test.ts [warn: suspicious]| deleted| | −9
| a.ts → b.ts| renamed| |
and 2 more
Time and tokens
| Review| Time | Review tokens
| 1| {agent 0.0+800.0}{review 800.0+200.0}2m + 30 s| none
| 2| {agent 0.0+600.0}{review 600.0+200.0}1m30s + 30 s| {cached 0.0+857.1}{fresh 857.1+95.2}{answer 952.4+47.6}105
| 3| {agent 0.0+600.0}{review 600.0+200.0}1m30s + 30 s| {cached 0.0+857.1}{fresh 857.1+95.2}{answer 952.4+47.6}105
Session 3f2a in /home/u/shop, last recorded 2026-01-01 12:06 UTC. Made by ccc report 1.2.3. Known keys are masked as ***.`));

test("the page of a session that is not done, with several prompts", () =>
  expect(shown(OPEN)).toBe(`Supervised session in shop
[bad: NOT reviewed]NOT reviewed
After 1 review
No verdict.
Agent
3m30s
Reviews
1m30s
Review tokens
100
1 % cached
Changed files
2
2 suspicious
2026-01-01 12:00 UTC · agent on glm · reviewed by kimi · hook engine · Claude Code 2.1.325 · 2 prompts
Prompt 1
write it
Criteria
| CriterionReview| 1
| C1 text of C1
nothing there
| [bad: unmet]
Reviews
[bad: not done] Review 1 of 10: not done, 0 of 1 met
30 s · 100 tokens, 1 % from the cache · by glm · with the conversation
Reviewers that failed: kimi: no credit
Not yet.
▸ [good: passed] make exit 0, earlier, with the same files
built
[good: passed] npm test exit 0, 3 s
[bad: unmet] C1 text of C1
nothing there
Changed files
2 changed files (+1 -0), 2 suspicious changes, committed or not, since the prompt
[warn: suspicious] a test is skipped
No reviewer has ruled on it.
[warn: suspicious] C1 2 assertions are gone
[bad: unmet] The reviewer: not explained by the request (nothing there)
| File| Change| Added| Deleted
! | a.test.ts [warn: suspicious]| modified| +1|
and 1 more
Prompt 2
Not recorded.
Reviews
[quiet: skipped] Stop: no review
30 s
The session is in plan mode.
[bad: not reviewed] Review 1: not reviewed
30 s
No verdict.
Changed files
Not known: not a git repository.
Time and tokens
| Review| Time | Review tokens
| 1.1| {agent 0.0+800.0}{review 800.0+200.0}2m + 30 s| {cached 0.0+10.0}{fresh 10.0+940.0}{answer 950.0+50.0}100, agent 5k
| 2.1| {agent 0.0+200.0}{review 200.0+200.0}30 s + 30 s| none
Session 3f2a in /home/u/shop, last recorded 2026-01-01 12:07 UTC. Made by ccc report 1.2.3. Known keys are masked as ***.`));

test("a session of which little is known", () =>
  expect(shown(UNKNOWN)).toBe(`Supervised session
[good: Done]Done
After 1 review
Agent
1 s
Reviews
30 s
Review tokens
0
Changed files
0
2026-01-01 12:01 UTC
Prompt
Not recorded.
Reviews
[good: done] Review 1: done
30 s
Changed files
None since the prompt.
Time and tokens
| Review| Time | Review tokens
| 1| {agent 0.0+0.0}{review 0.0+1000.0}1 s + 30 s| none
Session a, last recorded 2026-01-01 12:01 UTC. Made by ccc report 1.2.3. Known keys are masked as ***.`));

test("a session without a review", () =>
  expect(shown({ ...UNKNOWN, stops: [] })).toBe(`Supervised session
[warn: Unfinished]Unfinished
No review yet
The agent has not stopped since the last prompt.
Agent
1 s
Reviews
1 s
Review tokens
0
Changed files
not known
Session a. Made by ccc report 1.2.3. Known keys are masked as ***.`));

test("what is still to do comes first", () =>
  expect(shown({ ...SESSION, stops: SESSION.stops.slice(0, 2) })).toStartWith(`Supervised session in shop
[warn: Unfinished]Unfinished
1 of 2 criteria met after 2 reviews
The record ends after review 2: the agent is still working, or was killed before it stopped again.
[bad: unmet] C2 text of C2
Agent`));

test.each([
  [1_200, false],
  [1_201, true],
])("a prompt of %d characters, folded: %p", (length, isFolded) => {
  const text = shown({ ...UNKNOWN, prompts: [prompt(0, "a".repeat(length))] });
  expect(text.includes("▸ Show all of it")).toBe(isFolded);
  expect(text).toContain(`${"a".repeat(1_200)}${isFolded ? " …" : ""}\n`);
  expect(text.includes(`\n${"a".repeat(length)}\n`)).toBe(true);
});

test("whatever is recorded is shown as text, not as markup", () => {
  const EVIL = "<img src=x onerror=alert(1)>";
  const evil = (value: unknown): unknown =>
    typeof value === "string" && !/^\d{4}-/.test(value) ? `${value}${EVIL}` : value;
  const planted = JSON.parse(JSON.stringify(sessionReport(OPEN)), (key, value) =>
    ["outcome", "verdict", "status", "context", "engine", "kind"].includes(key) ? value : evil(value),
  );
  const page = reportPage(planted, "1.2.3");
  expect(page).not.toContain("<img");
  expect(page.split("&lt;img src=x").length).toBeGreaterThan(15);
});

test("the changed files are those of all prompts, each once", () => {
  const [first, second, last] = SESSION.stops;
  const files = [{ path: "cart.ts", kind: "modified" as const, added: 1, deleted: 0 }];
  const changed = (changed: typeof files) => ({ since: at(7), files: changed, more: 0, suspicious: [] });
  const count = (changes: ReturnType<typeof changed>) => {
    const again = stop(8, { outcome: "done", round: 1, limit: 10, feedback: "", changes });
    const stops = [first, second, last, again] as RecordedStop[];
    return shown({ ...SESSION, prompts: [...SESSION.prompts, prompt(7, "and now?")], stops }).match(
      /^Changed files\n(\d+)\n(\d suspicious)/m,
    );
  };
  expect(count(changed([]))?.slice(1)).toEqual(["5", "1 suspicious"]);
  expect(count(changed(files))?.slice(1)).toEqual(["5", "1 suspicious"]);
});

const run = (tests: "before" | "now", passed: boolean, output = "") => {
  const code = tests === "before" ? ("now" as const) : ("before" as const);
  return { command: "npm test", tests, code, passed, ending: passed ? "exit 0" : "exit 1", seconds: 1, output };
};
const proved = (proof: ProofFields) => {
  const [first, second, last] = SESSION.stops;
  const session = { ...SESSION, stops: [first, second, { ...last, proof }] as RecordedStop[] };
  return shown(session).match(/^Proof\n(.*?)\n?Changed files\n5 changed/ms)?.[1];
};

test("a proof is a picture of old and new tests on old and new code, with its points", () => {
  const points = [{ id: "T1", text: '"npm test" fails with the tests as they were at the prompt: a.test.ts' }];
  const runs = [run("before", false, "1 failed"), run("now", false)];
  expect(proved({ why: null, reused: false, runs, points })).toBe(`| | Tests at the prompt| Tests now
| Code at the prompt| [quiet: not run] not run| [good: fail] fail
| Code now| [bad: fail] fail| [good: pass] pass
[warn: proof] T1: &quot;npm test&quot; fails with the tests as they were at the prompt: a.test.ts
▸ npm test with the tests as they were at the prompt
1 failed`);
});

test("a page says why there is no proof", () =>
  expect(proved({ why: "no checks are set", reused: false, runs: [], points: [] })).toBe(
    "[warn: proof] no proof: no checks are set",
  ));
