import { describe, expect, test } from "bun:test";
import type { LastAnswer } from "../../../../src/claude/last-answer.ts";
import { STOP_STATUS } from "../../../../src/claude/stop-hook.ts";
import { cccPaths } from "../../../../src/config/ccc-paths.ts";
import { type MissedReview, missedReview } from "../../../../src/supervisor/record/missed-review.ts";
import type { RecordedPrompt } from "../../../../src/supervisor/record/prompt-record.ts";
import { sessionRecord } from "../../../../src/supervisor/record/session-record.ts";
import {
  type RecordedStop,
  readStops,
  recordOutcome,
  recordStop,
} from "../../../../src/supervisor/record/stop-record.ts";
import { memoryFiles } from "../../fakes.ts";

const ANSWER: LastAnswer = { at: "12:05", cwd: "/project", promptId: "p1", prompt: "work", stopHooks: [] };
const PROMPT: RecordedPrompt = { at: "12:00", prompt_id: "p1", by_user: true, text: "work", mode: null };
const RUNNING = 7;
const stop = (at: string, more: Partial<RecordedStop> = {}): RecordedStop => ({
  at,
  pid: 1,
  outcome: undefined,
  why: undefined,
  ...more,
});

describe("the last answer was not reviewed", () => {
  const table: [
    name: string,
    expected: MissedReview | undefined,
    known: { answer?: Partial<LastAnswer>; prompts?: RecordedPrompt[]; stops?: RecordedStop[] },
  ][] = [
    ["if no stop is on record", "not run", {}],
    ["if only earlier stops are on record", "not run", { stops: [stop("12:04", { outcome: "done" })] }],
    ["if the hook was killed", "cut off", { stops: [stop("12:06")] }],
    [
      "if the hook timed out",
      "cut off",
      { stops: [stop("12:06", { outcome: "unreviewed", why: "the hook was interrupted" })] },
    ],
    [
      "if only the transcript shows that the session is supervised",
      "not run",
      { prompts: [], answer: { promptId: "p2", stopHooks: [STOP_STATUS] } },
    ],
    [
      "in a version without prompt ids",
      "not run",
      { prompts: [{ ...PROMPT, prompt_id: null }], answer: { promptId: undefined } },
    ],

    ["but not if it was", undefined, { stops: [stop("12:06", { outcome: "done" })] }],
    [
      "nor if it was, and the stop has the time of the answer",
      undefined,
      { stops: [stop("12:05", { outcome: "done" })] },
    ],
    ["nor if the agent was sent back to work", undefined, { stops: [stop("12:06", { outcome: "rework" })] }],
    ["nor at the limit", undefined, { stops: [stop("12:06", { outcome: "limit" })] }],
    [
      "nor if there was nothing to review",
      undefined,
      { stops: [stop("12:06", { outcome: "skipped", why: "delegated" })] },
    ],
    [
      "nor if the user was told why",
      undefined,
      { stops: [stop("12:06", { outcome: "unreviewed", why: "no verdict" })] },
    ],
    ["nor while the review is running", undefined, { stops: [stop("12:06", { pid: RUNNING })] }],
    ["nor if a later prompt came: it was reported then", undefined, { prompts: [{ ...PROMPT, at: "12:07" }] }],
    ["nor if that one has the time of the answer", undefined, { prompts: [{ ...PROMPT, at: "12:05" }] }],
    ["nor if the prompt was given to a session without supervision", undefined, { answer: { promptId: "p2" } }],
    [
      "nor in such a session of an older version",
      undefined,
      { prompts: [{ ...PROMPT, prompt_id: null }], answer: { promptId: undefined, prompt: "something else" } },
    ],
    ["nor if no prompt is on record", undefined, { prompts: [] }],
  ];
  for (const [name, expected, { answer, prompts = [PROMPT], stops = [] }] of table) {
    test(name, () => {
      const known = { answer: { ...ANSWER, ...answer }, prompts, stops, isAlive: (pid: number) => pid === RUNNING };
      expect(missedReview(known)).toBe(expected);
    });
  }
});

test("stops are read as they were recorded, and broken lines skipped", () => {
  const files = memoryFiles();
  const record = sessionRecord(cccPaths({ env: { HOME: "/home/u" }, platform: "linux" }), "s1");
  recordStop(files, record, { stop: "a", at: "12:00", pid: 1, prompt_id: null });
  const outcome = { kind: "skipped", why: "plan" } as const;
  recordOutcome(files, record, { stop: "a", at: "12:01", outcome, notes: {} }, (value) => value);
  files.append(record.stops, '{"half\n', Number.POSITIVE_INFINITY);
  recordStop(files, record, { stop: "b", at: "12:02", pid: 2, prompt_id: null });
  expect(readStops(files, record)).toEqual([
    { at: "12:00", pid: 1, outcome: "skipped", why: "plan" },
    { at: "12:02", pid: 2, outcome: undefined, why: undefined },
  ]);
});
