import { describe, expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as v from "valibot";
import { NO_USAGE } from "../../../../src/claude/stream.ts";
import { reportText } from "../../../../src/commands/report/command.ts";
import { reportPage } from "../../../../src/commands/report/page.ts";
import {
  SESSION_OUTCOMES,
  type SessionReport,
  SessionReportSchema,
  sessionReport,
  VERDICTS,
  viewReport,
} from "../../../../src/commands/report/report.ts";
import { type RecordedStop, type SupervisedSession, usageFields } from "../../../../src/supervisor/record/stops.ts";
import { fieldsOf } from "../../../schema-fields.ts";
import { at, criterion, OPEN, prompt, SESSION, stop, UNKNOWN, USAGE } from "./session.ts";

test("a session becomes prompts with rounds, times and totals", () => {
  const report = sessionReport(SESSION);
  expect(v.safeParse(SessionReportSchema, JSON.parse(JSON.stringify(report))).issues).toBeUndefined();
  expect(report).toMatchObject({
    version: 1,
    session: "3f2a",
    folder: "/home/u/shop",
    outcome: "done",
    reason: "",
    started_at: at(0),
    ended_at: at(6, 30),
    totals: { reviews: 3, agent_seconds: 300, review_seconds: 90, cache_read_tokens: 180, agent_tokens: null },
    prompts: [
      {
        text: "fix the cart",
        rounds: [
          { number: 1, verdict: "check failed", why: "npm test (exit 1)", agent_seconds: 120, usage: null },
          { number: 2, verdict: "not done", agent_seconds: 90, seconds: 30, usage: USAGE, context: "fresh" },
          { number: 3, verdict: "done", looked: [] },
        ],
        changes: { more: 2 },
      },
    ],
  });
  expect(report.prompts).toHaveLength(1);
});

test("a round has both reviews: who said done, and who confirmed it with what", () => {
  const looked = ["Bash: npm test"];
  const own = { reviewer: "kimi", instead: null, looked, asked_again: ["it gives no evidence for C1"], seconds: 20 };
  const confirmed = (verdict: "done" | "not done") =>
    stop(1, {
      outcome: verdict === "done" ? "done" : "rework",
      round: 2,
      limit: 10,
      reviewer: "glm",
      context: "shared",
      seconds: 58,
      usage: USAGE,
      criteria: [],
      confirmation: { verdict, ...own, ...USAGE },
    });
  const report = sessionReport({ ...SESSION, stops: [confirmed("done")] });
  expect(v.safeParse(SessionReportSchema, JSON.parse(JSON.stringify(report))).issues).toBeUndefined();
  expect(report.prompts[0]?.rounds[0]).toMatchObject({ reviewer: "glm", context: "shared", confirmation: own });
  const text = reportText(report, 200);
  expect(text).toMatch(/Review 2 of 10: done, confirmed by kimi \(58 s, .* by glm, with the conversation\)/);
  expect(text).toMatch(
    / {2}Confirmed by kimi \(20 s, .*, without the conversation\)\n {2}Asked again: it gives no evidence for C1\n {2}Looked: Bash: npm test/,
  );
  const page = reportPage(report, "1.2.3");
  expect(page).toContain("Review 2 of 10: done, confirmed by kimi");
  expect(page).toContain("What the confirming reviewer opened and ran (1)");
  expect(reportText(sessionReport({ ...SESSION, stops: [confirmed("not done")] }), 200)).toContain(
    "Review 2 of 10: not done, not confirmed by kimi",
  );
});

test("totals have no rounding errors", () => {
  const usage = { ...USAGE, cost_usd: 0.1 };
  const stops = [0.1, 0.7, 10].map((seconds, minute) => stop(minute, { outcome: "rework", seconds, usage }));
  const { totals } = sessionReport({ ...SESSION, stops });
  expect([totals.review_seconds, totals.cost_usd]).toEqual([10.8, 0.3]);
  expect(usageFields({ ...NO_USAGE, costUsd: 0.1 + 0.2 }).cost_usd).toBe(0.3);
});

test("criteria turn from unmet to met; a failing check rules on nothing", () => {
  const [first] = viewReport(sessionReport(SESSION)).prompts;
  expect(first?.criteria).toMatchObject([
    { id: "C1", status: "met", statuses: [undefined, "met", "met"] },
    { id: "C2", status: "met", evidence: "cart.ts:3", statuses: [undefined, "unmet", "met"] },
    { id: "T1", statuses: [undefined, undefined, "met"] },
  ]);
});

test("stops belong to the last prompt before them, and rounds are counted from 1 for each", () => {
  const report = sessionReport({
    ...SESSION,
    prompts: [prompt(0, "one"), prompt(3, "two"), prompt(9, "three")],
    stops: [stop(1, { outcome: "done" }), stop(5, { outcome: "rework" }), stop(7, { outcome: "unreviewed", why: "x" })],
  });
  expect(report.prompts.map(({ text, rounds }) => [text, rounds.map(({ number }) => number)])).toEqual([
    ["one", [1]],
    ["two", [1, 2]],
    ["three", []],
  ]);
  expect(report).toMatchObject({ outcome: "unfinished", reason: "the agent has not stopped since the last prompt" });
  expect(viewReport(report).headline).toBe("Unfinished after 2 reviews");
});

test("a stop without a reviewer has no usage, and one before its prompt no time", () => {
  const usage = { ...USAGE, input_tokens: 0, cache_read_tokens: 0, output_tokens: 0 };
  const stops = [
    stop(1, { outcome: "unreviewed", usage }),
    stop(4, { outcome: "done", usage: { ...usage, output_tokens: 1 } }),
  ];
  const [first] = sessionReport({ ...SESSION, prompts: [prompt(2, "late")], stops }).prompts;
  expect(first?.rounds).toMatchObject([
    { usage: null, agent_seconds: null },
    { usage: { output_tokens: 1 }, agent_seconds: 150 },
  ]);
});

test("a stop at the time of a prompt belongs to it", () => {
  const prompts = [prompt(0, "one"), prompt(3, "two")];
  const report = sessionReport({ ...SESSION, prompts, stops: [stop(3, { outcome: "done" })] });
  expect(report.prompts.map(({ rounds }) => rounds.length)).toEqual([0, 1]);
});

test("a session without prompts on record is still shown", () => {
  const report = sessionReport({ id: "a", launch: undefined, prompts: [], stops: [stop(1, { outcome: "done" })] });
  expect(report).toMatchObject({ folder: null, outcome: "done", prompts: [{ text: "", rounds: [{}] }] });
  expect(sessionReport({ id: "a", launch: undefined, prompts: [], stops: [] })).toMatchObject({
    outcome: "unfinished",
    started_at: null,
    prompts: [],
  });
});

describe("how a session ended, by its last stop", () => {
  const table: [last: Partial<RecordedStop>, outcome: SessionReport["outcome"], reason: string | RegExp][] = [
    [{ outcome: "done" }, "done", ""],
    [{ outcome: "rework", round: 2 }, "unfinished", /^the record ends after review 2: the agent is still working/],
    [{ outcome: "rework", round: 2, check: "x (exit 1)" }, "unfinished", /^the record ends after review 2/],
    [{ outcome: "nudged", why: "empty" }, "unfinished", /^the record ends after a nudge: the agent is still working/],
    [{ outcome: "needs_user", feedback: "Which color?" }, "needs you", "Which color?"],
    [{ outcome: "limit", limit: 1 }, "not done", "the review limit was reached; the last changes were not reviewed"],
    [{ outcome: "stalemate" }, "not done", /brought no progress/],
    [{ outcome: "budget" }, "over budget", /budget_tokens/],
    [{ outcome: "unreviewed", why: "no verdict" }, "not reviewed", "no verdict"],
    [{ outcome: "skipped", why: "unchanged" }, "done", ""],
    [{ outcome: "skipped", why: "plan" }, "no review", "the session is in plan mode"],
    [{ outcome: "skipped", why: "delegated" }, "unfinished", /a delegated agent is still working/],
    [{ outcome: "skipped", why: "constructor" }, "not reviewed", "constructor"],
    [{ isRunning: true }, "reviewing", "a review is running"],
    [{}, "not reviewed", "ccc was killed before the review finished"],
  ];
  for (const [last, outcome, reason] of table) {
    test(`${JSON.stringify(last)}: ${outcome}`, () => {
      const report = sessionReport({ ...SESSION, stops: [stop(5, last)] });
      expect([report.outcome, report.reason]).toEqual([outcome, expect.stringMatching(reason)]);
    });
  }
});

describe("an end of the loop engine outside a review", () => {
  const LIMIT = { resets_at: "2026-01-01T18:00:00.000Z" };
  const ended = (minute: number, outcome: string) =>
    sessionReport({
      ...SESSION,
      loopEnd: { at: at(minute), outcome, reason: "Ctrl-C", usage_limit: LIMIT, relays: [] },
    });
  test("is how the session ended", () =>
    expect(ended(8, "interrupted")).toMatchObject({
      outcome: "interrupted",
      reason: "Ctrl-C",
      usage_limit: LIMIT,
    }));
  test("counts even if it is recorded together with the last review", () =>
    expect(
      sessionReport({
        ...SESSION,
        loopEnd: { at: at(6, 30), outcome: "failed", reason: "x", usage_limit: null, relays: [] },
      }),
    ).toMatchObject({ outcome: "failed", reason: "x" }));
  test("does not count once the session has continued", () =>
    expect(ended(5, "failed")).toMatchObject({ outcome: "done", usage_limit: null }));
  test("does not override a review", () => expect(ended(8, "not done").outcome).toBe("done"));
});

test("the providers that the loop engine continued on are those of the agent", () => {
  const relays = [
    { at: at(1), from: "glm", to: "kimi", why: "limit" },
    { at: at(2), from: "kimi", to: "glm", why: "glm can be used again" },
  ];
  const loopEnd = { at: at(8), outcome: "done", reason: "", usage_limit: null, relays };
  const report = sessionReport({ ...SESSION, loopEnd });
  expect(report.relays).toEqual(relays);
  expect(reportText(report, 100)).toContain("\nagent on glm, then on kimi, then on glm, reviewed by kimi,");
});

test("the text has everything, with control characters escaped", () => {
  const text = reportText(sessionReport({ ...SESSION, prompts: [prompt(0, "fix\u001b[2J it")] }), 100);
  expect(text).toBe(`Done: 3 of 3 criteria met after 3 reviews
session 3f2a in /home/u/shop
agent on glm, reviewed by kimi, hook engine
2026-01-01 12:00 UTC; agent 5m; reviews 1m30s, 210 tokens, 86 % from the cache

Prompt
  fix\\u{1b}[2J it

Review 1 of 10: check failed (30 s)
  npm test (exit 1)
      1 failed

Review 2 of 10: not done, 1 of 2 met (30 s, 105 tokens, 86 % from the cache, by kimi, without the
  conversation)
  C2 is open
  Asked again: it has no evidence
  Looked: Read: cart.ts

Review 3 of 10: done, 3 of 3 met (30 s, 105 tokens, 86 % from the cache, by kimi, with the
  conversation)
  All there.

  Review  1  2  3  Criteria
  C1         ✓  ✓  text of C1
  C2         ✗  ✓  text of C2 (cart.ts:3)
  T1            ✓  text of T1

5 changed files (+3 -10), 1 suspicious change
  modified  +3  -1  cart.ts
! deleted   +0  -9  old.test.ts
  renamed           a.ts → b.ts
  and 2 more
! T1: old.test.ts was deleted`);
});

describe("the first line", () => {
  const table: [stops: RecordedStop[], expected: string][] = [
    [[], "Unfinished: no review yet"],
    [[stop(5, { isRunning: true })], "Being reviewed: no review yet"],
    [[stop(5, { outcome: "done" })], "Done after 1 review"],
    [[stop(4, { outcome: "rework" }), stop(5, { outcome: "done" })], "Done after 2 reviews"],
    [[stop(4, { outcome: "rework" }), stop(5, { outcome: "limit", limit: 1 })], "NOT done after 1 review"],
  ];
  for (const [stops, expected] of table)
    test(expected, () => expect(viewReport(sessionReport({ ...SESSION, stops })).headline).toBe(expected));
});

test("a session that is done has nothing open, even if its last review no longer lists a criterion", () => {
  const first = stop(1, { outcome: "rework", criteria: [criterion("C1", "unmet")] });
  const last = stop(3, { outcome: "done", criteria: [criterion("C2", "met")] });
  expect(reportText(sessionReport({ ...SESSION, stops: [first, last] }), 100)).toStartWith(
    "Done: 1 of 2 criteria met after 2 reviews\nsession 3f2a",
  );
});

test("several prompts are numbered; what is unknown, reused, suspicious or skipped is named", () =>
  expect(reportText(sessionReport(OPEN), 100)).toBe(`NOT reviewed after 1 review
No verdict.
session 3f2a in /home/u/shop
agent on glm, reviewed by kimi, hook engine
2026-01-01 12:00 UTC; agent 3m30s; reviews 1m30s, 100 tokens, 1 % from the cache

Prompt 1
  write it

Review 1 of 10: not done, 0 of 1 met (30 s, 100 tokens, 1 % from the cache, by glm, with the
  conversation)
  Not yet.
  Reviewers that failed: kimi: no credit

  Review  1  Criteria
  C1      ✗  text of C1 (nothing there)

2 changed files (+1 -0), 2 suspicious changes
! modified  +1  -0  a.test.ts
  and 1 more
! a test is skipped
! C1: 2 assertions are gone

Prompt 2
  Not recorded.

Stop: no review (30 s)
  The session is in plan mode.

Review 1: not reviewed (30 s)
  No verdict.

Changed files: not known (not a git repository)`));

test("a session of which little is known shows that little", () => {
  expect(reportText(sessionReport(UNKNOWN), 100)).toBe(`Done after 1 review
session a
2026-01-01 12:01 UTC; agent 1 s; reviews 30 s, 0 tokens

Prompt
  Not recorded.

Review 1: done (30 s)

0 changed files (+0 -0)`);
  const launch = { cwd: "/p", engine: "loop" } as SupervisedSession["launch"];
  expect(reportText(sessionReport({ ...UNKNOWN, launch }), 100)).toContain("session a in /p\nloop engine\n");
});

test.each([
  [0, 0, "Review 1: done (0 tokens, without"],
  [1, 1, "Review 1: done (1 s, 1 token, 100 % from the cache, without"],
])("a review of %d s with %d tokens", (seconds, cache_read_tokens, title) => {
  const usage = { ...USAGE, input_tokens: 0, output_tokens: 0, cache_read_tokens };
  const stops = [stop(1, { outcome: "done", seconds, usage, context: "fresh" })];
  expect(reportText(sessionReport({ ...UNKNOWN, stops }), 100)).toContain(title);
});

test("a session that is not done says what is open", () => {
  const text = reportText(sessionReport({ ...SESSION, stops: SESSION.stops.slice(0, 2) }), 100);
  expect(text).toStartWith(`Unfinished: 1 of 2 criteria met after 2 reviews
The record ends after review 2: the agent is still working, or was killed before it stopped again.
✗ C2: text of C2
session 3f2a`);
});

test("docs/report.md explains every field, outcome and verdict of the JSON", async () => {
  const page = await readFile(join(import.meta.dir, "../../../../docs/report.md"), "utf8");
  const explained = new Set([...page.matchAll(/`([a-z_ ]+)`/g)].map(([, word]) => word));
  const names = [...fieldsOf(SessionReportSchema), ...SESSION_OUTCOMES, ...VERDICTS];
  expect(names.length).toBeGreaterThan(60);
  expect(names.filter((name) => !explained.has(name))).toEqual([]);
});
