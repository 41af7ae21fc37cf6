import { describe, expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { $ } from "bun";
import type { Turn } from "../../src/sandbox/sandbox.ts";
import { inTurn } from "../harness.ts";
import { DONE, LOOK, notDone, type SupervisedPlace, supervisedPlace } from "../supervised.ts";

const STREAM = ["--output-format", "stream-json", "--verbose"];
const write = (project: string, name: string): Turn => ({
  use: "Write",
  input: { file_path: join(project, name), content: "x\n" },
});
const c1 = { id: "C1", text: "a.txt exists", status: "met", evidence: "a.txt in `git status`" } as const;
const c2 = { id: "C2", text: "b.txt exists", status: "unmet", evidence: "not in `git status`" } as const;
const verdict = (completed: boolean, feedback: string, ...criteria: (typeof c1 | typeof c2)[]): Turn => ({
  verdict: { completed, feedback, criteria },
});
const loop = (place: SupervisedPlace, prompt: string) =>
  place.ccc(["--supervisor", "--engine", "loop", "glm", prompt, "--permission-mode", "acceptEdits"]);

/** The requests that begin a review. */
function asked({ sandbox }: SupervisedPlace): string[] {
  const last = sandbox.received.flatMap(({ role, body }) =>
    role === "reviewer" ? [JSON.stringify(body.messages.at(-1))] : [],
  );
  return last.filter((text) => !text.includes("tool_result"));
}

test("criteria keep their ids until all are met; the agent learns which are open and may dispute them", async () => {
  const turns: { agent: Turn[]; reviewer: Turn[] } = { agent: [], reviewer: [] };
  await using place = await supervisedPlace(inTurn(turns));
  await $`git init -q ${place.project}`;
  turns.agent.push(write(place.project, "a.txt"), { say: "ready" }, { say: "C2 disputed: b.txt is not asked for" });
  const both = { ...c2, status: "dropped", evidence: "the prompt names a.txt only" } as const;
  turns.reviewer.push(LOOK, verdict(false, "MORE", c1, c2), LOOK, {
    verdict: { completed: true, feedback: "Seen.", criteria: [both] },
  });
  const { stdout, exitCode } = await place.ccc([
    ...["--supervisor", "glm", "-p", "write a.txt", "--permission-mode", "acceptEdits", ...STREAM],
  ]);
  expect(exitCode).toBe(0);
  expect(stdout).toContain("Review 1 of 10: not done, 1 of 2 met (");
  expect(stdout).toMatch(/Review 2 of 10: done, 1 of 1 met \(\d+ s, \d+ tokens in all\)\. Seen\./);
  expect(place.turns().at(-1)).toContain("Not met:\\n- C2: b.txt exists (not in `git status`)\\nMet: C1.");
  const [first = "", second = ""] = asked(place);
  expect(first).toContain("at most seven criteria, C1, C2, …");
  expect(second).toContain("- C1: a.txt exists (last review: met, a.txt in `git status`)");
  expect(second).toContain("- C2: b.txt is not asked for");
  const { "state.json": state = "", "stops.jsonl": stops = "" } = await place.record();
  expect(JSON.parse(state).ledger.criteria).toMatchObject([
    { id: "C1", status: "met" },
    { id: "C2", status: "dropped" },
  ]);
  expect(stops).toContain('"looked":["Bash: git status"]');
});

test("a criterion that was met in other files, and one with another text, are open for a done", async () => {
  const turns: { agent: Turn[]; reviewer: Turn[] } = { agent: [], reviewer: [] };
  await using place = await supervisedPlace(inTurn(turns));
  await $`git init -q ${place.project}`;
  turns.agent.push(write(place.project, "a.txt"), { say: "ready" }, write(place.project, "b.txt"), { say: "now" });
  const seen = { ...c2, status: "met", evidence: "b.txt in `git status`" } as const;
  const renumbered = { ...seen, id: "C1", text: "the report is sorted", evidence: "`git status`" } as const;
  turns.reviewer.push(LOOK, verdict(false, "MORE", c1, c2), LOOK);
  turns.reviewer.push({ verdict: { completed: true, feedback: "fine", criteria: [seen, renumbered] } });
  turns.reviewer.push(LOOK, { verdict: { completed: true, feedback: "Seen.", criteria: [c1, seen] } });
  expect(await loop(place, "write a.txt and b.txt")).toMatchObject({
    exitCode: 0,
    stderr: expect.stringMatching(/^Review 2 of 10: done, 2 of 2 met \(.*\)\. Seen\.$/m),
  });
  const [, , last = ""] = asked(place);
  expect(last).toContain("- it does not rule on C1: only an earlier review did, and files may have changed since.");
  expect(last).toContain('- what it calls C1 is not the C1 that was given (\\"a.txt exists\\").');
});

describe('a "done" without evidence', () => {
  test("is asked for once more, with what is missing", async () => {
    const turns: { agent: Turn[]; reviewer: Turn[] } = { agent: [], reviewer: [] };
    await using place = await supervisedPlace(inTurn(turns));
    await $`git init -q ${place.project}`;
    turns.agent.push(write(place.project, "a.txt"), { say: "ready" });
    turns.reviewer.push(verdict(true, "fine", c1), LOOK, verdict(true, "Seen.", c1));
    expect(await loop(place, "Write a.txt\n\nDone means:\n- [ ] a.txt exists\n")).toMatchObject({
      exitCode: 0,
      stderr: expect.stringMatching(/^Review 1 of 10: done, 1 of 1 met \(.*\)\. Seen\.$/m),
    });
    const [first = "", second = ""] = asked(place);
    expect(first).toContain(
      "Rule on each of these, by its id and with its text:\\n- C1: a.txt exists\\nThe list is complete: add nothing.",
    );
    expect(second).toContain("- files changed, but it opened no file and ran no command.");
  });

  test("does not count as a review after two questions", async () => {
    const turns: { agent: Turn[]; reviewer: Turn[] } = { agent: [], reviewer: [verdict(true, "fine", c1, c2)] };
    await using place = await supervisedPlace(inTurn(turns));
    turns.agent.push({ say: "ready" });
    expect(await loop(place, "write a.txt")).toMatchObject({
      exitCode: 4,
      stderr: expect.stringContaining(
        `the reviewer's "done" does not count: it says done, but does not say that C2 is met; the evidence for C1 names \`git status\`, which it neither opened nor ran`,
      ),
    });
    expect(asked(place)).toHaveLength(3);
  });
});

test("a done does not count on commands that failed or show nothing, nor without a look where nothing is compared", async () => {
  const turns: { agent: Turn[]; reviewer: Turn[] } = { agent: [], reviewer: [] };
  await using place = await supervisedPlace(inTurn(turns));
  await place.write(join(place.project, "package.json"), { scripts: { test: "echo 1 failing; exit 1" } });
  const bash = (command: string): Turn => ({ use: "Bash", input: { command, description: "look" } });
  turns.agent.push(bash("mkdir src && echo x > src/a.js && echo y > src/b.js"), { say: "ready" });
  const met = (id: string, text: string, evidence: string) => ({ id, text, status: "met", evidence }) as const;
  const criteria = [
    met("C1", "the tests pass", "`npm test` passes"),
    met("C2", "a is there", "src/a.js has it"),
    met("C3", "b is there", "src/b.js has it"),
    met("C4", "tests ran", "`npm run check` passes"),
  ];
  const done: Turn = { verdict: { completed: true, feedback: "fine", criteria } };
  const looks = [
    "npm test",
    "echo src/a.js; true src/a.js",
    "cat src/c.js",
    'cat src/b.js; grep "run check" package.json',
  ];
  turns.reviewer.push({ verdict: { completed: true, feedback: "fine" } }, ...looks.map(bash), done);
  const result = await place.ccc([
    ...["--supervisor", "--engine", "loop", "glm", "write src", "--permission-mode", "acceptEdits"],
    ...["--allowedTools", "Bash"],
  ]);
  expect(asked(place)[1]).toContain("- files changed, but it opened no file and ran no command.");
  expect(result).toMatchObject({
    exitCode: 4,
    stderr: expect.stringContaining(
      `the reviewer's "done" does not count: the evidence for C1 says that \`npm test\` passes, but it exited 1; the evidence for C2 names src/a.js, which it neither opened nor ran; the evidence for C4 names \`npm run check\`, which it neither opened nor ran`,
    ),
  });
});

test("a done after feedback in the loop needs a look for what was done before the feedback, too", async () => {
  const look: Turn = { use: "Read", input: { file_path: "README.md" } };
  await using place = await supervisedPlace(
    inTurn({
      agent: [
        { use: "Bash", input: { command: "echo x > a.txt", description: "write" } },
        { say: "ready" },
        { say: "now really" },
      ],
      reviewer: [look, notDone("look again"), DONE, look, DONE],
    }),
  );
  await place.write(join(place.project, "README.md"), "text");
  const result = await place.ccc([
    ...["--supervisor", "--engine", "loop", "glm", "write a", "--permission-mode", "acceptEdits"],
    ...["--allowedTools", "Bash"],
  ]);
  expect(result).toMatchObject({ exitCode: 0, stdout: "now really\n" });
  expect(asked(place).at(-1)).toContain("- files changed, but it opened no file and ran no command.");
});

describe("a loop also ends", () => {
  test("with exit code 5 when only the user can decide", async () => {
    const reviewer: Turn[] = [{ verdict: { completed: true, needs_user: true, feedback: "Which database?" } }];
    const turns: { agent: Turn[]; reviewer: Turn[] } = { agent: [], reviewer };
    const notify = 'printf "%s|%s" "$CCC_OUTCOME" "$CCC_MESSAGE" > told; env > environment; exit 3';
    await using place = await supervisedPlace(inTurn(turns), { token: "the-provider's-key", supervisor: { notify } });
    turns.agent.push(write(place.project, "SUPERVISOR.md"), { say: "Postgres or SQLite?" });
    const result = await loop(place, "store it in the database");
    expect(result).toMatchObject({ exitCode: 5, stdout: "Postgres or SQLite?\n" });
    expect(result.stderr).toMatch(/^Needs you: Which database\? \(after 1 review, .*\)$/m);
    expect(result.stderr).toMatch(/^1 agent run \(/m);
    // The instructions stay the same, and the user is told about the attempt.
    expect(result.stderr).toContain("SUPERVISOR.md. Reviews still use the original instructions.\n");
    expect(asked(place)[0]).toContain('title=\\"Your instructions\\">\\n# Supervisor\\n');
    expect(await readFile(place.at(".claude/told"), "utf8")).toStartWith("needs you|Needs you: Which database?");
    expect(await readFile(place.at(".claude/environment"), "utf8")).not.toContain("the-provider's-key");
    expect(result.stderr).toContain("supervisor.notify failed: exit code 3");
  });

  test("with exit code 3 when the same criterion stays unmet and no file changes", async () => {
    await using place = await supervisedPlace(
      inTurn({ agent: [{ say: "I did my best" }], reviewer: [verdict(false, "MORE", c1, c2)] }),
    );
    await $`git init -q ${place.project}`;
    const result = await loop(place, "write b.txt");
    expect(result.exitCode).toBe(3);
    expect(result.stderr).toContain("The last reviews brought no progress. Not met: C2 b.txt exists\n");
    expect(asked(place)).toHaveLength(2);
  });

  test("with exit code 6 when agent and reviews have used the prompt's tokens", async () => {
    // Each request to the sandbox counts 15 tokens.
    const supervisor = { budget_tokens: 30 };
    const script = inTurn({ agent: [{ say: "ready" }], reviewer: [verdict(false, "MORE", c2)] });
    await using place = await supervisedPlace(script, { supervisor });
    const result = await loop(place, "write b.txt");
    expect(result.exitCode).toBe(6);
    expect(result.stderr).toContain(
      "Stopped after 30 tokens for this prompt (supervisor.budget_tokens): NOT done, 0 of 1 met. Not met: C2 b.txt exists. Last feedback: MORE\n",
    );
    expect(asked(place)).toHaveLength(1);
  });
});
