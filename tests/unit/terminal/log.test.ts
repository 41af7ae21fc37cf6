import { describe, expect, test } from "bun:test";
import { createLog, terminalColumns } from "../../../src/terminal/log.ts";
import { fakeWorld } from "../fakes.ts";

describe("columns", () => {
  test("a line is as wide as the terminal, or has 80 columns if there is none", () => {
    expect(terminalColumns(1)).toBe(process.stdout.columns || 80);
  });
});

describe("log", () => {
  describe("messages of ccc", () => {
    test("go to stderr, begin with ccc, and only a warning has a label", () => {
      const { world, said } = fakeWorld();
      const log = createLog(world);
      log.info("it was added");
      log.warn("it is empty");
      log.error("it is missing\nAdd it: ccc provider add");
      expect(said).toEqual({
        stdout: "",
        stderr: "ccc: it was added\nccc: warning: it is empty\nccc: it is missing\nAdd it: ccc provider add\n",
      });
    });

    test("are wrapped between words on a terminal, and nowhere else", () => {
      const message = "one two three four five six seven";
      const { world, said } = fakeWorld({ isTerminal: () => true, columns: () => 20 });
      createLog(world).info(message);
      expect(said.stderr).toBe("ccc: one two three\n  four five six\n  seven\n");
      const piped = fakeWorld({ isTerminal: (fd) => fd === 2, columns: () => 20 });
      createLog(piped.world).info(message);
      expect(piped.said.stderr).toBe(`ccc: ${message}\n`);
    });
  });
});
