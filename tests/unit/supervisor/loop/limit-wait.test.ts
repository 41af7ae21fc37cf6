import { describe, expect, test } from "bun:test";
import { NO_USAGE } from "../../../../src/claude/token-usage.ts";
import { limitEnd, NOT_WAITED } from "../../../../src/supervisor/limit-end.ts";
import { waitForLimit } from "../../../../src/supervisor/loop/limit-wait.ts";

const so = (waits: number, seconds: number) => ({ waits, seconds });

describe("a wait for a limit ends", () => {
  const table: [name: string, resetAt: number | undefined, before: typeof NOT_WAITED, allowed: number, end?: number][] =
    [
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
