import { describe, expect, test } from "bun:test";
import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";
import { Terminal } from "@xterm/headless";
import fc from "fast-check";
import { createFooter } from "../../../src/terminal/footer.ts";
import { listenToTyping, openInputLine, openKeyboard } from "../../../src/terminal/input.ts";
import { testKeyboard } from "./keyboard.ts";

describe("input line", () => {
  /** An input line on a small terminal. */
  function inputLine({ cols = 30, isAnimated = true } = {}) {
    const terminal = new Terminal({ cols, rows: 6, convertEol: true, allowProposedApi: true });
    let now = 0;
    const keyboard = testKeyboard();
    const sent: string[] = [];
    const footer = createFooter({
      env: {},
      stderr: (text) => terminal.write(text),
      isTerminal: () => isAnimated,
      columns: () => terminal.cols,
      now: () => new Date(now),
    });
    const typing = openInputLine({
      footer,
      keyboard: keyboard.open,
      onMessage: (message) => {
        sent.push(message);
        footer.print(`queued: ${message}`);
      },
    });
    return {
      footer,
      typing,
      sent,
      terminal,
      signals: keyboard.signals,
      isClosed: keyboard.isClosed,
      listener: keyboard.listener,
      type: keyboard.type,
      wait: (seconds: number) => {
        now += seconds * 1000;
      },
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
      await type("先写测试");
      for (const line of ["one", "two", "a line that is longer than the terminal", "three", "four"]) footer.print(line);
      wait(12);
      await type("e\u0301");
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
      await type("一二三四五六七八九十一二三四五六七八九十");
      await type("x");
      expect((await screen()).rows).toEqual(["output", "⠋ working 0 s", "> …九十一二三四五六七八九十x"]);
    });

    test("Enter queues a message, which is shown as queued until the agent gets it", async () => {
      const { footer, typing, type, sent, screen } = inputLine({ cols: 60 });
      footer.start("working");
      await type("one\r");
      await type("\u001b[200~two\nlines\u001b[201~");
      expect((await screen()).rows.slice(-2)).toEqual(["⠋ working 0 s · 1 message queued", "> two↵lines"]);
      await type(" \r");
      await type("   \r");
      expect(sent).toEqual(["one", "two\nlines"]);
      expect((await screen()).rows.slice(-2)[0]).toBe("⠋ working 0 s · 2 messages queued");
      expect(typing.take()).toEqual(["one", "two\nlines"]);
      expect((await screen()).rows.slice(-2)[0]).toBe("⠋ working 0 s");
      expect(typing.take()).toEqual([]);
    });

    test("asks a question, and its answer is not a message", async () => {
      const { typing, type, sent, screen } = inputLine();
      const answer = typing.next("Task: ");
      await type("\r");
      await type("修复 it");
      expect(await screen()).toEqual({ rows: ["Task: 修复 it"], cursor: 13 });
      await type("\r");
      expect(await answer).toBe("修复 it");
      expect(sent).toEqual([]);
      expect((await screen()).rows).toEqual(["Task: 修复 it", HINT]);
    });

    test("Ctrl-D answers a question with nothing, and is ignored in a line", async () => {
      const { typing, type } = inputLine();
      const given = typing.next("Task: ");
      await type("a\u0004\r");
      expect(await given).toBe("a");
      const answer = typing.next("Task: ");
      await type("a\u007f\u0004");
      expect(await answer).toBeUndefined();
      await type("b\u0004");
      expect(typing.stop()).toBe("b");
    });

    test("Ctrl-C and Ctrl-Z are signals, and keep what is typed", async () => {
      const { type, signals, screen } = inputLine();
      await type("abc\u0003\u001a");
      expect(signals).toEqual(["SIGINT", "SIGTSTP"]);
      expect((await screen()).rows).toEqual(["> abc"]);
    });

    test("disappears while ccc is suspended, and comes back", async () => {
      const { type, listener, screen } = inputLine();
      await type("abc");
      listener()?.onSuspend();
      expect(await screen()).toEqual({ rows: [], cursor: 0 });
      listener()?.onRedraw();
      expect((await screen()).rows).toEqual(["> abc"]);
    });

    test("is redrawn after a resize, and leaves nothing behind", async () => {
      const { footer, type, listener, terminal, screen } = inputLine({ cols: 40 });
      footer.start("the agent is working");
      footer.print("output");
      await type("abcdefghijklmnopqrstuvwxyz0123456789");
      await screen();
      terminal.resize(20, 6);
      listener()?.onRedraw();
      expect((await screen()).rows).toEqual(["output", "⠋ the agent is… 0 s", "> …vwxyz0123456789"]);
    });

    test("restores the terminal, and says what was not sent", async () => {
      const { footer, typing, type, isClosed, screen } = inputLine();
      footer.start("working");
      footer.print("output");
      await type("half a sent");
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
      stdin,
      platform,
      pid: 42,
      kill: (pid: number, signal: string) => {
        // What is still listened to does not suspend ccc, but calls its own handler again.
        events.push(`${host.listenerCount(signal) > 0 ? "own " : ""}${signal} to ${pid}`);
      },
    });
    const opened = openKeyboard(
      host as unknown as NodeJS.Process,
      (text) => events.push(text === MARKED ? "marked pastes" : "unmarked pastes"),
      {
        onKey: (key) => events.push(key.sequence ?? ""),
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

describe("the line", () => {
  /** The line after what is typed, text by text as it arrives, with | where the cursor is; and the messages sent. */
  async function typed(...texts: (string | Uint8Array)[]) {
    const keyboard = testKeyboard();
    const messages: string[] = [];
    const terminal = { env: {}, stderr: () => {}, isTerminal: () => true, columns: () => 80, now: () => new Date() };
    const footer = createFooter(terminal);
    const typing = openInputLine({ footer, keyboard: keyboard.open, onMessage: (message) => messages.push(message) });
    await keyboard.type(...texts, "|");
    return { line: typing.stop(), messages, signals: keyboard.signals };
  }
  const line = async (...texts: (string | Uint8Array)[]) => (await typed(...texts)).line;

  const [LEFT, RIGHT, HOME, END] = ["\u001b[D", "\u001b[C", "\u001b[H", "\u001b[F"] as const;
  const [BACKSPACE, DELETE, PASTE, PASTED] = ["\u007f", "\u001b[3~", "\u001b[200~", "\u001b[201~"] as const;

  const EDITED: [name: string, texts: string[], expected: string][] = [
    ["typing", ["ab", "c"], "abc|"],
    ["text of any script", ["héllo 中文 👍🏽"], "héllo 中文 👍🏽|"],
    ["a tab", ["a\tb"], "a\tb|"],
    ["Backspace", ["ab", BACKSPACE], "a|"],
    ["Backspace as Ctrl-H", ["ab\b"], "a|"],
    ["Backspace on an empty line", [BACKSPACE], "|"],
    ["Backspace over a Chinese character", ["中文", BACKSPACE], "中|"],
    ["Backspace over an emoji of several code points", [`a👨‍👩‍👧👍🏽${BACKSPACE}${BACKSPACE}`], "a|"],
    ["Backspace over a flag", ["🇩🇪🇫🇷", BACKSPACE], "🇩🇪|"],
    ["Backspace over a letter with a combining accent", ["xe\u0301", BACKSPACE], "x|"],
    ["left, then typing", ["中文", LEFT, "x"], "中x|文"],
    ["left and right at the ends", ["a", RIGHT, LEFT, LEFT, LEFT], "|a"],
    ["right over an emoji", ["👨‍👩‍👧b", HOME, RIGHT], "👨‍👩‍👧|b"],
    ["arrows in the other keypad mode", ["ab\u001bOD\u001bOD\u001bOC"], "a|b"],
    ["Shift and an arrow", ["ab\u001b[1;2D"], "a|b"],
    ["Delete", ["👍🏽b", HOME, DELETE], "|b"],
    ["Delete at the end", ["ab", DELETE], "ab|"],
    ["Home and End", ["ab", HOME, "x", END, "y"], "xaby|"],
    ["Home and End of other terminals", ["ab\u001b[1~x\u001b[4~y\u0001z\u0005"], "zxaby|"],
    ["Ctrl-U erases what is before the cursor", ["ab", LEFT, "\u0015"], "|b"],
    ["Ctrl-K erases what is after it", ["ab", LEFT, "\u000b"], "a|"],
    ["Ctrl-W erases a word and the spaces after it", ["one 中文  ", "\u0017"], "one |"],
    ["Ctrl-W on an empty line", ["\u0017"], "|"],
    ["Ctrl and an arrow go by words", ["one two\u001b[1;5D\u001b[1;5D\u001b[1;5C"], "one |two"],
    ["Alt and an arrow go by words", ["one two\u001b[1;3D"], "one |two"],
    ["Alt and Enter begins a line", ["a\u001b\r", "b"], "a\nb|"],
    ["a paste of several lines", [`${PASTE}one\rtwo\r\nthree\n${PASTED}`, "x"], "one\ntwo\nthree\nx|"],
    ["a paste in parts", ["\u001b[20", "0~one\r", "two\u001b[2", "01~", "x"], "one\ntwox|"],
    ["a paste in the middle", ["ab", LEFT, `${PASTE}1\n2${PASTED}`], "a1\n2|b"],
    ["a paste after text in the same part", [`a${PASTE}\nb${PASTED}c`], "a\nbc|"],
    ["control characters in a paste", [`${PASTE}a\u0003\u000b\u001b[31mb\tc${PASTED}`], "a[31mb\tc|"],
    ["a paste of several lines in a terminal that does not mark pastes", ["one\rtwo"], "one\ntwo|"],
    ["a line break is erased as one character", ["a\nb", BACKSPACE, BACKSPACE], "a|"],
    ["keys that edit nothing", ["a\u001b[A\u001b[B\u001b[15~\u001b[Z\u001bx\u0000\u0007\u000c\u0004"], "a|"],
  ];
  test.each(EDITED)("%s", async (_, texts, expected) => expect(await line(...texts)).toBe(expected));

  test("a character may arrive byte by byte", async () =>
    expect(await line(...[...Buffer.from("中")].map((byte) => Uint8Array.of(byte)))).toBe("中|"));

  test("a pasted line is sent by an Enter behind it, and several lines are one message", async () => {
    expect(await typed("one\rtwo\r")).toMatchObject({ messages: ["one\ntwo"], line: "|" });
    expect(await typed(`${PASTE}one\r${PASTED}\r`)).toMatchObject({ messages: ["one"], line: "|" });
    expect(await typed("one\n", "two\r\u0003")).toMatchObject({ messages: ["one", "two"], signals: ["SIGINT"] });
  });

  test("has no control characters except tab and line break", () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.string({ unit: "binary" })), async (texts) => {
        const { line, messages } = await typed(...texts);
        for (const text of [line, ...messages]) expect(text).not.toMatch(/[^\P{Cc}\n\t]/u);
      }),
    ));

  test("has a maximum length", async () =>
    expect(await line(`${PASTE}${"x".repeat(1_000_001)}${PASTED}`)).toHaveLength(1_000_000));
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
    return {
      typing,
      asked,
      sent,
      stdin,
      type: async (text: string) => {
        stdin.write(text);
        await Bun.sleep(0);
      },
    };
  }

  test("each line is a message, and empty ones are none", async () => {
    const { typing, type, sent } = terminal();
    await type("  one \n");
    await type("\n");
    await type("two, in ");
    await type("parts\n");
    expect(sent).toEqual(["one", "two, in parts"]);
    expect(typing.take()).toEqual(["one", "two, in parts"]);
    expect(typing.take()).toEqual([]);
  });

  test("lines that arrive at once were pasted: they are one message", async () => {
    const { typing, type } = terminal();
    await type("one\n\ntwo\n");
    expect(typing.take()).toEqual(["one\ntwo"]);
  });

  test("the answer to a question is not a message", async () => {
    const { typing, type, asked, sent } = terminal();
    const answer = typing.next("Task: ");
    await type("\n");
    await type("fix it\n");
    expect(await answer).toBe("fix it");
    expect([asked, sent, typing.take()]).toEqual([["Task: "], [], []]);
  });

  test("a question after the end of input has no answer", async () => {
    const { typing, stdin } = terminal();
    stdin.end();
    await Bun.sleep(0);
    expect(await typing.next("Task: ")).toBeUndefined();
  });

  test("what was typed before the question answers it", async () => {
    const { typing, type } = terminal();
    await type("fix it\n");
    expect(await typing.next("Task: ")).toBe("fix it");
    expect(typing.take()).toEqual([]);
  });

  test("the end of input answers with nothing", async () => {
    const { typing, stdin } = terminal();
    const answer = typing.next("Task: ");
    stdin.end();
    expect(await answer).toBeUndefined();
  });

  test("what is typed after the end is for the next program", async () => {
    const { typing, type, stdin } = terminal();
    expect(typing.stop()).toBe("");
    await type("one\n");
    expect(typing.take()).toEqual([]);
    expect(stdin.isPaused()).toBe(true);
  });
});
