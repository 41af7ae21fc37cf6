import { describe, expect, test } from "bun:test";
import type { ReviewWay } from "../../../../src/claude/reviewer-command.ts";
import type { Changes } from "../../../../src/supervisor/baseline/changes.ts";
import { stateIn } from "../../../../src/supervisor/record/state.ts";
import { reviewStop } from "../../../../src/supervisor/review/review-stop.ts";
import type { Session, Stop } from "../../../../src/supervisor/review/supervised-stop.ts";
import { supervisorOptions } from "../../../../src/supervisor/supervisor-options.ts";
import { createRedactor } from "../../../../src/text/redactor.ts";
import type { World } from "../../../../src/world.ts";
import { fakeWorld } from "../../fakes.ts";

const DELETED = "a.test.ts was deleted";
const KILLED = 137;

const STOP: Stop = {
  asked: { prompts: ["make the tests pass"], userPromptId: "p1" },
  recorded: 1,
  tasks: [],
  cwd: "/project",
  isRepeated: false,
  lastMessage: async () => "They pass.",
  agentTokens: 0,
  findings: [],
  changes: async () => ({
    since: "2026-11-17T00:00:00.000Z",
    top: "/project",
    worktree: undefined,
    files: [{ path: "a.test.ts", kind: "deleted", from: undefined, added: 0, deleted: 9 }],
    more: 0,
    tree: "1234",
    suspicious: [{ kind: "deleted test", path: "a.test.ts", text: DELETED }],
  }),
  evidence: undefined,
};

/** A session whose programs all print these lines and exit like this, and its state after each stop. */
function newSession(
  supervisor: Parameters<typeof supervisorOptions>[0]["supervisor"],
  exitCode: number,
  lines: readonly object[] = [],
) {
  let state: string | undefined;
  const ending = exitCode === KILLED ? "interrupted" : "exited";
  const told: string[] = [];
  const run: World["run"] = async ({ onLine, stdin }) => {
    if (typeof stdin === "string") told.push(stdin);
    for (const line of lines) onLine?.(new TextEncoder().encode(JSON.stringify(line)));
    return { exitCode, ending, stderr: "" };
  };
  const { world } = fakeWorld({ run });
  const options = supervisorOptions({ supervisor });
  const session: Session = {
    world,
    options,
    id: "s",
    project: "/project",
    states: [
      {
        path: "state.json",
        edit: (change) => {
          state = change(state) ?? state;
        },
      },
    ],
    files: undefined,
    outputFile: "output.jsonl",
    instructions: { path: "SUPERVISOR.md", text: "Review it." },
    checks: { commands: options.checks, env: {}, memory: undefined },
    reviewers: [{ name: "glm", way: "shared", program: async () => ({ file: "/bin/claude", args: [], env: {} }) }],
    onTrouble: () => {},
    note: () => {},
    log: { say: () => {} },
    redactor: createRedactor([]),
  };
  return { session, told, criteria: () => stateIn(state)?.ledger?.criteria.map(({ id, text }) => `${id} ${text}`) };
}

describe("what ccc noticed at a stop that no review ruled on stays on record:", () => {
  const stops: [how: string, Parameters<typeof newSession>[0], exitCode: number, last: string][] = [
    ["no reviewer was available", {}, 1, "unreviewed"],
    ["a check failed", { checks: ["npm test"] }, 1, "rework"],
    ["the limit was reached", { checks: ["npm test"], max_iterations: 1 }, 1, "limit"],
    ["no tokens were left", { budget_tokens: 10 }, 0, "budget"],
    ["the hook was ended", { checks: ["npm test"] }, KILLED, "unreviewed"],
  ];
  test.each(stops)("%s", async (_, supervisor, exitCode, last) => {
    const { session, criteria } = newSession(supervisor, exitCode);
    if (last === "limit") await reviewStop(session, { ...STOP, changes: async () => ({ why: "too slow" }) });
    const outcome = await reviewStop(session, { ...STOP, agentTokens: last === "budget" ? 20 : 0 });
    expect(outcome.kind).toBe(last as typeof outcome.kind);
    expect(criteria()).toEqual([`T1 ${DELETED}`]);
  });
});

describe('a "done" from a reviewer that looked at nothing', () => {
  const text = JSON.stringify({ completed: true, feedback: "fine" });
  const DONE = [
    { type: "assistant", message: { role: "assistant", content: [{ type: "text", text }] } },
    { type: "result", subtype: "success", is_error: false, result: text },
  ];
  const changes = { since: "", top: "/project", worktree: undefined, files: [], more: 0, tree: "1", suspicious: [] };
  const file = { path: "a.ts", kind: "added", from: undefined, added: 1, deleted: 0 } as const;
  const stops: [name: string, changes: Changes, kind: string][] = [
    ["counts if nothing changed", changes, "done"],
    ["does not if files changed", { ...changes, files: [file] }, "unreviewed"],
    ["or in work that no review has seen", { ...changes, unseen: { files: [file], suspicious: [] } }, "unreviewed"],
  ];
  test.each(stops)("%s", async (_, found, kind) => {
    const { session } = newSession({}, 0, DONE);
    const outcome = await reviewStop(session, { ...STOP, changes: async () => found });
    expect(outcome.kind).toBe(kind as typeof outcome.kind);
  });
});

test("a reviewer is told which round it is, or that the user asked for the review", async () => {
  const { session, told } = newSession({ max_iterations: 7 }, 1);
  await reviewStop(session, STOP);
  await reviewStop({ ...session, isOnDemand: true }, STOP);
  expect(told).toEqual([
    expect.stringContaining("Round 1 of at most 7 for the user's last prompt."),
    expect.stringContaining("The user asked for it. The verdict goes to the user, and not to the agent."),
  ]);
});

describe("what the agent did is told to a reviewer", () => {
  const step = { kind: "tool", name: "Bash", about: "npm run deploy", output: "", hasFailed: false } as const;
  const known = { project: "/project", transcript: undefined, steps: [step], isPartial: false, lastMessage: "Done." };
  const tooLong = [{ type: "result", subtype: "success", is_error: true, result: "prompt is too long" }];
  /** For each time that a reviewer is asked: whether it is told. */
  const isTold = async (way: ReviewWay, evidence: Stop["evidence"], lines: readonly object[] = []) => {
    const { session, told } = newSession({}, 0, lines);
    const [reviewer] = session.reviewers;
    await reviewStop({ ...session, reviewers: [{ ...reviewer, way }] }, { ...STOP, evidence });
    return told.map((message) => message.includes("npm run deploy"));
  };
  test("that does not have the conversation", async () => {
    expect(await isTold("fresh", async () => known)).toEqual([true]);
    expect(await isTold("shared", async () => known)).toEqual([false]);
  });
  test("for which the conversation is too long, if it is known", async () => {
    expect(await isTold("shared", async () => known, tooLong)).toEqual([false, true]);
    expect(await isTold("shared", undefined, tooLong)).toEqual([false]);
  });
});
