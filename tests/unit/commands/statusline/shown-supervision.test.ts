import { describe, expect, test } from "bun:test";
import type { StatusRecord } from "../../../../src/commands/statusline/read-status-record.ts";
import { shownSupervision } from "../../../../src/commands/statusline/shown-supervision.ts";

const ON: StatusRecord = { isSupervised: true, provider: "glm", review: undefined, isPrompted: false };
const RUNNING = { pid: 7, round: 2, limit: 10, doing: "Bash npm test", ends_by: 2_000 };
const ended = (outcome: string, met = 0, of = 0): StatusRecord => ({ ...ON, review: { outcome, met, of } });
const moment = { now: 1_000, isAlive: (pid: number) => pid === 7 };

describe("the supervision in the status line", () => {
  const table: [what: string, record: StatusRecord, text: string, tone: string][] = [
    ["no supervision", { ...ON, isSupervised: false }, "supervisor off", "quiet"],
    ["no review yet", ON, "supervisor on", "quiet"],
    ["a review that begins", { ...ON, review: { ...RUNNING, doing: "" } }, "reviewing 2/10", "busy"],
    ["a reviewer at work", { ...ON, review: RUNNING }, "reviewing 2/10: Bash npm test", "busy"],
    [
      "a hook in its last moment",
      { ...ON, review: { ...RUNNING, doing: "", ends_by: 1_000 } },
      "reviewing 2/10",
      "busy",
    ],
    ["a prompt during a review", { ...ON, review: RUNNING, isPrompted: true }, "reviewing 2/10: Bash npm test", "busy"],
    ["a hook that was killed", { ...ON, review: { ...RUNNING, pid: 8 } }, "not reviewed", "bad"],
    ["another process with its id", { ...ON, review: { ...RUNNING, ends_by: 999 } }, "not reviewed", "bad"],
    [
      "a prompt after a killed hook",
      { ...ON, review: { ...RUNNING, pid: 8 }, isPrompted: true },
      "supervisor on",
      "quiet",
    ],
    ["done", ended("done", 5, 5), "done 5 of 5", "good"],
    ["done without criteria", ended("done"), "done", "good"],
    ["not done", ended("rework", 3, 5), "not done 3 of 5", "open"],
    ["a failed check", ended("rework"), "not done", "open"],
    ["a question", ended("needs_user"), "needs you", "bad"],
    ["no reviews left", ended("limit", 3, 5), "NOT done 3 of 5", "bad"],
    ["a stalemate", ended("stalemate", 3, 5), "NOT done 3 of 5", "bad"],
    ["no tokens left", ended("budget"), "NOT done", "bad"],
    ["a review that failed", ended("unreviewed"), "not reviewed", "bad"],
    ["an outcome of a newer ccc", ended("postponed", 3, 5), "supervisor on", "quiet"],
    ["a name that objects have", ended("constructor"), "supervisor on", "quiet"],
    ["a prompt after the verdict", { ...ended("done", 5, 5), isPrompted: true }, "supervisor on", "quiet"],
  ];
  test.each(table)("%s", (_, record, text, tone) =>
    expect(shownSupervision(record, moment)).toEqual({ text, tone } as ReturnType<typeof shownSupervision>),
  );
});
