import { describe, expect, test } from "bun:test";
import { openLoopScreen } from "../../../../src/supervisor/loop/loop-screen.ts";
import type { KeyboardListener } from "../../../../src/terminal/keyboard.ts";
import type { Env } from "../../../../src/world.ts";
import { fakeWorld } from "../../fakes.ts";

/** A loop's screen where these are terminals, and how it listens to the user. */
function opened(terminals: readonly number[], env: Env = {}) {
  const heard: string[] = [];
  let keyboard: KeyboardListener | undefined;
  const { world, said } = fakeWorld({
    env,
    isTerminal: (fd) => terminals.includes(fd),
    typing: () => {
      heard.push("lines");
      return { take: () => [], next: async () => undefined, stop: () => "" };
    },
    keyboard: (listener) => {
      heard.push("keys");
      keyboard = listener;
      return { signal: () => {}, close: () => {} };
    },
  });
  const screen = openLoopScreen(world, (text) => text.replaceAll("key-1", "***"));
  return { ...screen, heard, said, type: (text: string) => keyboard?.onBytes(new TextEncoder().encode(text)) };
}

describe("a loop listens", () => {
  const table: [where: string, terminals: number[], env: Env, heard: string[]][] = [
    ["to every key, at a terminal", [0, 1, 2], {}, ["keys"]],
    ["to lines, at a terminal that can only print", [0, 1, 2], { TERM: "dumb" }, ["lines"]],
    ["to lines, if stderr is elsewhere", [0, 1], {}, ["lines"]],
    ["to nobody, if stdin is a pipe: that is the task", [1, 2], {}, []],
    ["to nobody without a terminal", [], {}, []],
  ];
  test.each(table)("%s", (_, terminals, env, heard) => {
    const screen = opened(terminals, env);
    expect(screen.heard).toEqual(heard);
    expect(screen.typing === undefined).toBe(heard.length === 0);
  });
});

test("what is typed is queued, and shown as such", () => {
  const { type, typing, said } = opened([0, 2]);
  type("and the docs\r");
  expect(said.stderr).toContain("queued: and the docs\n");
  expect(typing?.take()).toEqual(["and the docs"]);
});

test("nothing is printed with a key or a control character", () => {
  const { footer, said } = opened([]);
  footer.print("key-1 \u001b[2J");
  expect(said.stderr).toStartWith("*** ");
  expect(said.stderr).not.toContain("\u001b");
});
