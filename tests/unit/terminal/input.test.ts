import { describe, expect, test } from "bun:test";
import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";
import { Terminal } from "@xterm/headless";
import fc from "fast-check";
import { createFooter } from "../../../src/terminal/footer.ts";
import {
  EMPTY_LINE,
  edit,
  type Key,
  type KeyboardListener,
  type KeyName,
  keyReader,
  listenToTyping,
  openInputLine,
  openKeyboard,
} from "../../../src/terminal/input.ts";

describe("input line", () => {
  /** An input line on a small terminal. */
  function inputLine({ cols = 30, isAnimated = true } = {}) {
    const terminal = new Terminal({ cols, rows: 6, convertEol: true, allowProposedApi: true });
    let now = 0;
    let listener: KeyboardListener | undefined;
    const signals: string[] = [];
    const sent: string[] = [];
    let isClosed = false;
    const footer = createFooter({
      write: (text) => terminal.write(text),
      isAnimated,
      columns: () => terminal.cols,
      now: () => new Date(now),
    });
    const typing = openInputLine({
      footer,
      keyboard: (given) => {
        listener = given;
        return {
          signal: (signal) => signals.push(signal),
          close: () => {
            isClosed = true;
          },
        };
      },
      onMessage: (message) => {
        sent.push(message);
        footer.print(`queued: ${message}`);
      },
    });
    return {
      ...{ footer, typing, sent, signals, terminal },
      isClosed: () => isClosed,
      keyboard: () => listener,
      wait: (seconds: number) => {
        now += seconds * 1000;
      },
      type: (text: string) => listener?.onBytes(new TextEncoder().encode(text)),
      /** The rows on the screen, without empty ones, and the column of the cursor. */
      screen: async () => {
        await new Promise<void>((resolve) => terminal.write("", resolve));
        const { active } = terminal.buffer;
        const rows = Array.from(
          { length: active.length },
          (_, row) => active.getLine(row)?.translateToString(true) ?? "",
        );
        return { rows: rows.filter((row) => row !== ""), cursor: active.cursorX };
      },
    };
  }

  const HINT = "> type a message; Enter queu…";

  describe("an input line", () => {
    test("stays whole below the output, with the cursor behind it", async () => {
      const { footer, type, screen, wait } = inputLine();
      footer.start("the agent is working");
      expect((await screen()).rows).toEqual(["⠋ the agent is working 0 s", HINT]);
      type("先写测试");
      for (const line of ["one", "two", "a line that is longer than the terminal", "three", "four"]) footer.print(line);
      wait(12);
      type("e\u0301");
      expect(await screen()).toEqual({
        rows: expect.arrayContaining(["three", "four", "⠋ the agent is working 12 s", "> 先写测试e\u0301"]),
        cursor: 11,
      });
      expect((await screen()).rows.slice(-2)).toEqual(["⠋ the agent is working 12 s", "> 先写测试e\u0301"]);
    });

    test("scrolls sideways instead of wrapping, and draws nothing twice", async () => {
      const { footer, type, screen } = inputLine();
      footer.start("working");
      footer.print("output");
      type("一二三四五六七八九十一二三四五六七八九十");
      type("x");
      expect((await screen()).rows).toEqual(["output", "⠋ working 0 s", "> …九十一二三四五六七八九十x"]);
    });

    test("Enter queues a message, which is shown as queued until the agent gets it", async () => {
      const { footer, typing, type, sent, screen } = inputLine({ cols: 60 });
      footer.start("working");
      type("one\r");
      type("\u001b[200~two\nlines\u001b[201~");
      expect((await screen()).rows.slice(-2)).toEqual(["⠋ working 0 s · 1 message queued", "> two↵lines"]);
      type(" \r");
      type("   \r");
      expect(sent).toEqual(["one", "two\nlines"]);
      expect((await screen()).rows.slice(-2)[0]).toBe("⠋ working 0 s · 2 messages queued");
      expect(typing.take()).toEqual(["one", "two\nlines"]);
      expect((await screen()).rows.slice(-2)[0]).toBe("⠋ working 0 s");
      expect(typing.take()).toEqual([]);
    });

    test("asks a question, and its answer is not a message", async () => {
      const { typing, type, sent, screen } = inputLine();
      const answer = typing.next("Task: ");
      type("\r");
      type("修复 it");
      expect(await screen()).toEqual({ rows: ["Task: 修复 it"], cursor: 13 });
      type("\r");
      expect(await answer).toBe("修复 it");
      expect(sent).toEqual([]);
      expect((await screen()).rows).toEqual(["Task: 修复 it", HINT]);
    });

    test("Ctrl-D answers a question with nothing, and is ignored in a line", async () => {
      const { typing, type } = inputLine();
      const given = typing.next("Task: ");
      type("a\u0004\r");
      expect(await given).toBe("a");
      const answer = typing.next("Task: ");
      type("a\u007f\u0004");
      expect(await answer).toBeUndefined();
      type("b\u0004");
      expect(typing.stop()).toBe("b");
    });

    test("Ctrl-C and Ctrl-Z are signals, and keep what is typed", async () => {
      const { type, signals, screen } = inputLine();
      type("abc\u0003\u001a");
      expect(signals).toEqual(["SIGINT", "SIGTSTP"]);
      expect((await screen()).rows).toEqual(["> abc"]);
    });

    test("disappears while ccc is suspended, and comes back", async () => {
      const { type, keyboard, screen } = inputLine();
      type("abc");
      keyboard()?.onSuspend();
      expect(await screen()).toEqual({ rows: [], cursor: 0 });
      keyboard()?.onRedraw();
      expect((await screen()).rows).toEqual(["> abc"]);
    });

    test("is redrawn after a resize, and leaves nothing behind", async () => {
      const { footer, type, keyboard, terminal, screen } = inputLine({ cols: 40 });
      footer.start("the agent is working");
      footer.print("output");
      type("abcdefghijklmnopqrstuvwxyz0123456789");
      await screen();
      terminal.resize(20, 6);
      keyboard()?.onRedraw();
      expect((await screen()).rows).toEqual(["output", "⠋ the agent is… 0 s", "> …vwxyz0123456789"]);
    });

    test("restores the terminal, and says what was not sent", async () => {
      const { footer, typing, type, isClosed, screen } = inputLine();
      footer.start("working");
      footer.print("output");
      type("half a sent");
      expect(typing.stop()).toBe("half a sent");
      footer.stop();
      expect(isClosed()).toBeTrue();
      expect(await screen()).toEqual({ rows: ["output"], cursor: 0 });
    });
  });

  test("the activity fits into a row, with its time and without control characters", async () => {
    const { footer, typing, screen } = inputLine();
    typing.stop();
    footer.start("glm is reviewing: Bash: cat\u001b[2J a\nb | grep something");
    expect((await screen()).rows).toEqual(["⠋ glm is reviewing: Bash… 0 s"]);
    footer.stop();
  });

  test("where only lines can be printed, there is nothing but lines", async () => {
    const { footer, screen } = inputLine({ isAnimated: false });
    footer.start("working");
    footer.print("output");
    footer.stop();
    expect((await screen()).rows).toEqual(["output"]);
  });
});

describe("keyboard", () => {
  /** A keyboard in a process that only lists what happens to it. */
  function keyboard(platform: NodeJS.Platform) {
    const events: string[] = [];
    const list = (event: string) => () => {
      events.push(event);
    };
    const stdin = Object.assign(new EventEmitter(), {
      setRawMode: (isRaw: boolean) => events.push(isRaw ? "raw" : "usual"),
      pause: list("pause"),
      unref: () => {},
    });
    const host = Object.assign(new EventEmitter(), {
      ...{ stdin, platform, pid: 42 },
      kill: (pid: number, signal: string) => {
        // What is still listened to does not suspend ccc, but calls its own handler again.
        events.push(`${host.listenerCount(signal) > 0 ? "own " : ""}${signal} to ${pid}`);
      },
    });
    const opened = openKeyboard(
      host as unknown as NodeJS.Process,
      (text) => events.push(text === MARKED ? "marked pastes" : "unmarked pastes"),
      {
        onBytes: (bytes) => events.push(new TextDecoder().decode(bytes)),
        onEnd: list("end of input"),
        onSuspend: list("hidden"),
        onRedraw: list("redrawn"),
      },
    );
    return { opened, host, stdin, happened: () => events.splice(0) };
  }

  const MARKED = "\u001b[?2004h";
  const TAKEN = ["raw", "marked pastes"];
  const GIVEN_BACK = ["usual", "unmarked pastes"];

  describe.each(["linux", "win32"] as const)("on %s", (platform) => {
    test("the terminal is in raw mode until it is given back, and then nothing is read any more", () => {
      const { opened, host, stdin, happened } = keyboard(platform);
      expect(happened()).toEqual(TAKEN);
      stdin.emit("data", Buffer.from("a"));
      stdin.emit("error", new Error("EIO"));
      expect(happened()).toEqual(["a"]);
      opened.close();
      expect(happened()).toEqual([...GIVEN_BACK, "pause"]);
      stdin.emit("data", Buffer.from("b"));
      for (const event of ["exit", "SIGTSTP", "SIGCONT", "SIGWINCH"]) host.emit(event);
      expect(happened()).toEqual([]);
    });

    test("it is given back if ccc ends", () => {
      const { host, happened } = keyboard(platform);
      happened();
      host.emit("exit");
      expect(happened()).toEqual(GIVEN_BACK);
    });
  });

  describe("Ctrl-C and Ctrl-Z", () => {
    test("are signals for the whole process group", () => {
      const { opened, happened } = keyboard("linux");
      happened();
      opened.signal("SIGINT");
      opened.signal("SIGTSTP");
      expect(happened()).toEqual(["SIGINT to 0", "own SIGTSTP to 0"]);
    });

    test("on Windows, which has no such signals, Ctrl-C is one for ccc alone, and Ctrl-Z does nothing", () => {
      const { opened, host, happened } = keyboard("win32");
      happened();
      const heard: string[] = [];
      for (const signal of ["SIGINT", "SIGTSTP"]) host.on(signal, () => heard.push(signal));
      opened.signal("SIGINT");
      opened.signal("SIGTSTP");
      expect([heard, happened()]).toEqual([["SIGINT"], []]);
    });
  });

  test("while ccc is suspended, the terminal is the shell's", () => {
    const { host, happened } = keyboard("linux");
    happened();
    host.emit("SIGTSTP");
    expect(happened()).toEqual(["hidden", ...GIVEN_BACK, "SIGTSTP to 42", ...TAKEN, "redrawn"]);
    host.emit("SIGCONT");
    expect(happened()).toEqual([...TAKEN, "redrawn"]);
  });

  test("a resize draws again", () => {
    const { host, happened } = keyboard("linux");
    happened();
    host.emit("SIGWINCH");
    expect(happened()).toEqual(["redrawn"]);
  });
});

describe("keys", () => {
  const bytes = (text: string) => new TextEncoder().encode(text);
  /** Keys as words, text as it is. */
  const read = (...chunks: string[]) => {
    const reader = keyReader();
    return chunks.flatMap((chunk) => reader(bytes(chunk))).map((key) => (key.kind === "text" ? key : key.kind));
  };
  const text = (value: string) => ({ kind: "text", text: value }) as const;

  const TABLE: [name: string, chunks: string[], keys: unknown[]][] = [
    ["text", ["héllo 中文 👍🏽"], [text("héllo 中文 👍🏽")]],
    ["text and Enter", ["a\r"], [text("a"), "enter"]],
    ["Enter as a line feed", ["\n"], ["enter"]],
    [
      "editing keys",
      ["\u007f\b\u0015\u0017\u000b\u0001\u0005"],
      ["backspace", "backspace", "erase-before", "erase-word", "erase-after", "home", "end"],
    ],
    [
      "Ctrl-C, Ctrl-D, Ctrl-Z, Ctrl-L",
      ["\u0003\u0004\u001a\u000c"],
      ["interrupt", "end-of-input", "suspend", "redraw"],
    ],
    ["arrows in both keypad modes", ["\u001b[D\u001b[C\u001bOD\u001bOC"], ["left", "right", "left", "right"]],
    ["Shift and an arrow", ["\u001b[1;2D"], ["left"]],
    [
      "Ctrl or Alt and an arrow",
      ["\u001b[1;5D\u001b[1;3C\u001bb\u001bf"],
      ["word-left", "word-right", "word-left", "word-right"],
    ],
    ["Home, End, Delete", ["\u001b[H\u001b[F\u001b[1~\u001b[4~\u001b[3~"], ["home", "end", "home", "end", "delete"]],
    ["Alt and Enter begins a line", ["\u001b\r"], [text("\n")]],
    ["keys that edit nothing", ["\u001b[A\u001b[B\u001b[15~\u001b[Z\u001bx\u0000\u0007"], []],
    ["a sequence in two chunks", ["\u001b[", "D", "\u001b", "[C"], ["left", "right"]],
    ["Escape, then text", ["\u001b", "OK"], [text("OK")]],
    [
      "a marked paste of several lines",
      ["\u001b[200~one\rtwo\r\nthree\n\u001b[201~\r"],
      [text("one\ntwo\nthree\n"), "enter"],
    ],
    [
      "a marked paste in chunks",
      ["\u001b[20", "0~one\r", "two\u001b[2", "01~", "x"],
      [text("one\n"), text("two"), text("x")],
    ],
    ["a marked paste that is cut in its first byte", ["\u001b[200~one\u001b", "[201~x"], [text("one"), text("x")]],
    ["control characters in a paste", ["\u001b[200~a\u0003\u001b[31mb\tc\u001b[201~"], [text("a[31mb\tc")]],
    ["an unmarked paste of several lines", ["one\rtwo\r"], [text("one\ntwo"), "enter"]],
  ];

  describe("keyReader", () => {
    for (const [name, chunks, keys] of TABLE) test(name, () => expect(read(...chunks)).toEqual(keys as never));

    test("a character whose bytes arrive one by one", () => {
      const reader = keyReader();
      expect([...bytes("中")].flatMap((byte) => reader(Uint8Array.of(byte)))).toEqual([text("中")]);
    });

    test("text has no control characters except tab and line break", () => {
      fc.assert(
        fc.property(fc.array(fc.string({ unit: "binary" })), (chunks) => {
          for (const key of read(...chunks)) {
            if (typeof key !== "string") expect(key.text).not.toMatch(/[^\P{Cc}\n\t]/u);
          }
        }),
      );
    });
  });
});

describe("line editor", () => {
  /** Text is typed; a word in an object is a key. The result has | where the cursor is. */
  function after(...keys: (string | { readonly press: KeyName })[]): string {
    const line = keys
      .map((key): Key => (typeof key === "string" ? { kind: "text", text: key } : { kind: key.press }))
      .reduce(edit, EMPTY_LINE);
    return `${line.before}|${line.after}`;
  }
  const press = (key: KeyName) => ({ press: key });
  const BACKSPACE = press("backspace");

  const TABLE: [name: string, result: string, expected: string][] = [
    ["typing", after("ab", "c"), "abc|"],
    ["Backspace", after("ab", BACKSPACE), "a|"],
    ["Backspace on an empty line", after(BACKSPACE), "|"],
    ["Backspace over a Chinese character", after("中文", BACKSPACE), "中|"],
    ["Backspace over an emoji of several code points", after("a👨‍👩‍👧👍🏽", BACKSPACE, BACKSPACE), "a|"],
    ["Backspace over a flag", after("🇩🇪🇫🇷", BACKSPACE), "🇩🇪|"],
    ["Backspace over a letter with a combining accent", after("xe\u0301", BACKSPACE), "x|"],
    ["left, then typing", after("中文", press("left"), "x"), "中x|文"],
    ["left and right at the ends", after("a", press("right"), press("left"), press("left"), press("left")), "|a"],
    ["right over an emoji", after("👨‍👩‍👧b", press("home"), press("right")), "👨‍👩‍👧|b"],
    ["Delete", after("👍🏽b", press("home"), press("delete")), "|b"],
    ["Home and End", after("ab", press("home"), "x", press("end"), "y"), "xaby|"],
    ["Ctrl-U erases what is before the cursor", after("ab", press("left"), press("erase-before")), "|b"],
    ["Ctrl-K erases what is after it", after("ab", press("left"), press("erase-after")), "a|"],
    ["Ctrl-W erases a word and the spaces after it", after("one 中文  ", press("erase-word")), "one |"],
    ["Ctrl-W on an empty line", after(press("erase-word")), "|"],
    ["by words", after("one two", press("word-left"), press("word-left"), press("word-right")), "one| two"],
    ["a paste of several lines", after("a\nb", BACKSPACE, BACKSPACE), "a|"],
    ["keys that edit nothing", after("a", press("redraw"), press("suspend")), "a|"],
  ];

  describe("edit", () => {
    for (const [name, result, expected] of TABLE) test(name, () => expect(result).toBe(expected));

    test("a line has a maximum length", () => {
      const { before } = edit(edit(EMPTY_LINE, { kind: "text", text: "x".repeat(2_000_000) }), {
        kind: "text",
        text: "y",
      });
      expect(before).toHaveLength(1_000_000);
    });
  });
});

describe("typing", () => {
  /** A terminal in line mode: the user types whole lines. */
  function terminal() {
    const stdin = Object.assign(new PassThrough(), { unref: () => {} });
    const asked: string[] = [];
    const sent: string[] = [];
    const typing = listenToTyping(
      stdin as unknown as NodeJS.Process["stdin"],
      (text) => asked.push(text),
      (line) => sent.push(line),
    );
    return { typing, asked, sent, stdin, type: (text: string) => stdin.emit("data", Buffer.from(text)) };
  }

  test("each line is a message, and empty ones are none", () => {
    const { typing, type, sent } = terminal();
    type("  one \n");
    type("\n");
    type("two, in ");
    type("parts\n");
    expect(sent).toEqual(["one", "two, in parts"]);
    expect(typing.take()).toEqual(["one", "two, in parts"]);
    expect(typing.take()).toEqual([]);
  });

  test("lines that arrive at once were pasted: they are one message", () => {
    const { typing, type } = terminal();
    type("one\n\ntwo\n");
    expect(typing.take()).toEqual(["one\ntwo"]);
  });

  test("the answer to a question is not a message", async () => {
    const { typing, type, asked, sent } = terminal();
    const answer = typing.next("Task: ");
    type("\n");
    type("fix it\n");
    expect(await answer).toBe("fix it");
    expect([asked, sent, typing.take()]).toEqual([["Task: "], [], []]);
  });

  test("what was typed before the question answers it", async () => {
    const { typing, type } = terminal();
    type("fix it\n");
    expect(await typing.next("Task: ")).toBe("fix it");
    expect(typing.take()).toEqual([]);
  });

  test("the end of input answers with nothing", async () => {
    const { typing, stdin } = terminal();
    const answer = typing.next("Task: ");
    stdin.emit("end");
    expect(await answer).toBeUndefined();
  });

  test("what is typed after the end is for the next program", () => {
    const { typing, type, stdin } = terminal();
    expect(typing.stop()).toBe("");
    type("one\n");
    expect(typing.take()).toEqual([]);
    expect(stdin.isPaused()).toBe(true);
  });
});
