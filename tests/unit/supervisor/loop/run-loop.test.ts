import { describe, expect, test } from "bun:test";
import { NO_USAGE, type Usage } from "../../../../src/claude/token-usage.ts";
import type { AgentPhase } from "../../../../src/supervisor/loop/agent.ts";
import { runLoop } from "../../../../src/supervisor/loop/run-loop.ts";
import type { Outcome } from "../../../../src/supervisor/review/outcome.ts";

const used = (inputTokens: number, costUsd: number | undefined): Usage => ({
  ...{ inputTokens, cacheReadTokens: 100, cacheWriteTokens: 0, outputTokens: 1 },
  costUsd,
});
const answered = (answer: string): AgentPhase => ({ kind: "answered", answer, usage: used(10, 0.5) });
const rework = (feedback: string): Outcome => ({ kind: "rework", round: 1, feedback, usage: used(20, 0.125) });
const done: Outcome = { kind: "done", rounds: 1, feedback: "seen", usage: used(30, 0.25) };

/** Runs the loop on scripted phases, reviews and typing, and records what agent and reviewer were sent. */
async function loop(script: {
  phases: AgentPhase[];
  reviews?: Outcome[];
  typed?: string[][];
  interruptedAfter?: number;
  /** The tools that the agent uses in each phase. */
  tools?: string[][];
}) {
  const told: string[] = [];
  /** How often the agent had run before each of them. */
  const baselines: number[] = [];
  const asked: string[][] = [];
  const tools: boolean[] = [];
  let checks = 0;
  const result = await runLoop("TASK", {
    onPrompt: async () => {
      baselines.push(told.length);
    },
    agent: async (message, sessionId, { onSession, onEvent }) => {
      told.push(`${sessionId ?? "new"}: ${message}`);
      onSession("s1");
      const used = script.tools?.shift() ?? [];
      onEvent({ kind: "text", text: "", tools: used.map((name) => ({ name, what: "" })), usage: undefined });
      return script.phases.shift() ?? answered("more");
    },
    review: async (_, { prompts, usedTools }) => {
      asked.push([...prompts]);
      tools.push(usedTools);
      return script.reviews?.shift() ?? done;
    },
    typed: () => script.typed?.shift() ?? [],
    isInterrupted: () => ++checks > (script.interruptedAfter ?? Number.POSITIVE_INFINITY),
    show: { event: () => {}, outcome: () => {} },
    seconds: () => 0,
  });
  return { result, told, asked, tools, baselines };
}

const fields = (input_tokens: number, cache_read_tokens: number, output_tokens: number, cost_usd: number | null) => ({
  ...{ input_tokens, cache_read_tokens, cache_write_tokens: 0, output_tokens, cost_usd },
});

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
        { verdict: "not done", feedback: "F", seconds: 0, ...fields(20, 100, 1, 0.125) },
        { verdict: "done", feedback: "seen", seconds: 0, ...fields(30, 100, 1, 0.25) },
      ],
      agent: { phases: 2, ...fields(20, 200, 2, 1) },
      reviews: { count: 2, ...fields(50, 200, 2, 0.375) },
      answer: "two",
    });
  });
  test("a failed check is a round, but no review", async () => {
    const failed: Outcome = {
      kind: "rework",
      round: 1,
      feedback: "A check failed",
      usage: NO_USAGE,
      check: "a (exit 1)",
    };
    const { result, told } = await loop({ phases: [], reviews: [failed, done] });
    expect(told).toEqual(["new: TASK", "s1: A check failed"]);
    expect(result.rounds).toMatchObject([{ verdict: "check failed", feedback: "A check failed" }, { verdict: "done" }]);
    expect(result.reviews).toMatchObject({ count: 1, input_tokens: 30 });
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
  test("a review hears whether a tool ran since the last one that said done", async () => {
    const { tools } = await loop({
      phases: [],
      tools: [["Bash"], [], [], []],
      typed: [[], [], [], ["ONE MORE"], ["AND MORE"]],
      reviews: [rework("F"), done, done],
    });
    // Worked, only talked after feedback, only talked after done.
    expect(tools).toEqual([true, true, false]);
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
  test("what fails or is interrupted counts too, and an unknown cost makes the sum unknown", async () => {
    const failed = await loop({
      phases: [answered("x"), { kind: "failed", why: "broken", usage: used(1, undefined) }],
      reviews: [rework("F")],
    });
    expect(failed.result).toMatchObject({ agent: fields(11, 200, 2, null), reviews: fields(20, 100, 1, 0.125) });
    const interrupted = await loop({ phases: [answered("x")], interruptedAfter: 1 });
    expect(interrupted.result).toMatchObject({ rounds: [], reviews: { count: 1, ...fields(30, 100, 1, 0.25) } });
    const unreviewed: Outcome = { kind: "unreviewed", why: "no verdict", usage: used(7, undefined) };
    expect((await loop({ phases: [answered("x")], reviews: [unreviewed] })).result).toMatchObject({
      rounds: [{ verdict: "not reviewed", ...fields(7, 100, 1, null) }],
      reviews: { count: 1, ...fields(7, 100, 1, null) },
    });
  });
  const endings: [name: string, script: Parameters<typeof loop>[0], outcome: string, reason: string][] = [
    ["a failing agent", { phases: [{ kind: "failed", why: "broken", usage: used(1, 1) }] }, "failed", "broken"],
    ["an interrupted agent", { phases: [{ kind: "interrupted", usage: used(1, 1) }] }, "interrupted", ""],
    ["an interrupted review", { phases: [answered("x")], interruptedAfter: 1 }, "interrupted", ""],
    [
      "a failed review",
      { phases: [answered("x")], reviews: [{ kind: "unreviewed", why: "no key", usage: used(1, 1) }] },
      "not reviewed",
      "no key",
    ],
    [
      "a review that is skipped",
      { phases: [answered("x")], reviews: [{ kind: "skipped", why: "talk" }] },
      "not reviewed",
      'no tool ran since your last prompt, and supervisor.when is "changes"',
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
