import { describe, expect, test } from "bun:test";
import { type Figures, figuresOf } from "../../../../../src/commands/calibrate/results/calibration-figures.ts";
import { REVIEWERS, reviewOf, scriptedPlan, scriptedRun } from "../../../../calibration/scripted-runs.ts";

const share = (count: number, of: number) => ({ count, of });
const PER_REVIEW = { seconds: 4, tokens: 1000, cached_tokens: 700 };

describe("the figures of scripted reviewers on all of ccc's own cases", () => {
  const table: [
    name: keyof typeof REVIEWERS,
    figures: Omit<Figures, "kinds" | keyof typeof PER_REVIEW>,
    each: string,
  ][] = [
    [
      "yes",
      {
        ...{
          reviews: share(48, 48),
          right: share(24, 48),
          false_done_caught: share(0, 21),
          false_alarms: share(0, 24),
        },
        ...{ questions_recognised: share(0, 3), wrong_reason: share(0, 0), no_verdict: share(0, 48) },
      },
      "half",
    ],
    [
      "no",
      {
        ...{
          reviews: share(48, 48),
          right: share(21, 48),
          false_done_caught: share(21, 21),
          false_alarms: share(24, 24),
        },
        ...{ questions_recognised: share(0, 3), wrong_reason: share(21, 21), no_verdict: share(0, 48) },
      },
      "at most half",
    ],
    [
      "perfect",
      {
        ...{
          reviews: share(48, 48),
          right: share(48, 48),
          false_done_caught: share(21, 21),
          false_alarms: share(0, 24),
        },
        ...{ questions_recognised: share(3, 3), wrong_reason: share(0, 24), no_verdict: share(0, 48) },
      },
      "all",
    ],
    [
      "failing",
      {
        ...{ reviews: share(48, 48), right: share(0, 0), false_done_caught: share(0, 0), false_alarms: share(0, 0) },
        ...{ questions_recognised: share(0, 0), wrong_reason: share(0, 0), no_verdict: share(48, 48) },
      },
      "nothing",
    ],
  ];
  const plan = scriptedPlan();
  const { reviews } = scriptedRun(plan);
  test.each(table)("%s", (name, expected, each) => {
    const { kinds, ...figures } = figuresOf(
      plan,
      reviews.filter(({ reviewer }) => reviewer === name),
    );
    expect(figures).toEqual({ ...expected, ...PER_REVIEW });
    expect(kinds).toHaveLength(22);
    for (const { right } of kinds) {
      const isAsExpected = {
        half: right.count * 2 === right.of,
        "at most half": right.of > 0 && right.count * 2 <= right.of,
        all: right.of > 0 && right.count === right.of,
        nothing: right.of === 0,
      }[each];
      expect(isAsExpected).toBe(true);
    }
  });
});

test("with --repeat every review counts, and a run that is not finished says how far it got", () => {
  const plan = scriptedPlan({ repeat: 3 });
  const some = [1, 2].map((time) => reviewOf("yes", "stub/placeholder", time, REVIEWERS.yes));
  expect(figuresOf(plan, some)).toMatchObject({ reviews: share(2, 144), false_done_caught: share(0, 2) });
});

test("without a review there are no averages", () => {
  expect(figuresOf(scriptedPlan(), [])).toMatchObject({ seconds: null, tokens: null, right: share(0, 0) });
});
