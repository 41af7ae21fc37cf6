import { describe, expect, test } from "bun:test";
import { type AnswerOptions, cut, stopAnswer } from "../../../../src/supervisor/hooks/stop-answer.ts";
import { NOT_LOOKED, type Outcome } from "../../../../src/supervisor/review/outcome.ts";

const OPTIONS: AnswerOptions = {
  ...{ limit: 10, announce: true, takesFeedback: true, notification: undefined },
  ...{ outputFile: "f", log: "LOG", findings: [] },
};
const rework: Outcome = { kind: "rework", round: 2, feedback: "F", ...NOT_LOOKED, criteria: [] };
const done: Outcome = { kind: "done", rounds: 1, feedback: "", ...NOT_LOOKED, criteria: [] };

describe("the agent goes on", () => {
  const feedback = { hookSpecificOutput: { hookEventName: "Stop", additionalContext: "F" } } as const;
  test("with feedback, and the user sees the outcome", () =>
    expect(stopAnswer(rework, OPTIONS)).toEqual({ ...feedback, systemMessage: "Review 2 of 10: not done" }));
  test("HOOK-02 with a block where Claude Code has no field for feedback; the user sees a message only with --announce", () =>
    expect(stopAnswer(rework, { ...OPTIONS, takesFeedback: false, announce: false })).toEqual({
      decision: "block",
      reason: "F",
    }));
  test("with feedback no longer than Claude Code accepts", () => {
    const answer = stopAnswer({ ...rework, feedback: "x".repeat(20_000) }, OPTIONS);
    expect(answer?.hookSpecificOutput?.additionalContext).toHaveLength(10_000);
  });
});

describe("the agent may stop", () => {
  test("HOOK-03 with an empty answer, unless the user wants a message", () =>
    expect(stopAnswer(done, { ...OPTIONS, announce: false })).toBeUndefined());
  test("with the outcome, what ccc noticed, and a notification", () =>
    expect(stopAnswer(done, { ...OPTIONS, findings: ["SUPERVISOR.md was changed"], notification: "OSC" })).toEqual({
      systemMessage: "Done after 1 review\nSUPERVISOR.md was changed",
      terminalSequence: "OSC",
    }));
  test("and the user sees who reviewed, if it was not the first reviewer", () =>
    expect(stopAnswer({ ...done, reviewer: "kimi", instead: "glm: no quota" }, OPTIONS)?.systemMessage).toEndWith(
      "\nReviewed by kimi, because others could not. glm: no quota",
    ));
});

describe("cut", () => {
  test("keeps short text", () => expect(cut("x".repeat(10_000), "f")).toBe("x".repeat(10_000)));
  test("ends at a sentence", () =>
    expect(cut("Satz eins. ".repeat(1000), "f")).toEndWith("Satz eins.\n[cut; the complete review is in f]"));
  test("ends at a Chinese sentence", () =>
    expect(cut("还没有完成。".repeat(2000), "f")).toEndWith("完成。\n[cut; the complete review is in f]"));
  test("never gives up half of what fits for the end of a sentence", () => {
    const fits = cut("x".repeat(20_000), "file").indexOf("\n");
    const kept = (sentence: number) => cut(`${"x".repeat(sentence - 1)}. ${"x".repeat(20_000)}`, "file").indexOf("\n[");
    expect(fits % 2).toBe(0);
    expect([kept(fits / 2 + 1), kept(fits / 2 + 2)]).toEqual([fits, fits / 2 + 2]);
  });
  test("cuts anywhere if there is no sentence", () => expect(cut("x".repeat(20_000), "f")).toHaveLength(10_000));
});
