import { describe, expect, test } from "bun:test";
import { appendFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { diskFiles } from "../../../../src/os/disk.ts";
import { appendPrompts, readPromptRecord } from "../../../../src/supervisor/record/prompt-record.ts";
import { sessionRecord } from "../../../../src/supervisor/record/session-record.ts";
import {
  promptsInTranscript,
  promptsOnRecord,
  recordMissingPrompts,
} from "../../../../src/supervisor/record/user-prompts.ts";

const files = diskFiles(process.pid);
const line = (text: string, promptId: string, more: object = {}) =>
  `${JSON.stringify({ type: "user", promptId, message: { content: text }, ...more })}\n`;

test("waits for a transcript that is written after the event, even if the file does not exist yet", async () => {
  const folder = await mkdtemp(join(tmpdir(), "ccc-test-"));
  const transcript = join(folder, "t.jsonl");
  const asked = promptsInTranscript(files, transcript, "p2");
  await writeFile(transcript, line("first", "p1"));
  await writeFile(transcript, line("first", "p1") + line("second", "p2"));
  expect(await asked).toEqual({ prompts: ["first", "second"], userPromptId: "p2" });
  await rm(folder, { recursive: true });
});

test("distinguishes Claude Code's own prompts from the user's; a missing one counts as the user's", async () => {
  const folder = await mkdtemp(join(tmpdir(), "ccc-test-"));
  const transcript = join(folder, "t.jsonl");
  await writeFile(transcript, line("first", "p1") + line("wake", "p2", { promptSource: "system", isMeta: true }));
  expect(await promptsInTranscript(files, transcript, "p2")).toEqual({ prompts: ["first"], userPromptId: undefined });
  expect(await promptsInTranscript(files, transcript, "p3")).toEqual({ prompts: ["first"], userPromptId: "p3" });
  await rm(folder, { recursive: true });
});

test("what the user asked while nothing was recorded is added once, and only to a record that exists", async () => {
  const folder = await mkdtemp(join(tmpdir(), "ccc-test-"));
  const transcript = join(folder, "t.jsonl");
  await writeFile(transcript, line("first", "p1") + line("second", "p2") + line("third", "p3"));
  const paths = { folder, config: "", generated: folder, checked: "" };
  const record = sessionRecord(paths, "s");
  const texts = () => promptsOnRecord(readPromptRecord(files, record) ?? []).prompts;
  await recordMissingPrompts(files, record, transcript, "now");
  expect(files.read(record.prompts)).toBeUndefined();
  files.append(record.prompts, `${JSON.stringify({ at: "", prompt_id: "p1", by_user: true, text: "first" })}\n`, 1e9);
  await recordMissingPrompts(files, record, transcript, "now");
  expect(texts()).toEqual(["first", "second", "third"]);
  const append = () => {
    throw new Error("nothing is missing");
  };
  await recordMissingPrompts({ ...files, append }, record, transcript, "now");
  await rm(folder, { recursive: true });
});

test("with versions whose prompts have no ids, the text says which ones are missing, be it a single one", async () => {
  const folder = await mkdtemp(join(tmpdir(), "ccc-test-"));
  const transcript = join(folder, "t.jsonl");
  const said = (text: string) => `${JSON.stringify({ type: "user", message: { content: text } })}\n`;
  await writeFile(transcript, said("first ") + said("second"));
  const record = sessionRecord({ folder, config: "", generated: folder, checked: "" }, "s");
  appendPrompts(files, record, [{ at: "", prompt_id: null, by_user: true, text: "first\n", mode: null }]);
  await recordMissingPrompts(files, record, transcript, "now");
  expect(promptsOnRecord(readPromptRecord(files, record) ?? []).prompts).toEqual(["first\n", "second"]);
  await rm(folder, { recursive: true });
});

describe("promptsOnRecord", () => {
  const prompt = (text: string, prompt_id: string | null, by_user = true) => ({
    ...{ at: "", text, prompt_id, by_user, mode: null },
  });
  const table: [name: string, recorded: ReturnType<typeof prompt>[], prompts: string[], id: string | undefined][] = [
    ["nothing recorded", [], [], undefined],
    ["one prompt", [prompt("a", "p1")], ["a"], "1:p1"],
    ["two prompts", [prompt("a", "p1"), prompt("b", "p2")], ["a", "b"], "2:p2"],
    ["a message typed while the agent works is one more", [prompt("a", "p1"), prompt("b", "p1")], ["a", "b"], "2:p1"],
    ["a version without ids", [prompt("a", null), prompt("a", null)], ["a", "a"], "2:"],
    ["a wake-up does not count", [prompt("a", "p1"), prompt("wake", "p2", false)], ["a"], "1:p1"],
  ];
  for (const [name, recorded, prompts, userPromptId] of table) {
    test(name, () => expect(promptsOnRecord(recorded)).toEqual({ prompts, userPromptId }));
  }
});

test("waits for more of a transcript that is there, but not if it has the prompt, nor of what is no file", async () => {
  const folder = await mkdtemp(join(tmpdir(), "ccc-test-"));
  const transcript = join(folder, "t.jsonl");
  await writeFile(transcript, line("first", "p1"));
  let looked = 0;
  const identify: typeof files.identify = (path) => {
    // What Claude Code writes between the first look and the second.
    if (++looked === 2) appendFileSync(transcript, line("second", "p2"));
    return files.identify(path);
  };
  expect((await promptsInTranscript({ ...files, identify }, transcript, "p2")).prompts).toEqual(["first", "second"]);
  looked = 10;
  expect((await promptsInTranscript({ ...files, identify }, transcript, "p1")).prompts).toEqual(["first", "second"]);
  expect(looked).toBe(11);
  looked = 10;
  expect((await promptsInTranscript({ ...files, identify }, folder, "p2")).prompts).toEqual([]);
  expect(looked).toBe(11);
  await rm(folder, { recursive: true });
});
