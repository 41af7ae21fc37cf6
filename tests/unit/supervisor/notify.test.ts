import { describe, expect, test } from "bun:test";
import type { ChildRequest, ChildResult } from "../../../src/os/child.ts";
import { notifyUser } from "../../../src/supervisor/notify.ts";
import { type EndingName, endingName, isWorthTelling } from "../../../src/supervisor/outcome.ts";

test.each([
  ["done", "done"],
  ["rework", undefined],
  ["needs_user", "needs you"],
  ["limit", "not done"],
  ["stalemate", "not done"],
  ["budget", "over budget"],
  ["skipped", undefined],
  ["unreviewed", "not reviewed"],
] as const)("%s is %p for the user", (kind, name) => expect(endingName({ kind })).toBe(name));

test.each<[EndingName, number, boolean]>([
  ["done", 60, false],
  ["done", 61, true],
  ["not reviewed", 3_600, true],
  ["not done", 5, false],
  ["failed", 90, true],
  ["needs you", 1, true],
])("%s after %d seconds is worth a notification: %p", (ending, seconds, isWorth) =>
  expect(isWorthTelling(ending, seconds)).toBe(isWorth),
);

/** Notifies of a question, and returns what the terminal gets, what was run and what was logged. */
async function notified(notify: boolean | string, result: Partial<ChildResult> | Error = {}) {
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
      ...{ ending: "needs you", message: "Needs you: Which\u001b]0;x\u0007 one?", secondsSincePrompt: 1 },
      ...{ session: "s1", project: "/p" },
    },
    {
      ...{ notify, terminal: { TERM: "foot" }, cwd: "/home/me/.claude", say: (message) => said.push(message) },
      commandEnv: () => ({ PATH: "/bin" }),
    },
  );
  return { bytes, ran, said };
}

describe("the user is notified", () => {
  test("by the terminal", async () =>
    expect(await notified(true)).toEqual({
      bytes: "\u001b]777;notify;ccc;Needs you: Which ]0;x one?\u0007",
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
      CCC_MESSAGE: "Needs you: Which ]0;x one?",
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
