import { expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cccPaths } from "../../../../src/config/ccc-paths.ts";
import { loopPrompts } from "../../../../src/supervisor/loop/loop-prompts.ts";
import { readPromptRecord } from "../../../../src/supervisor/record/prompt-record.ts";
import { sessionRecord } from "../../../../src/supervisor/record/session-record.ts";
import { memoryFiles } from "../../fakes.ts";

/** The prompts of a loop that starts at midnight, and whose messages to the agent are these. */
function started(sent: readonly string[] = [], earlier: readonly string[] = []) {
  const record = sessionRecord(cccPaths({ env: { HOME: "/home/u" }, platform: "linux" }), "s");
  const lines = earlier.map((text) => JSON.stringify({ at: "1969-12-31", prompt_id: null, by_user: true, text }));
  const files = memoryFiles(earlier.length === 0 ? {} : { [record.prompts]: `${lines.join("\n")}\n` });
  let minutes = 0;
  let writes = 0;
  const now = () => new Date(minutes * 60_000);
  const write = (action: () => void) => {
    writes++;
    action();
  };
  const prompts = loopPrompts(files, now, write, new Set(sent));
  return {
    at: (minute: number, own: readonly string[], transcript?: string) => {
      minutes = minute;
      return prompts.record({ record, transcript }, own);
    },
    recorded: () => (readPromptRecord(files, record) ?? []).map(({ at, text }) => `${at.slice(11, 16)} ${text}`.trim()),
    writes: () => writes,
  };
}

test("the task is recorded with the time at which the loop began, later prompts with theirs", async () => {
  const { at, recorded } = started();
  await at(5, ["task", "typed meanwhile"]);
  await at(9, ["task", "typed meanwhile", "and more"]);
  expect(recorded()).toEqual(["00:00 task", "00:05 typed meanwhile", "00:09 and more"]);
});

test("what is on record stays, and is not written again", async () => {
  const { at, recorded, writes } = started([], ["an earlier task"]);
  expect((await at(1, ["task"])).prompts).toEqual(["an earlier task", "task"]);
  expect((await at(2, ["task"])).prompts).toEqual(["an earlier task", "task"]);
  expect(recorded()).toEqual(["an earlier task", "00:00 task"]);
  expect(writes()).toBe(1);
});

test("without a record, the transcript has the earlier prompts; what this run has sent is not among them", async () => {
  const folder = await mkdtemp(join(tmpdir(), "ccc-test-"));
  try {
    const transcript = join(folder, "s.jsonl");
    const said = ["an earlier task", "task", "FEEDBACK"].map((content) => ({ type: "user", message: { content } }));
    await writeFile(transcript, said.map((line) => `${JSON.stringify(line)}\n`).join(""));
    const { at, recorded } = started(["task", "FEEDBACK"]);
    for (const minute of [1, 2])
      expect((await at(minute, ["task"], transcript)).prompts).toEqual(["an earlier task", "task"]);
    expect(recorded()).toEqual(["00:01 an earlier task", "00:00 task"]);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("every prompt of the user restarts the count of reviews", async () => {
  const { at } = started();
  const first = await at(1, ["task"]);
  expect((await at(2, ["task"])).userPromptId).toBe(first.userPromptId);
  expect((await at(3, ["task", "more"])).userPromptId).not.toBe(first.userPromptId);
});
