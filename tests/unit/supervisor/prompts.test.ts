import { expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { diskFiles } from "../../../src/io/disk.ts";
import { readAsked } from "../../../src/supervisor/prompts.ts";

const files = diskFiles(process.pid);
const line = (text: string, promptId: string, more: object = {}) =>
  `${JSON.stringify({ type: "user", promptId, message: { content: text }, ...more })}\n`;

test("a transcript that is written behind the event is waited for, a file that is not there yet included", async () => {
  const folder = await mkdtemp(join(tmpdir(), "ccc-test-"));
  const transcript = join(folder, "t.jsonl");
  const asked = readAsked(files, transcript, "p2");
  await writeFile(transcript, line("first", "p1"));
  await writeFile(transcript, line("first", "p1") + line("second", "p2"));
  expect(await asked).toEqual({ prompts: ["first", "second"], userPromptId: "p2" });
  await rm(folder, { recursive: true });
});

test("a prompt of Claude Code's own is told from the user's, and one that never comes counts as the user's", async () => {
  const folder = await mkdtemp(join(tmpdir(), "ccc-test-"));
  const transcript = join(folder, "t.jsonl");
  await writeFile(transcript, line("first", "p1") + line("wake", "p2", { promptSource: "system", isMeta: true }));
  expect(await readAsked(files, transcript, "p2")).toEqual({ prompts: ["first"], userPromptId: undefined });
  expect(await readAsked(files, transcript, "p3")).toEqual({ prompts: ["first"], userPromptId: "p3" });
  expect(await readAsked(files, undefined, "p3")).toEqual({ prompts: [], userPromptId: "p3" });
  await rm(folder, { recursive: true });
});
