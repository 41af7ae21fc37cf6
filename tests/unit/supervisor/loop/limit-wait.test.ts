import { describe, expect, test } from "bun:test";
import { NO_USAGE } from "../../../../src/claude/stream.ts";
import { limitEnd, NOT_WAITED } from "../../../../src/supervisor/limits.ts";
import { retriedLimit, waitForLimit } from "../../../../src/supervisor/loop/limit-wait.ts";
import { fakeWorld } from "../../fakes.ts";

describe("limit wait", () => {
  const so = (waits: number, seconds: number) => ({ waits, seconds });

  describe("a wait for a limit ends", () => {
    const table: [
      name: string,
      resetAt: number | undefined,
      before: typeof NOT_WAITED,
      allowed: number,
      end?: number,
    ][] = [
      ["a second after the reset", 1100, NOT_WAITED, 3600, 1101],
      ["at the reset, if that is just within bounds", 1100, NOT_WAITED, 100, 1101],
      ["never, if the reset is too far away", 1101, NOT_WAITED, 100],
      ["never, if too much was waited before", 1050, so(1, 60), 100],
      ["never, if waiting is off", 1001, NOT_WAITED, 0],
      ["after a minute, if nothing is known", undefined, NOT_WAITED, 3600, 1060],
      ["after two minutes the second time", undefined, so(1, 60), 3600, 1120],
      ["after a quarter of an hour from the fifth time on", undefined, so(4, 1080), 9999, 1900],
      ["after a quarter of an hour the ninth time", undefined, so(8, 2000), 9999, 1900],
      ["for a last attempt when the time is up", undefined, so(1, 60), 100, 1040],
      ["for a last attempt when a second is left", undefined, so(1, 99), 100, 1001],
      ["never, if the time is up", undefined, so(3, 100), 100],
      ["later than it says, if it said so twice before", 1001, so(2, 4), 3600, 1060],
      ["when it says, if that is later still", 1500, so(2, 4), 3600, 1501],
    ];
    for (const [name, resetAt, before, allowed, end] of table)
      test(name, () => expect(limitEnd(resetAt, before, 1000, allowed)).toBe(end as number));
  });

  test.each([
    [3600, true],
    [undefined, false],
  ])("a wait for a limit that resets at %p knows that", async (resetAt, isKnown) => {
    const shown: boolean[] = [];
    await waitForLimit({ kind: "limited", why: "", resetAt, usage: NO_USAGE }, NOT_WAITED, {
      ...{ limitWaitSeconds: 9999, seconds: () => 0, sleep: async () => {}, isInterrupted: () => true },
      show: { event: () => {}, outcome: () => {}, waiting: ({ isResetKnown }) => shown.push(isResetKnown) },
    });
    expect(shown).toEqual([isKnown]);
  });

  test("a wait ends on time if the machine slept, and says every five minutes that it goes on", async () => {
    let clock = 0;
    const shown: [left: number, isStart: boolean][] = [];
    const steps = [0, 15, 300, 5000];
    const waited = await waitForLimit({ kind: "limited", why: "", resetAt: 3600, usage: NO_USAGE }, NOT_WAITED, {
      limitWaitSeconds: 9999,
      seconds: () => clock,
      sleep: async (seconds) => {
        expect(seconds).toBeLessThanOrEqual(15);
        clock = steps.shift() ?? Number.NaN;
      },
      isInterrupted: () => false,
      show: { event: () => {}, outcome: () => {}, waiting: ({ left }, isStart) => shown.push([left, isStart]) },
    });
    expect(shown).toEqual([
      [3601, true],
      [3301, false],
    ]);
    expect(waited).toEqual(so(1, 5000));
  });
});

describe("retried limit", () => {
  const ID = "11111111-2222-4333-8444-555555555555";

  /** At midnight, with this error as the last entry of the transcript. */
  function limit(formatted: string, status = 429) {
    const entry = { type: "system", subtype: "api_error", error: { status, formatted } };
    const content = { [`/home/u/.claude/projects/-project/${ID}.jsonl`]: `${JSON.stringify(entry)}\n` };
    return retriedLimit(fakeWorld({ content }).world, ID);
  }

  test("a usage limit that lasts longer than claude's retries ends the run, with its reset", () => {
    expect(limit("429 Usage limit reached. It resets at 1970-01-01T01:00:00Z")).toEqual({
      why: "API Error: 429 Usage limit reached. It resets at 1970-01-01T01:00:00Z",
      resetAt: 3600,
    });
    expect(limit("403 You've reached your usage limit, try again in 2 hours", 403)).toMatchObject({ resetAt: 7200 });
  });

  describe("claude's retries go on", () => {
    const table: [name: string, error: string, status?: number][] = [
      ["at a limit that ends meanwhile", "429 Usage limit reached. It resets at 1970-01-01T00:02:00Z"],
      ["at a limit that ends with the last of them", "429 Usage limit reached. It resets at 1970-01-01T00:03:00Z"],
      ["at a limit whose reset is not known", "429 Usage limit reached"],
      ["at a rate limit", "429 Too many requests, try again in 10 minutes"],
      ["at an error of the server", "529 Overloaded. Your limit will reset", 500],
    ];
    for (const [name, error, status] of table) test(name, () => expect(limit(error, status)).toBeUndefined());
    test("without a transcript", () => expect(retriedLimit(fakeWorld().world, ID)).toBeUndefined());
  });
});
