import { describe, expect, test } from "bun:test";
import { describeEstimate, estimateRun, wholeNumber } from "../../../../src/commands/calibrate/plan.ts";
import { REVIEWERS, scriptedPlan, scriptedRun } from "../../../calibration/scripted-runs.ts";

test("a number that an option takes", () => {
  expect([undefined, "1", "16"].map((value) => wholeNumber("--jobs", value, 2, 16))).toEqual([2, 1, 16]);
  for (const value of ["0", "17", "1.5", "two", "", " ", "-1"])
    expect(() => wholeNumber("--jobs", value, 2, 16)).toThrow("--jobs takes a whole number from 1 to 16");
});

describe("what a run will roughly take", () => {
  const plan = scriptedPlan({ reviewers: ["glm"] });
  test("without an earlier run", () => {
    const estimate = estimateRun({ plan, reviews: [] }, [], "kimi");
    expect(describeEstimate(estimate)).toBe("48 reviews, about 288 requests: roughly 2.3M tokens, most of them input");
    const tokens = (context: "session" | "auto", agent: string) =>
      estimateRun({ plan: { ...plan, context }, reviews: [] }, [], agent).tokens;
    expect([tokens("session", "kimi"), tokens("auto", "kimi"), tokens("auto", "glm")]).toEqual([
      48 * 120_000,
      48 * 48_000,
      48 * 120_000,
    ]);
  });
  test("by the last run of that reviewer with that context", () => {
    const earlier = [
      scriptedRun(scriptedPlan({ reviewers: ["kimi"] }), { kimi: REVIEWERS.yes }),
      scriptedRun(plan, { glm: REVIEWERS.failing }),
      scriptedRun(plan, { glm: REVIEWERS.yes }),
    ];
    const done = scriptedRun(plan, { glm: REVIEWERS.yes }).reviews.slice(0, 47);
    const estimate = estimateRun({ plan, reviews: done }, earlier, "kimi");
    expect(estimate).toEqual({ reviews: 1, tokens: 1000, isMeasured: true });
    const [one, other] = done.map((review) => ({ ...review, input_tokens: 4_200 }));
    const mixed = [one, { ...other, verdict: null, input_tokens: 0 }, { ...other, reviewer: "kimi", input_tokens: 0 }];
    const [, , run] = earlier;
    const single = { ...run, reviews: mixed } as (typeof earlier)[number];
    expect(estimateRun({ plan, reviews: done }, [single], "kimi").tokens).toBe(5_000);
    expect(describeEstimate(estimate)).toBe("1 review, about 6 requests: roughly 1k tokens, by the last run");
  });
});
