import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  readLastAnswer,
  readTranscript,
  readTranscriptEnd,
} from "../../../../src/supervisor/record/read-transcript.ts";
import { toolsUsed } from "../../../../src/supervisor/record/tools-used.ts";
import { sessionEvidence } from "../../../../src/supervisor/review/session-evidence.ts";

const folder = mkdtempSync(join(tmpdir(), "ccc-test-"));
afterAll(() => rmSync(folder, { recursive: true }));

let count = 0;
function transcript(...lines: readonly (object | string)[]): string {
  const path = join(folder, `${count++}.jsonl`);
  writeFileSync(path, lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join(""));
  return path;
}
const user = (promptId: string, content: unknown = `do ${promptId}`) => ({
  ...{ type: "user", promptId, uuid: promptId, message: { content } },
});
const agent = (content: object, stop_reason = "end_turn") => ({
  ...{ type: "assistant", timestamp: "t", message: { model: "m", content: [content], stop_reason } },
});
const says = (text: string) => agent({ type: "text", text });
const call = (id: string) => agent({ type: "tool_use", id, name: "Write", input: { file_path: "x" } }, "tool_use");
const MEGABYTE = JSON.stringify({ type: "attachment", text: "x".repeat(1_000_000) });

describe("the end of a long transcript", () => {
  const read = (path: string, enough: number) =>
    readTranscriptEnd(
      path,
      () => {
        let lines = 0;
        return { add: () => void lines++, lines: () => lines };
      },
      ({ lines }) => lines() >= enough,
      [2_500_000, 4_500_000, 6_500_000],
    );
  const pipe = join(folder, "pipe");
  Bun.spawnSync(["mkfifo", pipe]);
  const ten = transcript(...Array.from({ length: 10 }, () => MEGABYTE));
  const table: [name: string, path: string, enough: number, lines: number, isWhole: boolean][] = [
    ["no more than is enough", ten, 3, 3, false],
    ["further back until it is enough", ten, 4, 5, false],
    ["never more than the last step", ten, 100, 7, false],
    ["all of a short one", transcript("{}", "{}"), 100, 2, true],
    ["nothing of one that is missing", join(folder, "none"), 1, 0, true],
    ["nothing of a folder", folder, 1, 0, true],
    ["nothing of a pipe, without waiting for somebody to write to it", pipe, 1, 0, true],
  ];
  for (const [name, path, enough, lines, isWhole] of table)
    test(name, async () => {
      const found = await read(path, enough);
      expect([found.reader.lines(), found.isWhole]).toEqual([lines, isWhole]);
    });
});

test.each<[most: number, isWhole: boolean]>([
  [9, true],
  [8, true],
  [7, false],
])("a transcript of eight bytes, of which %i are read, is known in whole: %p", async (most, isWhole) => {
  const lines: string[] = [];
  expect(await readTranscript(transcript("one", "two"), (line) => lines.push(line), most)).toBe(isWhole);
  expect(lines.at(-1)).toBe("two");
});

describe("whether a tool was used, far from the end", () => {
  const turns = { since: "p1", current: "p1", lastMessage: "bye" };
  test("a message that was typed meanwhile is not the beginning of the turn", async () => {
    const path = transcript(user("p0"), user("p1"), call("c"), MEGABYTE, MEGABYTE, user("p1", "hurry"), says("bye"));
    expect(await toolsUsed(path, turns)).toBe(true);
  });
  test("what came before the turn does not count", async () => {
    const path = transcript(user("p0"), call("c"), MEGABYTE, user("p0"), user("p1"), says("bye"));
    expect(await toolsUsed(path, turns)).toBe(false);
  });
});

describe("whether a tool was used, while the transcript does not say", () => {
  const turns = { since: "p1", current: "p1", lastMessage: "bye" };
  test("waits for what is written after the event", async () => {
    const path = join(folder, "late.jsonl");
    const used = toolsUsed(path, turns);
    // A look of its own, so that the first one is over.
    await readTranscript(path, () => {});
    writeFileSync(path, [user("p1"), says("bye")].map((line) => `${JSON.stringify(line)}\n`).join(""));
    expect(await used).toBe(false);
  });
  test("is unknown after a second", async () => expect(await toolsUsed(transcript(user("p1")), turns)).toBeUndefined());
});

test("what was done since the user's last prompt is found, however far back that is, and what is missing is known", async () => {
  const path = transcript(user("p0"), call("a"), MEGABYTE, user("p1"), call("b"), MEGABYTE, MEGABYTE, says("bye"));
  const { steps, isPartial, lastMessage } = await sessionEvidence({
    ...{ project: "/p", transcript: path, lastMessage: undefined },
  });
  expect([steps.map(({ kind }) => kind), isPartial, lastMessage]).toEqual([
    ["prompt", "tool", "prompt", "tool"],
    false,
    "bye",
  ]);
  const many = Array.from({ length: 50 }, (_, index) => call(`${index}`));
  const long = transcript(user("p0"), call("a"), MEGABYTE, user("p1"), ...many, says("bye"));
  const end = await sessionEvidence({ project: "/p", transcript: long, lastMessage: undefined });
  expect([end.steps.length, end.isPartial]).toEqual([51, true]);
});

test("the last answer has its prompt, even if that is far above it", async () => {
  const path = transcript(user("p0"), says("x"), user("p1"), MEGABYTE, says("bye"));
  expect(await readLastAnswer(path)).toMatchObject({ prompt: "do p1", promptId: "p1" });
});
