import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { appendFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { STOP_STATUS } from "../../../../src/claude/hook-settings.ts";
import type { LastAnswer } from "../../../../src/claude/transcript.ts";
import { cccPaths } from "../../../../src/config/paths.ts";
import {
  type AnswerOnRecord,
  type MissedReview,
  missedReview,
  missedReviewMessage,
} from "../../../../src/supervisor/record/missed.ts";
import type { RecordedPrompt } from "../../../../src/supervisor/record/prompts.ts";
import { openSession } from "../../../../src/supervisor/record/session.ts";
import { fakeWorld } from "../../fakes.ts";

describe("missed review message", () => {
  const PROMPT = { at: "2026-01-01T12:00:00Z", prompt_id: "p1", by_user: true, text: "work", mode: null };
  const TRANSCRIPT = [
    { type: "user", promptId: "p1", message: { content: "work" } },
    {
      type: "assistant",
      timestamp: "2026-01-01T12:05:00Z",
      cwd: "/project",
      message: { stop_reason: "end_turn", model: "glm", content: [{ type: "text", text: "done" }] },
    },
    { type: "system", subtype: "stop_hook_summary", hookInfos: [{ command: STOP_STATUS, durationMs: 1 }] },
  ];

  let folder = "";
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "ccc-test-"));
    await writeTranscript("t.jsonl", TRANSCRIPT);
  });
  afterAll(() => rm(folder, { recursive: true }));
  const writeTranscript = (name: string, lines: readonly object[]) =>
    writeFile(join(folder, name), lines.map((line) => JSON.stringify(line)).join("\n"));

  /** What the user is told at a prompt with this id, while the Stop hook's process is still there. */
  function message(prompt_id: string | undefined, { transcript = "t.jsonl", now = () => new Date(0) } = {}) {
    const { world } = fakeWorld({ now });
    const record = openSession(world.files, cccPaths({ env: { HOME: "/home/u" }, platform: "linux" }), "s1");
    record.stops.append({ stop: "a", at: "2026-01-01T12:06:00Z", pid: 7, prompt_id: "p1" });
    expect(world.isAlive(7)).toBe(true);
    return missedReviewMessage(
      world,
      {
        hook_event_name: "UserPromptSubmit",
        session_id: "s1",
        cwd: "/project",
        permission_mode: undefined,
        transcript_path: join(folder, transcript),
        prompt: "more",
        prompt_id,
      },
      record,
      [PROMPT],
    );
  }

  test("a Stop hook that is cleaning up at the next prompt was killed before the review finished", async () => {
    expect(await message("p2")).toContain("previous answer was NOT reviewed: ccc's Stop hook was killed");
  });

  test("a message typed during the review reports nothing", async () => {
    expect(await message("p1")).toBeUndefined();
  });

  test("without an id, a Stop hook that still runs has not been ended", async () => {
    expect(await message(undefined)).toBeUndefined();
  });

  test("once Claude Code has noted the Stop hooks, nothing more is to come: the prompt does not wait", async () => {
    let looks = 0;
    const now = () => new Date(++looks);
    expect(await message("p2", { now })).toContain("NOT reviewed");
    expect(looks).toBe(1);
  });

  test("an answer that the user interrupted is not missing a review, also if the transcript says so a little later", async () => {
    const transcript = "late.jsonl";
    const before = TRANSCRIPT.slice(0, 2);
    await writeTranscript(transcript, before);
    const interrupted = { type: "user", message: { content: "[Request interrupted by user]" } };
    let looks = 0;
    const now = () => {
      looks++;
      if (looks === 2) appendFileSync(join(folder, transcript), `\n${JSON.stringify(interrupted)}`);
      return new Date(0);
    };
    expect(await message("p2", { transcript, now })).toBeUndefined();
    expect(looks).toBe(2);
  });
});

describe("missed review", () => {
  const ANSWER: LastAnswer = { at: "12:05", cwd: "/project", promptId: "p1", prompt: "work", stopHooks: [] };
  const PROMPT: RecordedPrompt = { at: "12:00", prompt_id: "p1", by_user: true, text: "work", mode: null };
  type Stop = AnswerOnRecord["stops"][number];
  /** Ended, unless it says something else. */
  const stop = (at: string, more: Partial<Stop> = {}): Stop => ({
    at,
    endedAt: at,
    isRunning: false,
    why: undefined,
    ...more,
  });

  describe("the last answer was not reviewed", () => {
    const table: [
      name: string,
      expected: MissedReview | undefined,
      known: { answer?: Partial<LastAnswer>; prompts?: RecordedPrompt[]; stops?: Stop[] },
    ][] = [
      ["if no stop is on record", "not run", {}],
      ["if only earlier stops are on record", "not run", { stops: [stop("12:04")] }],
      ["if the hook was killed", "cut off", { stops: [stop("12:06", { endedAt: undefined })] }],
      ["if the hook timed out", "cut off", { stops: [stop("12:06", { why: "the hook was interrupted" })] }],
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

      ["but not if it was", undefined, { stops: [stop("12:06")] }],
      ["nor if it was, and the stop has the time of the answer", undefined, { stops: [stop("12:05")] }],
      ["nor if there was nothing to review", undefined, { stops: [stop("12:06", { why: "delegated" })] }],
      ["nor if the user was told why", undefined, { stops: [stop("12:06", { why: "no verdict" })] }],
      [
        "nor while the review is running",
        undefined,
        { stops: [stop("12:06", { endedAt: undefined, isRunning: true })] },
      ],
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
        const known = { answer: { ...ANSWER, ...answer }, prompts, stops };
        expect(missedReview(known)).toBe(expected);
      });
    }
  });
});
