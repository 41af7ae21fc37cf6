import { expect, test } from "bun:test";
import { calibrationProgress } from "../../../../src/commands/calibrate/calibration-progress.ts";
import { REVIEWERS, reviewOf, scriptedPlan } from "../../../calibration/scripted-runs.ts";
import { fakeWorld } from "../../fakes.ts";

function shown(isTerminal: boolean): string {
  const { world, said } = fakeWorld({ isTerminal: () => isTerminal });
  const progress = calibrationProgress(world, scriptedPlan({ reviewers: ["glm"] }), 1);
  progress.start({ reviewer: "glm", case: "stub/parsed", time: 1 });
  progress.review(reviewOf("glm", "stub/parsed", 1, REVIEWERS.yes));
  progress.review(reviewOf("glm", "stub/placeholder", 1, REVIEWERS.yes));
  progress.review(reviewOf("glm", "region/told", 1, REVIEWERS.failing));
  progress.stopped("glm", "no credit");
  progress.stop();
  return said.stderr;
}

const LINES = `✓ 2/48 stub/parsed, glm: done (4 s)
✗ 3/48 stub/placeholder, glm: said "done", but the work is not done (4 s)
– 4/48 region/told, glm: no verdict: the reviewer gave no verdict, twice (4 s)
– glm is not asked any more: no credit
`;

test("a script gets a line for each review, right, wrong or without a verdict", () => expect(shown(false)).toBe(LINES));

test("a terminal also shows what is going on, and a blank line before the results", () => {
  const text = Bun.stripANSI(shown(true));
  expect(text).toContain("1 of 48 reviews made; glm is reviewing stub/parsed");
  for (const line of LINES.trimEnd().split("\n")) expect(text).toContain(line);
  expect(text).toEndWith("\n");
});
