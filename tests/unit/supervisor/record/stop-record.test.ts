import { describe, expect, test } from "bun:test";
import { cccPaths } from "../../../../src/config/ccc-paths.ts";
import { sessionRecord } from "../../../../src/supervisor/record/session-record.ts";
import { type RecordedStop, recordOutcome, wasReviewed } from "../../../../src/supervisor/record/stop-record.ts";
import { NOT_LOOKED, type Outcome } from "../../../../src/supervisor/review/outcome.ts";
import { memoryFiles } from "../../fakes.ts";

const RECORD = sessionRecord(cccPaths({ env: { HOME: "/home/u" }, platform: "linux" }), "s");

describe("since 12:00, a reviewer", () => {
  const stop = (at: string, outcome: string | undefined, check?: string): RecordedStop => ({
    ...{ at, pid: 1, outcome, why: undefined, check },
  });
  test.each<[name: string, stops: RecordedStop[], expected: boolean]>([
    ["has said done", [stop("12:01", "done")], true],
    ["has said so right then", [stop("12:00", "done")], true],
    ["has sent the agent back to work", [stop("12:01", "rework")], true],
    ["has left it to the user", [stop("12:01", "needs_user")], true],
    ["has given up", [stop("12:01", "stalemate")], true],
    ["has, before other stops", [stop("12:01", "done"), stop("12:02", "skipped"), stop("12:03", undefined)], true],
    ["has not, at a session without stops", [], false],
    ["has not: that was earlier", [stop("11:59", "done")], false],
    ["has not, where a check failed before anybody was asked", [stop("12:01", "rework", "npm test (exit 1)")], false],
    ["has not, at a stop without a review", [stop("12:01", "skipped")], false],
    ["has not, where the review failed", [stop("12:01", "unreviewed")], false],
    ["has not, at the limit", [stop("12:01", "limit")], false],
    ["has not yet", [stop("12:01", undefined)], false],
  ])("%s", (_, stops, expected) => expect(wasReviewed(stops, "12:00")).toBe(expected));
});

describe("on record of an outcome", () => {
  const recorded = (outcome: Outcome) => {
    const files = memoryFiles();
    recordOutcome(files, RECORD, { stop: "s", at: "12:00", outcome, notes: {} }, (value) => value);
    return JSON.parse(files.read(RECORD.stops) ?? "");
  };
  const reviewed = { ...NOT_LOOKED, criteria: [], feedback: "" };

  test("the round has one name, whether the work was done in it or not", () => {
    for (const outcome of [
      { kind: "done", rounds: 3, ...reviewed },
      { kind: "rework", round: 3, ...reviewed },
    ] as const) {
      expect(recorded(outcome)).toMatchObject({ outcome: outcome.kind, round: 3 });
      expect(recorded(outcome)).not.toHaveProperty("rounds");
    }
    expect(recorded({ kind: "unreviewed", why: "no server", ...NOT_LOOKED })).not.toHaveProperty("round");
  });

  test("a text of 10,000 characters is whole, and a longer one is cut where that can be seen", () => {
    const longest = "x".repeat(10_000);
    const feedback = (text: string) => recorded({ kind: "rework", round: 1, ...reviewed, feedback: text }).feedback;
    expect(feedback(longest)).toBe(longest);
    expect(feedback(`${longest}y`)).toBe(`${longest}…`);
  });
});
