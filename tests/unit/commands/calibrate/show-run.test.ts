import { expect, test } from "bun:test";
import { showRun } from "../../../../src/commands/calibrate/show-run.ts";
import { REVIEWERS, scriptedPlan, scriptedRun } from "../../../calibration/scripted-runs.ts";
import { fakeWorld } from "../../fakes.ts";

test("results are shown even if their page cannot be written", () => {
  const { world, said } = fakeWorld();
  const guarded = () => {
    throw new Error("the disk is full");
  };
  const run = scriptedRun(scriptedPlan({ reviewers: ["glm"] }), { glm: REVIEWERS.yes });
  const show = () =>
    showRun({ ...world, files: { ...world.files, guarded } }, run, [], { json: false, html: "/project/page.html" });
  expect(show).toThrow("the disk is full");
  expect(said.stdout).toMatch(/^Right verdicts +24 of 48$/m);
});
