import { expect, test } from "bun:test";
import { calibrationReport } from "../../../../../src/commands/calibrate/results/calibration-report.ts";
import { compareRuns } from "../../../../../src/commands/calibrate/results/compare-runs.ts";
import { REVIEWERS, scriptedPlan, scriptedRun } from "../../../../calibration/scripted-runs.ts";

const PLAN = scriptedPlan({ reviewers: ["glm"] });
const BEFORE = scriptedRun(PLAN, { glm: REVIEWERS.yes });

test("a reviewer before and after its instructions were changed", () => {
  const plan = {
    ...PLAN,
    started_at: "2026-11-18T02:00:00Z",
    instructions: { path: "/p/SUPERVISOR.md", hash: "other" },
  };
  const found = compareRuns("glm", scriptedRun(plan, { glm: REVIEWERS.perfect }), BEFORE);
  expect(found).toMatchObject({
    ...{ started_at: "2026-11-17T02:00:00.000Z", cases: 48, changed: ["instructions"], worse: [] },
    before: { right: { count: 24, of: 48 }, false_done_caught: { count: 0, of: 21 } },
    now: { right: { count: 48, of: 48 }, false_done_caught: { count: 21, of: 21 } },
  });
  expect(found?.better).toHaveLength(24);
  expect(found?.better).toContain("stub/placeholder");
  expect(found?.better).not.toContain("stub/parsed");
});

test("another model of the same provider, or another context, is a change", () => {
  const as = (parts: object) => ({ ...BEFORE, reviews: BEFORE.reviews.map((each) => ({ ...each, ...parts })) });
  expect(compareRuns("glm", as({}), BEFORE)?.changed).toEqual([]);
  expect(compareRuns("glm", as({ model: "m-2" }), BEFORE)?.changed).toEqual(["model"]);
  expect(compareRuns("glm", as({ context: "session" }), BEFORE)?.changed).toEqual(["context"]);
});

test("a right verdict for the wrong reason is worse than a right one, and better than a wrong one", () => {
  const no = scriptedRun(PLAN, { glm: REVIEWERS.no });
  const perfect = scriptedRun(PLAN, { glm: REVIEWERS.perfect });
  expect(compareRuns("glm", no, perfect)?.worse).toContain("stub/placeholder");
  expect(compareRuns("glm", no, BEFORE)?.better).toContain("stub/placeholder");
  expect(compareRuns("glm", no, BEFORE)?.worse).toContain("stub/parsed");
});

test("only cases that both runs reviewed, and that are the same, are compared", () => {
  const [first, second, ...others] = PLAN.cases;
  if (first === undefined || second === undefined) throw new Error("there are no cases");
  const now = scriptedRun({ ...PLAN, cases: [first, { ...second, hash: "changed" }] }, { glm: REVIEWERS.perfect });
  expect(compareRuns("glm", now, BEFORE)).toMatchObject({ cases: 1, now: { reviews: { count: 1, of: 1 } } });
  const elsewhere = scriptedRun({ ...PLAN, cases: others }, { glm: REVIEWERS.perfect });
  expect(
    compareRuns("glm", scriptedRun({ ...PLAN, cases: [first] }, { glm: REVIEWERS.yes }), elsewhere),
  ).toBeUndefined();
});

test("each reviewer is compared with the last run that has it", () => {
  const older = { ...scriptedRun(PLAN, { glm: REVIEWERS.yes }), plan: { ...PLAN, started_at: "2026-11-01T00:00:00Z" } };
  const kimi = scriptedRun({ ...PLAN, reviewers: ["kimi"] }, { kimi: REVIEWERS.no });
  const now = scriptedRun({ ...PLAN, reviewers: ["glm", "new"] }, { glm: REVIEWERS.no, new: REVIEWERS.no });
  const [glm, other] = calibrationReport(now, [kimi, BEFORE, older]).reviewers;
  expect(glm?.compared?.started_at).toBe(PLAN.started_at);
  expect(other?.compared).toBeNull();
});
