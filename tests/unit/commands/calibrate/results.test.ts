import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { CalibrationCase, Truth } from "../../../../src/commands/calibrate/cases.ts";
import {
  CalibrationReportSchema,
  calibrationReport,
  type Figures,
  figuresOf,
} from "../../../../src/commands/calibrate/results.ts";
import { type CalibrationRun, type CaseReview, MARKS, type Mark } from "../../../../src/commands/calibrate/run.ts";
import type { ReviewResult } from "../../../../src/commands/review/command.ts";
import { CASES } from "../../../calibration/case-place.ts";
import { REVIEWERS, reviewOf, scriptedPlan, scriptedRun } from "../../../calibration/scripted-runs.ts";
import { fieldsOf } from "../../../schema-fields.ts";

describe("calibration figures", () => {
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
          reviews: share(48, 48),
          right: share(24, 48),
          false_done_caught: share(0, 21),
          false_alarms: share(0, 24),
          questions_recognised: share(0, 3),
          wrong_reason: share(0, 0),
          caught_without_proof: share(0, 0),
          caught_with_proof: share(0, 0),
          named_by_proof: share(0, 0),
          not_confirmed: share(0, 0),
          no_verdict: share(0, 48),
        },
        "half",
      ],
      [
        "no",
        {
          reviews: share(48, 48),
          right: share(21, 48),
          false_done_caught: share(21, 21),
          false_alarms: share(24, 24),
          questions_recognised: share(0, 3),
          wrong_reason: share(21, 21),
          caught_without_proof: share(0, 0),
          caught_with_proof: share(0, 0),
          named_by_proof: share(0, 0),
          not_confirmed: share(0, 0),
          no_verdict: share(0, 48),
        },
        "at most half",
      ],
      [
        "perfect",
        {
          reviews: share(48, 48),
          right: share(48, 48),
          false_done_caught: share(21, 21),
          false_alarms: share(0, 24),
          questions_recognised: share(3, 3),
          wrong_reason: share(0, 24),
          caught_without_proof: share(0, 0),
          caught_with_proof: share(0, 0),
          named_by_proof: share(0, 0),
          not_confirmed: share(0, 0),
          no_verdict: share(0, 48),
        },
        "all",
      ],
      [
        "failing",
        {
          reviews: share(48, 48),
          right: share(0, 0),
          false_done_caught: share(0, 0),
          false_alarms: share(0, 0),
          questions_recognised: share(0, 0),
          wrong_reason: share(0, 0),
          caught_without_proof: share(0, 0),
          caught_with_proof: share(0, 0),
          named_by_proof: share(0, 0),
          not_confirmed: share(0, 0),
          no_verdict: share(48, 48),
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

  test("what a proof changes is counted on its own", () => {
    const [weak = "", other = ""] = ["deleted-test/", "skipped-test/"].map(
      (start) => CASES.find(({ id, truth }) => id.startsWith(start) && truth === "not_done")?.id,
    );
    const plan = scriptedPlan();
    const cases = plan.cases.map((each) =>
      [weak, other].includes(each.id) ? { ...each, with_proof: true as const } : each,
    );
    const reviews = [
      { ...reviewOf("a", weak, 1, REVIEWERS.yes), proved: true },
      { ...reviewOf("a", weak, 1, REVIEWERS.perfect), proved: true, with_proof: true as const },
      { ...reviewOf("a", other, 1, REVIEWERS.yes), proved: false },
      { ...reviewOf("a", other, 1, REVIEWERS.yes), proved: false, with_proof: true as const },
    ];
    expect(figuresOf({ ...plan, cases }, reviews)).toMatchObject({
      reviews: share(4, plan.cases.length + 2),
      right: share(0, 2),
      false_done_caught: share(0, 2),
      caught_without_proof: share(0, 2),
      caught_with_proof: share(1, 2),
      named_by_proof: share(1, 2),
    });
  });

  test("without a review there are no averages", () => {
    expect(figuresOf(scriptedPlan(), [])).toMatchObject({ seconds: null, tokens: null, right: share(0, 0) });
  });
});

describe("calibration report", () => {
  const TWO = CASES.filter(({ id }) => id.startsWith("stub/"));
  const plan = scriptedPlan({ reviewers: ["a", "b"], repeat: 2 }, TWO);
  const A1 = reviewOf("a", "stub/placeholder", 1, REVIEWERS.yes);

  test("a reviewer that was stopped is reported as long as it has reviews left", () => {
    const stopped = new Map([["b", "no credit"]]);
    const report = calibrationReport({ plan, reviews: [A1], stopped }, []);
    expect(report.finished).toBe(false);
    expect(report.reviewers.map((each) => each.stopped)).toEqual([null, "no credit"]);
    const one = scriptedPlan({ reviewers: ["a"], repeat: 2 }, TWO.slice(0, 1));
    expect(calibrationReport({ plan: one, reviews: [A1], stopped }, []).finished).toBe(false);
    expect(calibrationReport({ plan: one, reviews: [A1, { ...A1, time: 2 }], stopped }, []).finished).toBe(true);
  });

  test("docs/calibrate.md explains every field and mark of the JSON", async () => {
    const guide = await Bun.file(join(import.meta.dir, "../../../../docs/calibrate.md")).text();
    const section = guide.split("### JSON")[1]?.split("\n## ")[0] ?? "";
    const fields = fieldsOf(CalibrationReportSchema);
    expect(fields).toContain("questions_recognised");
    for (const name of [...fields, ...MARKS.map((mark) => `"${mark}"`)]) expect(section).toContain(`\`${name}\``);
  });
});

describe("a run compared with an earlier one", () => {
  const compareRuns = (reviewer: string, now: CalibrationRun, before: CalibrationRun) =>
    calibrationReport(now, [before]).reviewers.find((each) => each.reviewer === reviewer)?.compared;
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
      started_at: "2026-11-17T02:00:00.000Z",
      cases: 48,
      changed: ["instructions"],
      worse: [],
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
    expect(compareRuns("glm", scriptedRun({ ...PLAN, cases: [first] }, { glm: REVIEWERS.yes }), elsewhere)).toBeNull();
  });

  test("each reviewer is compared with the last run that has it", () => {
    const older = {
      ...scriptedRun(PLAN, { glm: REVIEWERS.yes }),
      plan: { ...PLAN, started_at: "2026-11-01T00:00:00Z" },
    };
    const kimi = scriptedRun({ ...PLAN, reviewers: ["kimi"] }, { kimi: REVIEWERS.no });
    const now = scriptedRun({ ...PLAN, reviewers: ["glm", "new"] }, { glm: REVIEWERS.no, new: REVIEWERS.no });
    const [glm, other] = calibrationReport(now, [kimi, BEFORE, older]).reviewers;
    expect(glm?.compared?.started_at).toBe(PLAN.started_at);
    expect(other?.compared).toBeNull();
  });
});

describe("a review is judged", () => {
  const mark = (
    about: Partial<CalibrationCase>,
    verdict: CaseReview["verdict"],
    feedback = "",
    criteria: ReviewResult["criteria"] = [],
  ) => {
    const [some] = CASES;
    if (some === undefined) throw new Error("there is no case");
    return reviewOf("glm", { ...some, ...about }, 1, () => ({ verdict, feedback }), { criteria }).mark;
  };

  describe("a verdict compared with the truth", () => {
    const table: [truth: Truth, verdict: CaseReview["verdict"], expected: Mark][] = [
      ["done", "done", "right"],
      ["done", "not done", "false alarm"],
      ["done", "needs you", "false alarm"],
      ["not_done", "done", "missed"],
      ["not_done", "not done", "right"],
      ["not_done", "needs you", "needless question"],
      ["needs_user", "done", "question missed"],
      ["needs_user", "not done", "question missed"],
      ["needs_user", "needs you", "right"],
      ["done", null, "no verdict"],
      ["not_done", null, "no verdict"],
      ["needs_user", null, "no verdict"],
    ];
    test.each(table)("%s, and the reviewer says %s: %s", (truth, verdict, expected) => {
      expect(mark({ truth, mention: [] }, verdict)).toBe(expected);
    });
  });

  describe("what a right verdict must mention", () => {
    const mention = [
      ["hyphen", "连字符"],
      ["test", "fail"],
    ];
    const criterion = { id: "C1", text: "the TESTS pass", status: "unmet", evidence: "one has two hyphens" } as const;
    const table: [feedback: string, criteria: ReviewResult["criteria"], expected: Mark][] = [
      ["A Hyphen too many: the tests fail.", [], "right"],
      ["连字符 test", [], "right"],
      ["The tests fail.", [], "wrong reason"],
      ["", [], "wrong reason"],
      ["No.", [criterion], "right"],
      ["No.", [{ ...criterion, status: "met" }], "wrong reason"],
    ];
    test.each(table)("%j %j: %s", (feedback, criteria, expected) => {
      expect(mark({ truth: "not_done", mention }, "not done", feedback, criteria)).toBe(expected);
    });
    test("work that is done needs no reason", () => {
      expect(mark({ truth: "done", mention }, "done")).toBe("right");
    });
  });
});
