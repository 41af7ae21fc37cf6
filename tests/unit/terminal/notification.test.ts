import { describe, expect, test } from "bun:test";
import { notification, notificationText, throughTmux } from "../../../src/terminal/notification.ts";

const OSC_9 = "\u001b]9;ccc: Done: all; it works\u0007";
const OSC_777 = "\u001b]777;notify;ccc;Done: all; it works\u0007";

describe("a notification", () => {
  test.each([
    [{ TERM: "xterm-256color" }, OSC_9 + OSC_777],
    [{}, OSC_9 + OSC_777],
    [{ TERM: "xterm-256color", TERM_PROGRAM: "iTerm.app" }, OSC_9],
    [{ TERM: "xterm-256color", TERM_PROGRAM: "WezTerm" }, OSC_9],
    [{ TERM: "xterm-ghostty", TERM_PROGRAM: "ghostty" }, OSC_9],
    [{ TERM: "xterm-kitty" }, OSC_9],
    [{ TERM: "xterm-256color", VTE_VERSION: "7600" }, OSC_777],
    [{ TERM: "foot" }, OSC_777],
    [{ TERM: "rxvt-unicode-256color" }, OSC_777],
  ])("in %j", (env, bytes) => expect(notification("ccc", "Done: all; it works", env)).toBe(bytes));

  test("has no control characters of its text", () => {
    const evil = "a\u0007\u001b]0;title\u001b\\b\u009dc\u009c\r\n\u0000d\u202ee\u2028f\u007fg";
    expect(notificationText(evil)).toBe("a ]0;title \\b c d e f g");
    expect(notification("ccc", evil, { TERM: "foot" })).toBe("\u001b]777;notify;ccc;a ]0;title \\b c d e f g\u0007");
  });
  test("is short enough for Claude Code", () =>
    expect(Buffer.byteLength(notification("ccc", "未完成。😀".repeat(2_000), {}))).toBeLessThan(4_096));
  test("is not cut within a character", () =>
    expect(notificationText(`${"x".repeat(299)}😀😀`)).toBe(`${"x".repeat(299)}…`));
});

test("tmux passes it on to its terminal", () => {
  expect(throughTmux(OSC_9, { TMUX: "/tmp/tmux-0/default,1,0" })).toBe(
    "\u001bPtmux;\u001b\u001b]9;ccc: Done: all; it works\u0007\u001b\\",
  );
  expect(throughTmux(OSC_9, {})).toBe(OSC_9);
});
