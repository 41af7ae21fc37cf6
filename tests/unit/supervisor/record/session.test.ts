import { describe, expect, test } from "bun:test";
import { cccPaths } from "../../../../src/config/paths.ts";
import type { Outcome } from "../../../../src/supervisor/outcome.ts";
import { readReviewNow, sessionRecord } from "../../../../src/supervisor/record/session.ts";
import { recordOutcome } from "../../../../src/supervisor/record/stops.ts";
import { NOT_LOOKED } from "../../../../src/supervisor/review/review.ts";
import { memoryFiles } from "../../fakes.ts";

const record = sessionRecord(cccPaths({ env: { HOME: "/home/u" }, platform: "linux" }), "s");

describe("the file for the status line", () => {
  const RUNNING = { pid: 7, round: 2, limit: 10, doing: "Read a.ts", ends_by: 5 };
  const table: [text: string, found: ReturnType<typeof readReviewNow>][] = [
    [JSON.stringify(RUNNING), RUNNING],
    ['{"outcome":"done","met":5,"of":5}', { outcome: "done", met: 5, of: 5 }],
    ['{"outcome":"limit"}', { outcome: "limit", met: 0, of: 0 }],
    ['{"pid":7}', { pid: 7, round: 0, limit: 0, doing: "", ends_by: 0 }],
    // In a container, the first process may be any program.
    ['{"pid":1}', { pid: 1, round: 0, limit: 0, doing: "", ends_by: 0 }],
    ['{"outcome":"done","met":"5","of":-1}', { outcome: "done", met: 0, of: 0 }],
    // Signals to these would go to whole groups of processes.
    ['{"pid":0}', undefined],
    ['{"pid":-1}', undefined],
    ['{"pid":1.5}', undefined],
    ["", undefined],
    ["[]", undefined],
    ['{"pid":', undefined],
  ];
  test.each(table)("%s", (text, found) => expect(readReviewNow(text)).toEqual(found));

  const CRITERIA = (["met", "unmet", "dropped"] as const).map((status, index) => {
    return { id: `C${index}`, text: "x", status, evidence: "", unmet_reviews: 0, unmet_files: null };
  });
  const reviewed = { feedback: "", ...NOT_LOOKED, criteria: CRITERIA };
  const outcomes: [Outcome, object | undefined][] = [
    [
      { kind: "rework", round: 1, ...reviewed },
      { outcome: "rework", met: 1, of: 2 },
    ],
    [
      { kind: "unreviewed", why: "no server", ...NOT_LOOKED },
      { outcome: "unreviewed", met: 0, of: 0 },
    ],
    [{ kind: "skipped", why: "plan" }, undefined],
  ];
  test.each(outcomes)(
    "%o leaves its end there, and a stop without a review leaves what was before",
    (outcome, found) => {
      const files = memoryFiles();
      recordOutcome(files, record, { stop: "stop", at: "at", outcome, notes: {} }, (value) => value);
      expect(readReviewNow(files.read(record.now) ?? "")).toEqual(found as ReturnType<typeof readReviewNow>);
    },
  );
});
