import { describe, expect, test } from "bun:test";
import { NO_USAGE } from "../../../../src/claude/token-usage.ts";
import {
  afterHandOver,
  exitCodeOf,
  handOverLine,
  isOneCtrlCAtMost,
  loopEnd,
  signalName,
} from "../../../../src/supervisor/loop/loop-ending.ts";
import type { LoopResult } from "../../../../src/supervisor/loop/loop-progress.ts";
import { usageFields } from "../../../../src/supervisor/record/usage-fields.ts";

const used = usageFields({ ...NO_USAGE, inputTokens: 10, outputTokens: 5, costUsd: undefined });
const FIGURES = "2 agent runs (1m12s): 10 tokens in, 5 out. 1 review (41 s): 10 tokens in, 5 out.";

function result(parts: Partial<LoopResult>): LoopResult {
  return {
    ...{
      session_id: "s1",
      outcome: "done",
      reason: "",
      usage_limit: null,
      prompts: [],
      rounds: [],
      waited_seconds: 0,
      answer: "",
    },
    ...{ agent: { phases: 2, seconds: 72, ...used }, reviews: { count: 1, seconds: 41, ...used } },
    ...parts,
  };
}

describe("the last lines", () => {
  const GO_ON = "To go on: ccc --supervisor glm --resume s1";
  const cases: [name: string, parts: Partial<LoopResult>, isHandedOver: boolean, lines: string[]][] = [
    ["done", {}, false, [`Done. ${FIGURES}`]],
    ["not done", { outcome: "not done", reason: "limit." }, false, [`NOT done: limit. ${FIGURES}`, GO_ON]],
    ["needs you", { outcome: "needs you", reason: "Which one?" }, false, [`Needs you: Which one? ${FIGURES}`, GO_ON]],
    ["not done, in the user's hands", { outcome: "not done", reason: "limit" }, true, [`NOT done: limit. ${FIGURES}`]],
    [
      "interrupted",
      { outcome: "interrupted", reason: "interrupted by Ctrl-C while the agent was working" },
      false,
      [`Interrupted by Ctrl-C while the agent was working. ${FIGURES}`, GO_ON],
    ],
    [
      "interrupted early",
      {
        outcome: "interrupted",
        reason: "interrupted by Ctrl-C before the agent had started",
        session_id: null,
        agent: { phases: 0, seconds: 0, ...used },
      },
      false,
      ["Interrupted by Ctrl-C before the agent had started.", "No session was started."],
    ],
    [
      "a reason that says how to go on",
      { outcome: "failed", reason: "E. Continue with `ccc --resume s1` later" },
      false,
      [`Failed: E. Continue with \`ccc --resume s1\` later. ${FIGURES}`],
    ],
  ];
  for (const [name, parts, isHandedOver, lines] of cases)
    test(name, () => expect(loopEnd(result(parts), "glm", isHandedOver).whole).toEqual(lines));

  test("below the line of a review, which says how it ended, only the figures follow", () => {
    expect(loopEnd(result({}), "glm", false).below).toEqual([FIGURES]);
    expect(loopEnd(result({ outcome: "not done", reason: "limit" }), "glm", false).below).toEqual([FIGURES, GO_ON]);
    const failed = loopEnd(result({ outcome: "failed", reason: "no network" }), "glm", false);
    expect(failed.below).toEqual([`Failed: no network. ${FIGURES}`, GO_ON]);
  });
});

test("a hand-over says who supervises the session from then on", () => {
  expect([
    handOverLine({ kind: "none" }, 1),
    handOverLine({ kind: "supervised" }, 1),
    handOverLine({ kind: "supervised" }, 10),
    handOverLine({ kind: "unsupervised", why: "with --bare Claude Code runs no hooks" }, 10),
  ]).toEqual([
    [],
    ["The session goes on in Claude Code, supervised by the hook engine: at most 1 review per prompt."],
    ["The session goes on in Claude Code, supervised by the hook engine: at most 10 reviews per prompt."],
    ["The session goes on in Claude Code, NOT supervised: with --bare Claude Code runs no hooks."],
  ]);
});

describe("the exit code after a hand-over", () => {
  const cases: [name: string, loop: number, claude: number, hasPrompt: boolean, code: number, isTold: boolean][] = [
    ["not done, and the user did nothing: 3", 3, 0, false, 3, true],
    ["not done, and the user went on: claude's own", 3, 0, true, 0, false],
    ["not done, the user went on, and claude failed", 3, 1, true, 1, false],
    ["interrupted, and the user did nothing", 130, 0, false, 130, true],
    ["done", 0, 0, false, 0, false],
    ["done, and claude failed", 0, 1, false, 1, false],
  ];
  for (const [name, loop, exitCode, hasPrompt, code, isTold] of cases)
    test(name, () => {
      const end = { exitCode, signal: null, isInterrupted: false };
      const after = afterHandOver(loop, end, hasPrompt, "not done");
      expect([after.code, after.line !== undefined]).toEqual([code, isTold]);
    });
});

test("one Ctrl-C lets the user take over; any other signal ends ccc", () => {
  expect([isOneCtrlCAtMost([]), isOneCtrlCAtMost(["SIGINT"])]).toEqual([true, true]);
  expect([isOneCtrlCAtMost(["SIGINT", "SIGINT"]), isOneCtrlCAtMost(["SIGHUP"])]).toEqual([false, false]);
  expect(exitCodeOf({ outcome: "interrupted" }, ["SIGINT"])).toBe(130);
  expect(exitCodeOf({ outcome: "interrupted" }, ["SIGINT", "SIGTERM"])).toBe(143);
  expect([signalName("SIGINT"), signalName("SIGTERM")]).toEqual(["Ctrl-C", "SIGTERM"]);
});
