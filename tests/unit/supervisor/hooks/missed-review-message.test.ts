import { afterAll, beforeAll, expect, test } from "bun:test";
import { appendFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { STOP_STATUS } from "../../../../src/claude/stop-hook.ts";
import { cccPaths } from "../../../../src/config/ccc-paths.ts";
import { missedReviewMessage } from "../../../../src/supervisor/hooks/missed-review-message.ts";
import { sessionRecord } from "../../../../src/supervisor/record/session-record.ts";
import { recordStop } from "../../../../src/supervisor/record/stop-record.ts";
import { fakeWorld } from "../../fakes.ts";

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
  const record = sessionRecord(cccPaths({ env: { HOME: "/home/u" }, platform: "linux" }), "s1");
  recordStop(world.files, record, { stop: "a", at: "2026-01-01T12:06:00Z", pid: 7, prompt_id: "p1" });
  expect(world.isAlive(7)).toBe(true);
  return missedReviewMessage(
    world,
    {
      ...{ hook_event_name: "UserPromptSubmit", session_id: "s1", cwd: "/project", permission_mode: undefined },
      ...{ transcript_path: join(folder, transcript), prompt: "more", prompt_id },
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
