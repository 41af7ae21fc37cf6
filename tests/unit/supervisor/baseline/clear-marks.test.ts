import { expect, test } from "bun:test";
import { parseMarks } from "../../../../src/supervisor/baseline/clear-marks.ts";

test("parseMarks finds assumed and skipped files", () => {
  expect(parseMarks("")).toEqual({ assumed: [], skipped: [] });
  const output = "H plain\0h assumed one\0S skipped\0s both\0M unmerged\0H S\0";
  expect(parseMarks(output)).toEqual({ assumed: ["assumed one", "both"], skipped: ["skipped", "both"] });
});
