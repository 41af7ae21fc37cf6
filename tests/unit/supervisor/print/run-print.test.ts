import { describe, expect, test } from "bun:test";
import type { ProgramEnd } from "../../../../src/world.ts";
import { type MemorySession, SESSION, startSession, verdict } from "../session-in-memory.ts";

const print = (during: (session: MemorySession) => Promise<Partial<ProgramEnd> | undefined>) =>
  startSession({ argv: ["--supervisor", "glm", "-p", "do it"], env: { CLAUDE_CODE_ENTRYPOINT: "sdk-cli" }, during });

describe("a supervised -p", () => {
  test("ends with 0 when a review says done, and leaves no notes behind", async () => {
    const { exitCode, stderr, files } = await print(async ({ start, prompt, stop }) => {
      expect((await start()).answer).toEqual({});
      await prompt("do it");
      await stop(verdict(false, "no"));
      await stop(verdict(true, "fine"), { stop_hook_active: true });
    });
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining("Done after 2 reviews. fine")]);
    expect(Object.keys(files.content).filter((path) => path.includes("notes"))).toEqual([]);
  });

  test("ends with 4 when the review failed, and says how to go on", async () => {
    const { exitCode, stderr } = await print(async ({ start, prompt, stop }) => {
      await start();
      await prompt("do it");
      await stop({ exitCode: 1 });
    });
    expect(exitCode).toBe(4);
    expect(stderr).toContain(`to go on: ccc --supervisor glm --resume ${SESSION}`);
  });

  test("ends with 3 when claude gives up before it is done", async () => {
    const { exitCode, stderr } = await print(async ({ start, prompt, stop }) => {
      await start();
      await prompt("do it");
      await stop(verdict(false, "no"));
    });
    expect([exitCode, stderr]).toEqual([3, expect.stringContaining("NOT done: Claude Code ended before")]);
  });

  test("ends like claude, if that failed", async () =>
    expect((await print(async () => ({ exitCode: 9 }))).exitCode).toBe(9));

  test("ends with 4 when no hook ran", async () => {
    const { exitCode, stderr } = await print(async () => {});
    expect([exitCode, stderr]).toEqual([4, expect.stringContaining("Claude Code ran none of ccc's hooks")]);
  });
});
