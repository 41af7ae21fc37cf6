import { describe, expect, test } from "bun:test";
import type { StreamEvent } from "../../../../src/claude/stream.ts";
import { createView, openLoopScreen } from "../../../../src/supervisor/loop/engine.ts";
import { NOT_LOOKED } from "../../../../src/supervisor/review/review.ts";
import type { Env } from "../../../../src/world.ts";
import { fakeWorld } from "../../fakes.ts";
import { testKeyboard } from "../../terminal/keyboard.ts";

describe("loop screen", () => {
  /** A loop's screen where these are terminals, and how it listens to the user. */
  function opened(terminals: readonly number[], env: Env = {}) {
    const heard: string[] = [];
    const keyboard = testKeyboard();
    const { world, said } = fakeWorld({
      env,
      isTerminal: (fd) => terminals.includes(fd),
      typing: () => {
        heard.push("lines");
        return { take: () => [], next: async () => undefined, stop: () => "" };
      },
      keyboard: (listener) => {
        heard.push("keys");
        return keyboard.open(listener);
      },
    });
    const screen = openLoopScreen(world, (text) => text.replaceAll("key-1", "***"));
    return { ...screen, heard, said, type: keyboard.type };
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

  test("what is typed is queued, and shown as such", async () => {
    const { type, typing, said } = opened([0, 2]);
    await type("and the docs\r");
    expect(said.stderr).toContain("queued: and the docs\n");
    expect(typing?.take()).toEqual(["and the docs"]);
  });

  test("nothing is printed with a key or a control character", () => {
    const { footer, said } = opened([]);
    footer.print("key-1 \u001b[2J");
    expect(said.stderr).toStartWith("*** ");
    expect(said.stderr).not.toContain("\u001b");
  });
});

describe("view", () => {
  function watch(isAnimated: boolean) {
    const printed: string[] = [];
    const started: unknown[] = [];
    const footer = {
      isAnimated,
      edit: () => {},
      redraw: () => {},
      hide: () => {},
      stop: () => {},
      start: (what: string, end?: Date) => started.push([what, end]),
      print: (text: string) => printed.push(text),
    };
    return { view: createView(footer, 10, (text) => text.replaceAll("key-1", "***")), printed, started };
  }

  describe("a loop shows", () => {
    const text = (said: string, ...tools: [name: string, what: string][]): StreamEvent => ({
      kind: "text",
      text: said,
      tools: tools.map(([name, what]) => ({ id: "", name, what })),
      usage: undefined,
    });
    const table: [what: string, event: StreamEvent, lines: string[]][] = [
      ["what the agent says", text(" hello\n"), ["hello"]],
      ["its tools, by their first line", text("", ["Bash", "npm test\nnpm run x"]), ["→ Bash: npm test"]],
      ["a tool without an argument", text("", ["TodoWrite", ""]), ["→ TodoWrite"]],
      ["both", text("first", ["Read", "a.ts"]), ["first", "→ Read: a.ts"]],
      ["no key", text("", ["Bash", "curl key-1"]), ["→ Bash: curl ***"]],
      ["a line of 120 letters", text("", ["Bash", "x".repeat(120)]), [`→ Bash: ${"x".repeat(120)}`]],
      ["not more of it", text("", ["Bash", "x".repeat(121)]), [`→ Bash: ${"x".repeat(120)}…`]],
      [
        "an error of the API",
        { kind: "retry", status: 529, attempt: 1, most: 2 },
        ["… API error (HTTP 529); claude is retrying"],
      ],
      [
        "a server that does not answer",
        { kind: "retry", status: undefined, attempt: 1, most: 2 },
        ["… API error; claude is retrying"],
      ],
      ["nothing else", { kind: "other" }, []],
    ];
    test.each(table)("%s", (_, event, lines) => {
      const { view, printed } = watch(true);
      view.event(event);
      expect(printed).toEqual(lines);
    });

    test("a verdict, with the feedback below it if the agent has to continue", () => {
      const { view, printed } = watch(true);
      view.outcome({ kind: "rework", round: 1, feedback: "a\nb", criteria: [], ...NOT_LOOKED });
      view.outcome({ kind: "done", rounds: 2, feedback: "fine", criteria: [], ...NOT_LOOKED });
      expect(printed).toEqual(["Review 1 of 10: not done", "  a\n  b", "Review 2 of 10: done. fine"]);
    });
  });

  describe("a loop that waits says so", () => {
    const wait = { isResetKnown: true, until: 1_000, left: 60 };
    test("once above, and then in the footer", () => {
      const { view, printed, started } = watch(true);
      view.waiting(wait, true);
      const shown = [["waiting for the usage limit to reset", new Date(1_000_000)]];
      expect(started).toEqual(shown);
      view.waiting(wait, false);
      expect(printed).toEqual([expect.stringMatching(/^… waiting for the usage limit to reset: .*, in /)]);
      expect(started).toEqual(shown);
    });
    test("repeatedly, where there is no footer", () => {
      const { view, printed } = watch(false);
      view.waiting({ ...wait, isResetKnown: false }, true);
      view.waiting({ ...wait, isResetKnown: false }, false);
      expect(printed.map((line) => line.split(":")[0])).toEqual(Array(2).fill("… waiting before the next attempt"));
    });
  });
});
