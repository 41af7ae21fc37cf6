import { describe, expect, test } from "bun:test";
import { estimateRun } from "../../../../src/commands/calibrate/plan.ts";
import { REVIEWERS, scriptedPlan, scriptedRun } from "../../../calibration/scripted-runs.ts";

describe("what a run will roughly cost", () => {
  const plan = scriptedPlan({ reviewers: ["glm"] });

  test.each([
    ["fresh", "kimi", "2.3M"],
    ["session", "kimi", "5.8M"],
    ["auto", "kimi", "2.3M"],
    ["auto", "glm", "5.8M"],
  ] as const)("without an earlier run, with context %s and agents on %s", (context, agent, tokens) =>
    expect(estimateRun({ plan: { ...plan, context }, reviews: [] }, [], agent)).toBe(
      `48 reviews, about 288 requests: roughly ${tokens} tokens, most of them input`,
    ),
  );

  test("by the last run of that reviewer with that context", () => {
    const run = scriptedRun(plan, { glm: REVIEWERS.yes });
    const made = run.reviews.slice(0, 47);
    const estimate = (...earlier: Parameters<typeof estimateRun>[1]) =>
      estimateRun({ plan, reviews: made }, earlier, "kimi");
    const others = [
      scriptedRun(scriptedPlan({ reviewers: ["kimi"] }), { kimi: REVIEWERS.yes }),
      scriptedRun(scriptedPlan({ reviewers: ["glm"], context: "session" }), { glm: REVIEWERS.yes }),
      scriptedRun(plan, { glm: REVIEWERS.failing }),
    ];
    expect(estimate(...others)).toEndWith(", most of them input");
    expect(estimate(...others, run)).toBe("1 review, about 6 requests: roughly 1k tokens, by the last run");
    // Only its own reviews with a verdict count.
    const [one, other] = made.map((review) => ({ ...review, input_tokens: 4_200 }));
    if (one === undefined || other === undefined) throw new Error("there are no reviews");
    const reviews = [
      one,
      { ...other, verdict: null, input_tokens: 0 },
      { ...other, reviewer: "kimi", input_tokens: 0 },
    ];
    expect(estimate({ ...run, reviews })).toContain("roughly 5k tokens");
  });
});
