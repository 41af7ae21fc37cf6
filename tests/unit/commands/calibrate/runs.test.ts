import { describe, expect, test } from "bun:test";
import { keepRun, openReviews, readRuns } from "../../../../src/commands/calibrate/runs.ts";
import { CASES } from "../../../calibration/case-place.ts";
import { REVIEWERS, reviewOf, scriptedPlan } from "../../../calibration/scripted-runs.ts";
import { memoryFiles } from "../../fakes.ts";

describe("the record of a run", () => {
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

  const FOLDER = "/c/ccc/calibration";
  const PATHS = { folder: "/c", config: "", generated: "/c/ccc", checked: "" };
  const readText = (text: string) => readRuns(memoryFiles({ [`${FOLDER}/1.jsonl`]: text }), PATHS)[0];

  test("a run is read from its lines, also if it was killed while it wrote one", () => {
    const text = `${lines({ plan }, { process: 7 }, { review: A1 }, STOPPED, { from: "a later version" })}\n{"review":{"revi`;
    const path = `${FOLDER}/1.jsonl`;
    const stopped = new Map([["b", "the key was refused"]]);
    expect(readText(text)).toEqual({ path, plan, reviews: [A1], stopped, process: 7 });
    expect(readText(`${text}\n${lines({ process: null })}`)).toMatchObject({ process: null, stopped });
  });

  test("a resumed run asks every reviewer again, also those that were stopped", () => {
    expect(readText(lines({ plan }, { process: 7 }, STOPPED, { process: 8 }))).toMatchObject({
      process: 8,
      stopped: new Map(),
    });
  });

  test("what is kept of a run can be read, resumed or not", () => {
    const files = memoryFiles({});
    keepRun(files, PATHS, { plan, path: undefined }, 7).review(A1);
    const [killed] = readRuns(files, PATHS);
    expect(killed).toMatchObject({ plan, reviews: [A1], process: 7 });
    const resumed = keepRun(files, PATHS, { plan, path: killed?.path }, 8);
    resumed.stopped("b", "no credit");
    resumed.end();
    expect(readRuns(files, PATHS)).toEqual([
      { path: killed?.path ?? "", plan, reviews: [A1], stopped: new Map([["b", "no credit"]]), process: null },
    ]);
  });

  test("runs of other versions and other files are ignored; the last run comes first", () => {
    const files = memoryFiles({
      [`${FOLDER}/2026-11-17T01.jsonl`]: lines({ plan }),
      [`${FOLDER}/2026-11-17T03.jsonl`]: lines({ plan }, { review: A1 }),
      [`${FOLDER}/2026-11-17T04.jsonl`]: lines({ plan: { ...plan, version: 2 } }),
      [`${FOLDER}/2026-11-17T05.jsonl`]: null,
      [`${FOLDER}/notes.txt`]: "mine",
    });
    expect(readRuns(files, PATHS).map(({ reviews }) => reviews.length)).toEqual([1, 0]);
  });

  test("the last hundred runs are kept", () => {
    const names = Array.from(
      { length: 103 },
      (_, index) => `${FOLDER}/2026-11-17T${String(index).padStart(3, "0")}.jsonl`,
    );
    const files = memoryFiles(Object.fromEntries([...names, `${FOLDER}/notes.txt`].map((name) => [name, ""])));
    keepRun(files, PATHS, { plan, path: names.at(-1) }, 7);
    expect(Object.keys(files.content)).toEqual([...names.slice(3), `${FOLDER}/notes.txt`]);
  });
});
