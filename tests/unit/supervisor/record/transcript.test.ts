import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  awaitTranscript,
  readLastAnswer,
  readSessionFacts,
  readTranscript,
  readTranscriptEnd,
} from "../../../../src/supervisor/record/transcript.ts";

describe("a transcript", () => {
  const folder = mkdtempSync(join(tmpdir(), "ccc-test-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  let count = 0;
  function transcript(...lines: readonly (object | string)[]): string {
    const path = join(folder, `${count++}.jsonl`);
    writeFileSync(path, lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join(""));
    return path;
  }
  const user = (promptId: string) => ({
    type: "user",
    promptId,
    uuid: promptId,
    message: { content: `do ${promptId}` },
  });
  const says = (text: string) => ({
    type: "assistant",
    timestamp: "t",
    message: { model: "m", content: [{ type: "text", text }], stop_reason: "end_turn" },
  });
  const MEGABYTE = JSON.stringify({ type: "attachment", text: "x".repeat(1_000_000) });

  test("the facts of a session include a prompt from before the last 64 MB", async () => {
    const path = transcript(user("p1"), ...Array.from({ length: 65 }, () => MEGABYTE), says("done"));
    const { prompts, hasAnswer } = await readSessionFacts(path);
    expect([prompts.map(({ text }) => text), hasAnswer]).toEqual([["do p1"], true]);
    rmSync(path);
  });

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

  test("the last answer has its prompt, even if that is far above it", async () => {
    const path = transcript(user("p0"), says("x"), user("p1"), MEGABYTE, says("bye"));
    expect(await readLastAnswer(path)).toMatchObject({ prompt: "do p1", promptId: "p1" });
  });

  describe("waiting for what Claude Code writes after an event", () => {
    /** The lines of a transcript once it has that many, and how often it was read. */
    async function linesOf(path: string, wanted: number) {
      let reads = 0;
      const read = async () => {
        reads++;
        let lines = 0;
        await readTranscript(path, () => void lines++);
        return lines;
      };
      return { lines: await awaitTranscript(path, read, (lines) => lines >= wanted), reads: () => reads };
    }
    const HALF_A_SECOND = 500;

    test("ends at once if it is there", async () => {
      const { lines, reads } = await linesOf(transcript("one", "two"), 2);
      expect([lines, reads()]).toEqual([2, 1]);
    });
    test("ends when it is there, even if the file did not exist, and reads only what has grown", async () => {
      const path = join(folder, "late.jsonl");
      const found = linesOf(path, 2);
      await Bun.sleep(120);
      writeFileSync(path, "one\ntwo\n");
      const { lines, reads } = await found;
      expect([lines, reads()]).toEqual([2, 2]);
    });
    test("ends after a second with what is there", async () => {
      const startedAt = performance.now();
      const { lines, reads } = await linesOf(transcript("one"), 2);
      expect([lines, reads()]).toEqual([1, 1]);
      expect(performance.now() - startedAt).toBeGreaterThan(HALF_A_SECOND);
    });
    test.each(["folder", "pipe"])("ends at once for a %s, which never becomes a file", async (kind) => {
      const startedAt = performance.now();
      expect((await linesOf(kind === "pipe" ? join(folder, "pipe") : folder, 1)).lines).toBe(0);
      expect(performance.now() - startedAt).toBeLessThan(HALF_A_SECOND);
    });
  });
});
