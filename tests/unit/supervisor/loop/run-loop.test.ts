import { describe, expect, test } from "bun:test";
import type { AgentPhase } from "../../../../src/supervisor/loop/agent.ts";
import { runLoop } from "../../../../src/supervisor/loop/run-loop.ts";
import type { Outcome } from "../../../../src/supervisor/review/outcome.ts";

const answered = (answer: string): AgentPhase => ({
  kind: "answered",
  answer,
  result: {
    subtype: "success",
    isError: false,
    status: undefined,
    structured: undefined,
    answer,
    errors: [],
    costUsd: 0.5,
    inputTokens: 10,
    outputTokens: 1,
  },
});
const rework = (feedback: string): Outcome => ({ kind: "rework", round: 1, feedback, costUsd: 0.6 });
const done: Outcome = { kind: "done", rounds: 1, feedback: "seen", costUsd: 0.75 };

/** Runs the loop on scripted phases, reviews and typing, and records what agent and reviewer were sent. */
async function loop(script: {
  phases: AgentPhase[];
  reviews?: Outcome[];
  typed?: string[][];
  interruptedAfter?: number;
}) {
  const told: string[] = [];
  /** How often the agent had run before each of them. */
  const baselines: number[] = [];
  const asked: string[][] = [];
  let checks = 0;
  const result = await runLoop("TASK", {
    onPrompt: async () => {
      baselines.push(told.length);
    },
    agent: async (message, sessionId, { onSession }) => {
      told.push(`${sessionId ?? "new"}: ${message}`);
      onSession("s1");
      return script.phases.shift() ?? answered("more");
    },
    review: async (_, prompts) => {
      asked.push([...prompts]);
      return script.reviews?.shift() ?? done;
    },
    typed: () => script.typed?.shift() ?? [],
    isInterrupted: () => ++checks > (script.interruptedAfter ?? Number.POSITIVE_INFINITY),
    show: { event: () => {}, outcome: () => {} },
    seconds: () => 0,
  });
  return { result, told, asked, baselines };
}

describe("runLoop", () => {
  test("LOOP-02 LOOP-03 LOOP-04 agent, review, feedback, agent, review, done", async () => {
    const { result, told, asked } = await loop({
      phases: [answered("one"), answered("two")],
      reviews: [rework("F"), done],
    });
    expect(told).toEqual(["new: TASK", "s1: F"]);
    expect(asked).toEqual([["TASK"], ["TASK"]]);
    expect(result).toEqual({
      session_id: "s1",
      outcome: "done",
      reason: "",
      prompts: ["TASK"],
      rounds: [
        { verdict: "not done", feedback: "F", seconds: 0, cost_usd: expect.closeTo(0.1) },
        { verdict: "done", feedback: "seen", seconds: 0, cost_usd: 0.25 },
      ],
      // Claude Code's cost is the session's so far, in a review as well.
      agent: { phases: 2, cost_usd: 0.5, input_tokens: 20, output_tokens: 2 },
      answer: "two",
    });
  });
  test("LOOP-07 LDES-05 typed text is the next user turn, before any review, and part of the request", async () => {
    const { told, asked, result, baselines } = await loop({
      phases: [answered("one"), answered("two")],
      typed: [["MORE", "AND MORE"], []],
      reviews: [done],
    });
    expect(told).toEqual(["new: TASK", "s1: MORE\n\nAND MORE"]);
    // What was not reviewed yet still counts as changed.
    expect(baselines).toEqual([0]);
    expect(asked).toEqual([["TASK", "MORE", "AND MORE"]]);
    expect(result.outcome).toBe("done");
  });
  test("text typed during a review comes before its feedback, and restarts work after done", async () => {
    const { told, result, baselines } = await loop({
      phases: [],
      typed: [[], ["WAIT"], [], ["ONE MORE"]],
      reviews: [rework("F"), done, done],
    });
    expect(told).toEqual(["new: TASK", "s1: WAIT\n\nF", "s1: ONE MORE"]);
    expect(baselines).toEqual([0, 2]);
    expect(result).toMatchObject({ outcome: "done", prompts: ["TASK", "WAIT", "ONE MORE"] });
  });
  test("an error keeps everything recorded so far", async () => {
    const { result } = await loop({
      phases: [answered("one")],
      get reviews(): Outcome[] {
        throw new Error("cannot run claude");
      },
    });
    expect(result).toMatchObject({ outcome: "failed", reason: "cannot run claude", session_id: "s1", answer: "one" });
  });
  const endings: [name: string, script: Parameters<typeof loop>[0], outcome: string, reason: string][] = [
    ["a failing agent", { phases: [{ kind: "failed", why: "broken", result: undefined }] }, "failed", "broken"],
    ["an interrupted agent", { phases: [{ kind: "interrupted" }] }, "interrupted", ""],
    ["an interrupted review", { phases: [answered("x")], interruptedAfter: 1 }, "interrupted", ""],
    [
      "a failed review",
      { phases: [answered("x")], reviews: [{ kind: "unreviewed", why: "no key" }] },
      "not reviewed",
      "no key",
    ],
    [
      "the limit",
      { phases: [answered("x")], reviews: [{ kind: "limit" }] },
      "not done",
      "review limit reached; the last changes were not reviewed",
    ],
  ];
  for (const [name, script, outcome, reason] of endings) {
    test(`LDES-07 ${name} ends it`, async () =>
      expect((await loop(script)).result).toMatchObject({ outcome, reason } as object));
  }
});
