import { describe, expect, test } from "bun:test";
import type { ChildRequest, ChildResult } from "../../../src/os/child.ts";
import { notifyUser, type RunEnd, throughTmux } from "../../../src/supervisor/notify.ts";
import type { EndingName } from "../../../src/supervisor/outcome.ts";
import type { Env } from "../../../src/world.ts";

/** Notifies of a question, and returns what the terminal gets, what was run and what was logged. */
async function notified(
  notify: boolean | string,
  result: Partial<ChildResult> | Error = {},
  { terminal = { TERM: "foot" }, ...end }: Partial<RunEnd> & { readonly terminal?: Env } = {},
) {
  const ran: ChildRequest[] = [];
  const said: string[] = [];
  const run = async (request: ChildRequest): Promise<ChildResult> => {
    ran.push(request);
    if (result instanceof Error) throw result;
    return { exitCode: 0, ending: "exited", stderr: "", ...result };
  };
  const bytes = await notifyUser(
    { run, platform: "linux" },
    {
      ending: "needs you",
      message: "Needs you: Which\u001b]0;x\u0007 one?",
      secondsSincePrompt: 1,
      session: "s1",
      project: "/p",
      ...end,
    },
    {
      notify,
      terminal,
      cwd: "/home/me/.claude",
      say: (line) => said.push(line),
      commandEnv: () => ({ PATH: "/bin" }),
    },
  );
  return { bytes, ran, said };
}

describe("the user is notified", () => {
  test("by the terminal", async () =>
    expect(await notified(true)).toEqual({
      bytes: "\u001b]777;notify;ccc;Needs you: Which one?\u0007",
      ran: [],
      said: [],
    }));
  test("not at all, if notifications are off", async () =>
    expect(await notified(false)).toEqual({ bytes: undefined, ran: [], said: [] }));
  test("by a command, which gets everything in its environment and does not run in the project's folder", async () => {
    const { bytes, ran, said } = await notified('notify-send "$CCC_MESSAGE"');
    expect([bytes, said]).toEqual([undefined, []]);
    const [request] = ran;
    expect(request).toMatchObject({ cwd: "/home/me/.claude", timeoutMs: 10_000 });
    expect(request?.program.env).toEqual({
      PATH: "/bin",
      CCC_OUTCOME: "needs you",
      CCC_MESSAGE: "Needs you: Which one?",
      CCC_SESSION: "s1",
      CCC_FOLDER: "/p",
    });
    expect(JSON.stringify(request?.program.args)).not.toContain("Which");
    expect(request?.onLine(Buffer.from("it may print what it wants, and goes on"))).toBe(false);
  });
  test.each([
    [{ exitCode: 3 }, "supervisor.notify failed: exit code 3"],
    [{ exitCode: null, ending: "timeout" as const }, "supervisor.notify did not end within 10 seconds"],
    [new Error("no shell"), "supervisor.notify failed: no shell"],
  ])("and a command that fails is only logged: %p", async (result, told) =>
    expect((await notified("x", result)).said).toEqual([told]),
  );
});

const OSC_9 = "\u001b]9;ccc: Done: all; it works\u0007";
const OSC_777 = "\u001b]777;notify;ccc;Done: all; it works\u0007";

describe("a notification by the terminal", () => {
  const shown = async (message: string, terminal: Env) => (await notified(true, {}, { message, terminal })).bytes ?? "";

  test.each<[Env, string]>([
    [{ TERM: "xterm-256color" }, OSC_9 + OSC_777],
    [{}, OSC_9 + OSC_777],
    [{ TERM: "xterm-256color", TERM_PROGRAM: "iTerm.app" }, OSC_9],
    [{ TERM: "xterm-256color", TERM_PROGRAM: "WezTerm" }, OSC_9],
    [{ TERM: "xterm-ghostty", TERM_PROGRAM: "ghostty" }, OSC_9],
    [{ TERM: "xterm-kitty" }, OSC_9],
    [{ TERM: "xterm-256color", VTE_VERSION: "7600" }, OSC_777],
    [{ TERM: "foot" }, OSC_777],
    [{ TERM: "rxvt-unicode-256color" }, OSC_777],
  ])("in %j", async (env, bytes) => expect(await shown("Done: all; it works", env)).toBe(bytes));

  test("has no control characters of its text", async () => {
    const evil = "a\u0007\u001b]0;title\u001b\\b\u009dc\u009c\r\n\u0000d\u202ee\u2028f\u007fg";
    expect(await shown(evil, { TERM: "foot" })).toBe("\u001b]777;notify;ccc;a b d e f g\u0007");
  });

  test("is short enough for Claude Code", async () =>
    expect(Buffer.byteLength(await shown("未完成。😀".repeat(2_000), {}))).toBeLessThan(4_096));

  test("is not cut within a character", async () =>
    expect(await shown(`${"x".repeat(299)}😀😀`, { TERM: "foot" })).toContain(`;${"x".repeat(299)}…`));

  test("passes through tmux to its terminal", () => {
    expect(throughTmux(OSC_9, { TMUX: "/tmp/tmux-0/default,1,0" })).toBe(
      "\u001bPtmux;\u001b\u001b]9;ccc: Done: all; it works\u0007\u001b\\",
    );
    expect(throughTmux(OSC_9, {})).toBe(OSC_9);
  });
});

test.each<[EndingName, number, boolean]>([
  ["done", 60, false],
  ["done", 61, true],
  ["not reviewed", 3_600, true],
  ["not done", 5, false],
  ["failed", 90, true],
  ["needs you", 1, true],
])("%s, %d seconds after the prompt, is worth a notification: %p", async (ending, secondsSincePrompt, isWorth) => {
  const { bytes } = await notified(true, {}, { ending, secondsSincePrompt });
  expect(bytes !== undefined).toBe(isWorth);
});
