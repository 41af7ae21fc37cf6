import { describe, expect, test } from "bun:test";
import type { Usage } from "../../../../src/claude/stream.ts";
import type { AgentPhase } from "../../../../src/supervisor/loop/agent.ts";
import { runLoop } from "../../../../src/supervisor/loop/loop.ts";
import { NO_APPROVAL, NO_COST, type Outcome } from "../../../../src/supervisor/outcome.ts";
import { NOT_LOOKED } from "../../../../src/supervisor/review/review.ts";

const PREFACE = `${NO_APPROVAL}\n\n`;

const used = (inputTokens: number, costUsd: number | undefined): Usage => ({
  inputTokens,
  cacheReadTokens: 100,
  cacheWriteTokens: 0,
  outputTokens: 1,
  costUsd,
});
const answered = (answer: string): AgentPhase => ({ kind: "answered", answer, usage: used(10, 0.5) });
const rework = (feedback: string): Outcome => ({
  kind: "rework",
  round: 1,
  feedback,
  criteria: [],
  ...NOT_LOOKED,
  usage: used(20, 0.125),
});
const done: Outcome = {
  kind: "done",
  rounds: 1,
  feedback: "seen",
  criteria: [],
  ...NOT_LOOKED,
  usage: used(30, 0.25),
  reviewer: "kimi",
};

/** Runs the loop on scripted phases, reviews and typing, and records what agent and reviewer were sent. */
async function loop(script: {
  phases: AgentPhase[];
  reviews?: Outcome[];
  typed?: string[][];
  interruptedAfter?: number;
  /** The tools that the agent uses in each phase. */
  tools?: string[][];
  limitWaitSeconds?: number;
  /** The session is unknown until this run of the agent. */
  sessionFrom?: number;
  /** What each run of the agent and each review takes, in seconds. */
  takes?: { agent: number; review: number };
  /** How long each sleep takes, if it is longer than asked for: the machine slept, too. */
  sleeps?: number[];
  /** Other providers than glm, which is the agent's. */
  fallback?: string[];
  /** Those that cannot be changed to, and why. */
  broken?: Record<string, string>;
  /** Claude Code has saved no session. */
  isUnsaved?: boolean;
}) {
  const told: string[] = [];
  /** How often the agent had run before each of them. */
  const baselines: number[] = [];
  const asked: string[][] = [];
  const tools: boolean[] = [];
  const rounds: number[] = [];
  let checks = 0;
  let clock = 0;
  /** What is shown of each wait. */
  const shown: { left: number; isStart: boolean; isResetKnown: boolean }[] = [];
  let provider = "glm";
  /** The provider of each run of the agent. */
  const ran: string[] = [];
  const result = await runLoop("TASK", {
    onPrompt: async () => {
      baselines.push(told.length);
    },
    agent: async (message, sessionId, { onSession, onEvent }) => {
      clock += script.takes?.agent ?? 0;
      told.push(`${sessionId ?? "new"}: ${message}`);
      ran.push(provider);
      if (told.length > (script.sessionFrom ?? 0)) onSession("s1");
      const used = script.tools?.shift() ?? [];
      onEvent({ kind: "text", text: "", tools: used.map((name) => ({ id: "", name, what: "" })), usage: undefined });
      return script.phases.shift() ?? answered("more");
    },
    providers: ["glm", ...(script.fallback ?? [])],
    changeProvider: async (name) => {
      const problem = script.broken?.[name];
      if (problem === undefined) provider = name;
      return problem;
    },
    isSaved: () => script.isUnsaved !== true,
    review: async (_, { prompts, usedTools, round }) => {
      clock += script.takes?.review ?? 0;
      asked.push([...prompts]);
      tools.push(usedTools);
      rounds.push(round);
      return script.reviews?.shift() ?? done;
    },
    typed: () => script.typed?.shift() ?? [],
    isInterrupted: () => ++checks > (script.interruptedAfter ?? Number.POSITIVE_INFINITY),
    interruptedBy: () => "Ctrl-C",
    show: {
      event: () => {},
      outcome: () => {},
      waiting: ({ left, isResetKnown }, isStart) => shown.push({ left, isStart, isResetKnown }),
      relayed: () => {},
    },
    seconds: () => clock,
    sleep: async (seconds) => {
      expect(seconds).toBeLessThanOrEqual(15);
      clock += script.sleeps?.shift() ?? seconds;
    },
    limitWaitSeconds: script.limitWaitSeconds ?? 0,
    resumeCommand: (id) => `resume ${id}`,
  });
  const slept = shown.flatMap(({ left, isStart }) => (isStart ? [left] : []));
  return { result, told, asked, tools, rounds, baselines, slept, shown, ran };
}

const fields = (input_tokens: number, cache_read_tokens: number, output_tokens: number, cost_usd: number | null) => ({
  input_tokens,
  cache_read_tokens,
  cache_write_tokens: 0,
  output_tokens,
  cost_usd,
});

describe("runLoop", () => {
  test("LOOP-02 LOOP-03 LOOP-04 agent, review, feedback, agent, review, done", async () => {
    const { result, told, asked } = await loop({
      phases: [answered("one"), answered("two")],
      reviews: [rework("F"), done],
      takes: { agent: 10, review: 3 },
    });
    expect(told).toEqual(["new: TASK", `s1: ${PREFACE}F`]);
    expect(asked).toEqual([["TASK"], ["TASK"]]);
    expect(result).toEqual({
      session_id: "s1",
      outcome: "done",
      reason: "",
      prompts: ["TASK"],
      rounds: [
        { verdict: "not done", feedback: "F", seconds: 3, ...fields(20, 100, 1, 0.125) },
        { verdict: "done", feedback: "seen", seconds: 3, reviewer: "kimi", ...fields(30, 100, 1, 0.25) },
      ],
      agent: { phases: 2, seconds: 20, ...fields(20, 200, 2, 1) },
      reviews: { count: 2, seconds: 6, ...fields(50, 200, 2, 0.375) },
      nudges: 0,
      waited_seconds: 0,
      relays: [],
      usage_limit: null,
      answer: "two",
    });
  });
  test("what took any time took at least a second, and the rest is rounded", async () => {
    const brief = await loop({ phases: [answered("one")], takes: { agent: 1.6, review: 0.04 } });
    expect(brief.result).toMatchObject({ agent: { seconds: 2 }, reviews: { seconds: 1 }, rounds: [{ seconds: 1 }] });
    const { result } = await loop({ phases: [answered("one")] });
    expect(result).toMatchObject({ agent: { seconds: 0 }, reviews: { seconds: 0 }, rounds: [{ seconds: 0 }] });
  });
  test("a nudge is the next message, and neither a round nor a review", async () => {
    const nudged: Outcome = { kind: "nudged", why: "empty", number: 1, feedback: "Go on." };
    const { result, told } = await loop({ phases: [], reviews: [nudged, done] });
    expect(told).toEqual(["new: TASK", `s1: ${PREFACE}Go on.`]);
    expect(result).toMatchObject({ outcome: "done", nudges: 1, rounds: [{ verdict: "done" }], reviews: { count: 1 } });
  });
  test("a failed check is a round, but no review", async () => {
    const failed: Outcome = {
      kind: "rework",
      round: 1,
      feedback: "A check failed",
      criteria: [],
      ...NOT_LOOKED,
      check: "a (exit 1)",
    };
    const { result, told } = await loop({ phases: [], reviews: [failed, done] });
    expect(told).toEqual(["new: TASK", `s1: ${PREFACE}A check failed`]);
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
    expect(told).toEqual(["new: TASK", `s1: WAIT\n\n${PREFACE}F`, "s1: ONE MORE"]);
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
    expect((await loop({ phases: [] })).tools).toEqual([false]);
  });
  describe("reviews are counted from 1 for each prompt of the user", () => {
    const limited: AgentPhase = { kind: "limited", why: "E.", resetAt: 1, usage: used(1, 0) };
    const [a, b] = [rework("F"), rework("G")];
    const table: [name: string, script: Parameters<typeof loop>[0], rounds: number[]][] = [
      ["without another one", { phases: [], reviews: [a, b, done] }, [1, 2, 3]],
      ["typed while the agent works", { phases: [], reviews: [a, b, done], typed: [[], [], ["P"]] }, [1, 1, 2]],
      ["typed during a review", { phases: [], reviews: [a, b, done], typed: [[], [], [], ["P"]] }, [1, 2, 1]],
      [
        "typed while a usage limit lasts",
        { phases: [answered("x"), limited], limitWaitSeconds: 5, reviews: [a, b, done], typed: [[], [], ["P"]] },
        [1, 1, 2],
      ],
      [
        "but not for the message after a usage limit",
        { phases: [answered("x"), limited], limitWaitSeconds: 5, reviews: [a, b, done] },
        [1, 2, 3],
      ],
    ];
    test.each(table)("%s", async (_, script, rounds) => expect((await loop(script)).rounds).toEqual(rounds));
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
    const interrupted = await loop({ phases: [answered("x")], interruptedAfter: 2 });
    expect(interrupted.result).toMatchObject({ rounds: [], reviews: { count: 1, ...fields(30, 100, 1, 0.25) } });
    const unreviewed: Outcome = { kind: "unreviewed", why: "no verdict", ...NOT_LOOKED, usage: used(7, undefined) };
    expect((await loop({ phases: [answered("x")], reviews: [unreviewed] })).result).toMatchObject({
      rounds: [{ verdict: "not reviewed", ...fields(7, 100, 1, null) }],
      reviews: { count: 1, ...fields(7, 100, 1, null) },
    });
  });
  describe("with other providers", () => {
    const nothing = { ...used(0, 0), outputTokens: 0 };
    const limited = (resetAt?: number): AgentPhase => ({ kind: "limited", why: "LIMIT.", resetAt, usage: nothing });
    type Cause = Extract<AgentPhase, { kind: "failed" }>["cause"];
    const failed = (cause: Cause): AgentPhase => ({ kind: "failed", why: `${cause}.`, cause, usage: nothing });
    const GO_ON = `s1: ${PREFACE}Continue where you left off.`;

    test("the same session continues on the next one at once, and the agent learns nothing else", async () => {
      const { told, ran, result, slept } = await loop({
        phases: [limited(7200), failed("refused"), answered("one")],
        fallback: ["kimi", "anthropic"],
        limitWaitSeconds: 9999,
      });
      expect(told).toEqual(["new: TASK", GO_ON, GO_ON]);
      expect([ran, slept]).toEqual([["glm", "kimi", "anthropic"], []]);
      expect(result).toMatchObject({
        outcome: "done",
        prompts: ["TASK"],
        relays: [
          { at: "1970-01-01T00:00:00.000Z", from: "glm", to: "kimi", why: "LIMIT." },
          { from: "kimi", to: "anthropic", why: "refused." },
        ],
      });
    });

    const causes: [what: string, phase: AgentPhase, isRelayed: boolean][] = [
      ["a usage limit", limited(7200), true],
      ["a limit without an end", limited(), true],
      ["a refused key", failed("refused"), true],
      ["an empty account", failed("no credit"), true],
      ["a server that fails for good", failed("server error"), true],
      ["a server that cannot be reached", failed("unreachable"), true],
      ["a request that the first server does not accept", failed("other"), false],
      ["a claude that crashes", failed(undefined), false],
    ];
    test.each(causes)("after %s: %#", async (_, phase, isRelayed) => {
      const { ran, result } = await loop({ phases: [phase], fallback: ["kimi"] });
      expect(ran).toEqual(isRelayed ? ["glm", "kimi"] : ["glm"]);
      expect(result.outcome).toBe(isRelayed ? "done" : "failed");
    });

    test("one that does not accept the session is followed by the next", async () => {
      const phases = [limited(7200), failed("other"), answered("one")];
      expect((await loop({ phases, fallback: ["kimi", "anthropic"] })).ran).toEqual(["glm", "kimi", "anthropic"]);
    });

    test("one whose settings do not load is left out", async () => {
      const { ran, result } = await loop({
        phases: [limited(7200)],
        fallback: ["kimi", "anthropic"],
        broken: { kimi: "NOT LOADED" },
      });
      expect(ran).toEqual(["glm", "anthropic"]);
      expect(result.relays).toMatchObject([{ from: "glm", to: "anthropic" }]);
    });

    test("a session that was never saved begins anew, with its prompt", async () => {
      const { told } = await loop({ phases: [failed("refused")], fallback: ["kimi"], isUnsaved: true });
      expect(told).toEqual(["new: TASK", "new: TASK"]);
    });

    test("when all of them fail, the end says why each did", async () => {
      const { result } = await loop({ phases: [failed("refused"), failed("no credit")], fallback: ["kimi"] });
      expect(result).toMatchObject({ outcome: "failed", reason: "glm: refused. kimi: no credit", usage_limit: null });
    });

    test("when all of them are limited, it waits for the limit that ends first", async () => {
      const { ran, told, slept } = await loop({
        phases: [limited(900), limited(300), answered("one")],
        fallback: ["kimi"],
        limitWaitSeconds: 9999,
      });
      expect([ran, slept]).toEqual([["glm", "kimi", "kimi"], [301]]);
      expect(told[2]).toContain("The usage limit has reset.");
      const other = await loop({
        phases: [limited(300), failed("refused"), answered("one")],
        fallback: ["kimi"],
        limitWaitSeconds: 9999,
      });
      expect([other.ran, other.slept]).toEqual([["glm", "kimi", "glm"], [301]]);
    });

    test("when it may not wait, it says when the first limit ends", async () => {
      const { result } = await loop({ phases: [limited(7200), limited(3600)], fallback: ["kimi"] });
      expect(result).toMatchObject({ outcome: "failed", usage_limit: { resets_at: "1970-01-01T01:00:00.000Z" } });
      expect(result.reason).toMatch(/^glm: LIMIT\. kimi: LIMIT\. Waiting is off .* at 1970-01-01 01:00 UTC/);
    });

    const returns: [when: string, phase: AgentPhase, takes: number, back: boolean][] = [
      ["its limit has reset", limited(100), 60, true],
      ["not before", limited(7200), 60, false],
      ["its server has had some time", failed("server error"), 900, true],
      ["not if the user has to act", failed("refused"), 9999, false],
    ];
    test.each(returns)("a new prompt begins on the first one when %s: %#", async (_, phase, agent, isBack) => {
      const { ran, told } = await loop({
        phases: [phase, answered("one"), answered("two"), answered("three")],
        fallback: ["kimi"],
        takes: { agent, review: 0 },
        typed: [[], [], [], ["MORE"]],
        reviews: [rework("F"), done, done],
      });
      expect(told.slice(-2)).toEqual([`s1: ${PREFACE}F`, "s1: MORE"]);
      // Feedback is no new prompt.
      expect(ran).toEqual(["glm", "kimi", "kimi", isBack ? "glm" : "kimi"]);
    });

    test("so does one that was typed during a review", async () => {
      const { ran, told } = await loop({
        phases: [limited(100), answered("one"), answered("two")],
        fallback: ["kimi"],
        takes: { agent: 60, review: 0 },
        typed: [[], [], ["MORE"]],
      });
      expect(told.at(-1)).toBe("s1: MORE");
      expect(ran).toEqual(["glm", "kimi", "glm"]);
    });
  });

  describe("a usage limit", () => {
    const nothing = { ...used(0, 0), cacheReadTokens: 0, outputTokens: 0 };
    const limited = (resetAt?: number, usage = nothing): AgentPhase => ({ kind: "limited", why: "E.", resetAt, usage });

    test("is waited for, then the session continues, and the report says how long it took", async () => {
      const { result, told, asked, slept } = await loop({
        phases: [limited(100), answered("one")],
        limitWaitSeconds: 100,
      });
      expect(told).toEqual(["new: TASK", `s1: ${PREFACE}The usage limit has reset. Continue where you left off.`]);
      expect(asked).toEqual([["TASK"]]);
      expect(slept).toEqual([101]);
      expect(result).toMatchObject({ outcome: "done", prompts: ["TASK"], waited_seconds: 101, agent: { phases: 2 } });
    });
    test.each([
      [100, true],
      [undefined, false],
    ])("that resets at %p: the user is told whether that is known", async (resetAt, isResetKnown) => {
      const { shown } = await loop({ phases: [limited(resetAt)], limitWaitSeconds: 9999 });
      expect(shown[0]).toMatchObject({ isStart: true, isResetKnown });
    });
    test("is over on time if the machine slept, and every five minutes the user learns that it is still there", async () => {
      const { shown, result } = await loop({
        phases: [limited(3600)],
        limitWaitSeconds: 9999,
        sleeps: [0, 15, 285, 4700],
      });
      expect(shown).toEqual([
        { left: 3601, isStart: true, isResetKnown: true },
        { left: 3301, isStart: false, isResetKnown: true },
      ]);
      expect(result.waited_seconds).toBe(5000);
    });
    test("before the session began: the same message is sent again", async () => {
      const { told } = await loop({ phases: [limited(1)], limitWaitSeconds: 5, sessionFrom: 1 });
      expect(told).toEqual(["new: TASK", "new: TASK"]);
    });
    test("what was typed during the wait is part of the message and of the request", async () => {
      const { told, asked } = await loop({ phases: [limited(1)], limitWaitSeconds: 5, typed: [["MORE"]] });
      expect(told[1]).toBe(`s1: ${PREFACE}The usage limit has reset. Continue where you left off.\n\nMORE`);
      expect(asked).toEqual([["TASK", "MORE"]]);
    });
    test("is waited for again if the agent got further in between, so that the total may exceed one wait", async () => {
      const { slept, result } = await loop({
        phases: [limited(10), limited(20, used(1, 0)), answered("x")],
        limitWaitSeconds: 11,
      });
      expect(slept).toEqual([11, 10]);
      expect(result).toMatchObject({ outcome: "done", waited_seconds: 21 });
    });
    test("that never ends is a failure in the end", async () => {
      const { slept, result } = await loop({
        phases: Array.from({ length: 9 }, () => limited()),
        limitWaitSeconds: 600,
      });
      expect(slept).toEqual([60, 120, 300, 120]);
      expect(result).toMatchObject({
        outcome: "failed",
        waited_seconds: 600,
        usage_limit: { resets_at: null },
        reason:
          "E. The longest wait is 10m (supervisor.limit_wait_seconds), of which 10m have passed. Continue with `resume s1` later; the provider does not say when the limit resets",
      });
    });
    test("that would take too long is a failure at once, which says when it resets and what continues the session", async () => {
      const { told, slept, result } = await loop({ phases: [limited(7200)], limitWaitSeconds: 60 });
      expect([told.length, slept]).toEqual([1, []]);
      expect(result).toMatchObject({
        outcome: "failed",
        usage_limit: { resets_at: "1970-01-01T02:00:00.000Z" },
        reason:
          "E. The longest wait is 1m (supervisor.limit_wait_seconds). Continue with `resume s1` when the limit resets, at 1970-01-01 02:00 UTC (in 2h)",
      });
      const off = await loop({ phases: [limited(1)], sessionFrom: 9 });
      expect(off.result.reason).toBe(
        "E. Waiting is off (supervisor.limit_wait_seconds is 0, the default without a terminal). Continue with the same command when the limit resets, at 1970-01-01 00:00 UTC (in 1s)",
      );
    });
    test("is not waited for any longer if the user interrupts", async () => {
      const { result } = await loop({ phases: [limited(1000)], limitWaitSeconds: 2000, interruptedAfter: 4 });
      expect(result).toMatchObject({ outcome: "interrupted", waited_seconds: 30 });
      expect(result.reason).toBe("interrupted by Ctrl-C while waiting for a usage limit");
    });
  });

  const BY = "interrupted by Ctrl-C";
  const endings: [name: string, script: Parameters<typeof loop>[0], outcome: string, reason: string][] = [
    ["a failing agent", { phases: [{ kind: "failed", why: "broken", usage: used(1, 1) }] }, "failed", "broken"],
    ["an interrupt at once", { phases: [], interruptedAfter: 0 }, "interrupted", `${BY} before the agent had started`],
    [
      "an agent that is interrupted before it has a session",
      { phases: [{ kind: "interrupted", usage: used(1, 1) }], sessionFrom: 1 },
      "interrupted",
      `${BY} before the agent had started`,
    ],
    [
      "an interrupted agent",
      { phases: [{ kind: "interrupted", usage: used(1, 1) }] },
      "interrupted",
      `${BY} while the agent was working`,
    ],
    [
      "an interrupted review",
      { phases: [answered("x")], interruptedAfter: 2 },
      "interrupted",
      `${BY} while the agent's work was being reviewed`,
    ],
    [
      "a failed review",
      { phases: [answered("x")], reviews: [{ kind: "unreviewed", why: "no key", ...NOT_LOOKED }] },
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
      { phases: [answered("x")], reviews: [{ kind: "limit", criteria: [], total: NO_COST }] },
      "not done",
      "the review limit was reached; the last changes were not reviewed",
    ],
  ];
  for (const [name, script, outcome, reason] of endings) {
    test(`LDES-07 ${name} ends it`, async () =>
      expect((await loop(script)).result).toMatchObject({ outcome, reason } as object));
  }
});
