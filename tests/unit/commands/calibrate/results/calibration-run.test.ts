import { expect, test } from "bun:test";
import { join } from "node:path";
import { readRun, readRuns, removeOldRuns } from "../../../../../src/commands/calibrate/results/calibration-files.ts";
import {
  CalibrationReportSchema,
  calibrationReport,
} from "../../../../../src/commands/calibrate/results/calibration-report.ts";
import { MARKS, openReviews } from "../../../../../src/commands/calibrate/results/calibration-run.ts";
import { CASES } from "../../../../calibration/case-place.ts";
import { REVIEWERS, reviewOf, scriptedPlan } from "../../../../calibration/scripted-runs.ts";
import { fieldsOf } from "../../../../schema-fields.ts";
import { memoryFiles } from "../../../fakes.ts";

const TWO = CASES.filter(({ id }) => id.startsWith("stub/"));
const plan = scriptedPlan({ reviewers: ["a", "b"], repeat: 2 }, TWO);
const A1 = reviewOf("a", "stub/placeholder", 1, REVIEWERS.yes);

test("every reviewer gets a case before the next case begins, and nothing is asked twice", () => {
  const words = (reviews: (typeof A1)[]) =>
    openReviews({ plan, reviews }).map((each) => `${each.case} ${each.time}${each.reviewer}`);
  const first = ["1a", "1b", "2a", "2b"].map((each) => `stub/placeholder ${each}`);
  const second = ["1a", "1b", "2a", "2b"].map((each) => `stub/parsed ${each}`);
  expect(words([])).toEqual([...first, ...second]);
  expect(words([A1])).toEqual([...first.slice(1), ...second]);
});

const lines = (...entries: readonly object[]) => entries.map((each) => JSON.stringify(each)).join("\n");
const STOPPED = { stopped: { reviewer: "b", why: "the key was refused" } };

test("a run is read from its lines, also if it was killed while it wrote one", () => {
  const text = `${lines({ plan }, { process: 7 }, { review: A1 }, STOPPED, { from: "a later version" })}\n{"review":{"revi`;
  expect(readRun("/r", text)).toEqual({
    ...{ path: "/r", plan, reviews: [A1], stopped: new Map([["b", "the key was refused"]]), process: 7 },
  });
  const { process, stopped } = readRun("/r", `${text}\n${lines({ process: null })}`) ?? {};
  expect({ process, stopped }).toEqual({ process: null, stopped: new Map([["b", "the key was refused"]]) });
});

test("a resumed run asks every reviewer again, also those that were stopped", () => {
  const { process, stopped } = readRun("/r", lines({ plan }, { process: 7 }, STOPPED, { process: 8 })) ?? {};
  expect({ process, stopped }).toEqual({ process: 8, stopped: new Map() });
});

test("runs of other versions and other files are ignored; the last run comes first", () => {
  const folder = "/c/ccc/calibration";
  const files = memoryFiles({
    [`${folder}/2026-11-17T01.jsonl`]: lines({ plan }),
    [`${folder}/2026-11-17T03.jsonl`]: lines({ plan }, { review: A1 }),
    [`${folder}/2026-11-17T04.jsonl`]: lines({ plan: { ...plan, version: 2 } }),
    [`${folder}/2026-11-17T05.jsonl`]: null,
    [`${folder}/notes.txt`]: "mine",
  });
  const paths = { folder: "/c", config: "", generated: "/c/ccc", checked: "" };
  expect(readRuns(files, paths).map(({ reviews }) => reviews.length)).toEqual([1, 0]);
});

test("the last hundred runs are kept", () => {
  const folder = "/c/ccc/calibration";
  const names = Array.from(
    { length: 103 },
    (_, index) => `${folder}/2026-11-17T${String(index).padStart(3, "0")}.jsonl`,
  );
  const files = memoryFiles(Object.fromEntries([...names, `${folder}/notes.txt`].map((name) => [name, ""])));
  removeOldRuns(files, { folder: "/c", config: "", generated: "/c/ccc", checked: "" });
  expect(Object.keys(files.content)).toEqual([...names.slice(3), `${folder}/notes.txt`]);
});

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
  const guide = await Bun.file(join(import.meta.dir, "../../../../../docs/calibrate.md")).text();
  const section = guide.split("### JSON")[1]?.split("\n## ")[0] ?? "";
  const fields = fieldsOf(CalibrationReportSchema);
  expect(fields).toContain("questions_recognised");
  for (const name of [...fields, ...MARKS.map((mark) => `"${mark}"`)]) expect(section).toContain(`\`${name}\``);
});
