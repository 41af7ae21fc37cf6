import { describe, expect, test } from "bun:test";
import { Terminal } from "@xterm/headless";
import { createFooter } from "../../../src/terminal/footer.ts";
import { openInputLine } from "../../../src/terminal/input-line.ts";
import type { KeyboardListener } from "../../../src/terminal/keyboard.ts";

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
