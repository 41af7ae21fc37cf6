import { afterAll, describe, expect, test } from "bun:test";
import { utimesSync } from "node:fs";
import { join } from "node:path";
import { sessionStatusLine } from "../../../../src/commands/statusline/session-status-line.ts";
import { diskFiles } from "../../../../src/os/disk.ts";
import { makeScratch } from "../../../../src/os/scratch.ts";

const files = diskFiles(process.pid);
const scratch = makeScratch();
afterAll(scratch.remove);

const SESSION = "11111111-2222-4333-8444-555555555555";
const EVENT = { session_id: SESSION, cwd: "/shop", model: { id: "glm-5" }, context_window: { used_percentage: 42 } };
const DONE = JSON.stringify({ outcome: "done", met: 2, of: 2 });
const LAUNCHED = JSON.stringify({ provider: "glm" });

interface Given {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly event?: object | string;
  readonly isTerminal?: boolean;
  /** Files of the session's record. */
  readonly record?: Readonly<Record<string, string>>;
  /** Other files below the folder of ccc.json. */
  readonly content?: Readonly<Record<string, string>>;
  /** Files that are made in this folder before the line. */
  readonly prepare?: (record: string) => void;
}

let count = 0;

/** The status line of a session with these files, in a home of its own. */
function lineOf({ args = [], env = {}, event = EVENT, isTerminal = false, ...given }: Given) {
  const home = join(scratch.path, `${count++}`);
  const folder = join(home, ".claude");
  const record = join(folder, "ccc/sessions", SESSION);
  const content = Object.entries({
    ...given.content,
    ...Object.fromEntries(
      Object.entries(given.record ?? {}).map(([name, text]) => [join("ccc/sessions", SESSION, name), text]),
    ),
  });
  for (const [name, text] of content) files.writePrivate(join(folder, name), text);
  given.prepare?.(record);
  let stdin = new TextEncoder().encode(typeof event === "string" ? event : JSON.stringify(event));
  const readStdin = (into: Uint8Array) => {
    const some = stdin.subarray(0, into.length);
    into.set(some);
    stdin = stdin.subarray(some.length);
    return some.length;
  };
  return sessionStatusLine(
    {
      argv: ["ccc", "ccc", "statusline", ...args],
      env: { HOME: home, COLUMNS: "200", NO_COLOR: "1", ...env },
      platform: "linux",
    },
    { readStdin, isTerminal: () => isTerminal, realPath: () => undefined },
  );
}

describe("the status line of a session", () => {
  const supervised = { "launch.json": LAUNCHED };
  const table: [what: string, given: Given, line: string][] = [
    ["one without supervision", { args: ["--provider", "glm"] }, "glm · glm-5 · context 42% · supervisor off"],
    ["a supervised one, by its record", { record: supervised }, "glm · glm-5 · context 42% · supervisor on"],
    [
      "what the launch says counts more than the record",
      { args: ["--provider=kimi", "--no-supervisor"], record: supervised },
      "kimi · glm-5 · context 42% · supervisor off",
    ],
    [
      "also if it says only that it is supervised",
      { args: ["--supervisor"], record: supervised },
      "glm · glm-5 · context 42% · supervisor on",
    ],
    [
      "or only its provider",
      { args: ["--provider", "kimi"], record: supervised },
      "kimi · glm-5 · context 42% · supervisor on",
    ],
    [
      "both, without a record",
      { args: ["--provider", "glm", "--supervisor"] },
      "glm · glm-5 · context 42% · supervisor on",
    ],
    [
      "what the user has switched counts most",
      { args: ["--provider", "glm", "--supervisor"], record: { "switch.json": '{"is_on":false}' } },
      "glm · glm-5 · context 42% · supervisor off",
    ],
    [
      "the verdict, until the next prompt",
      { record: { ...supervised, "now.json": DONE } },
      "glm · glm-5 · context 42% · done 2 of 2",
    ],
    [
      "the provider of a terminal, without supervision",
      { env: { CLAUDE_PID: "77" }, content: { "ccc/terminals/77.json": '{"launch":{"provider":"glm"}}' } },
      "glm · glm-5 · context 42% · supervisor off",
    ],
    [
      "a record without a provider",
      { record: { "launch.json": '{"provider":""}' } },
      "glm-5 · context 42% · supervisor on",
    ],
    ["no session", { event: {}, args: ["--provider", "glm", "--supervisor"] }, "glm · supervisor on"],
    ["no session, and nothing said", { event: "{broken" }, "supervisor off"],
    [
      "another folder of ccc.json",
      { args: ["--config-dir", join(scratch.path, "other"), "--provider", "glm"], event: { cwd: "/shop" } },
      "glm · pinned · supervisor off",
    ],
    ["a narrow terminal", { args: ["--provider", "glm"], env: { COLUMNS: "30" } }, "glm · supervisor off"],
    [
      "a terminal whose width is not known",
      { args: ["--provider", "glm"], env: { COLUMNS: "" } },
      "glm · glm-5 · context 42% · supervisor off",
    ],
    [
      "colors, unless they are unwanted",
      { args: ["--provider", "glm"], env: { NO_COLOR: "" }, event: {} },
      "\u001b[1mglm\u001b[0m · supervisor off",
    ],
  ];
  files.writePrivate(join(scratch.path, "other/ccc.json"), '{"folders":{"/shop":"glm"}}');
  test.each(table)("%s", async (_, given, line) => expect(await lineOf(given)).toBe(line));

  test.each([
    ["a prompt after the verdict", 20, "supervisor on"],
    ["a prompt before it", 5, "done 2 of 2"],
    ["a prompt in the moment of the verdict", 10, "done 2 of 2"],
  ])("%s", async (_, promptedAt, wanted) => {
    const record = { "launch.json": "{}", "now.json": DONE, "prompts.jsonl": "" };
    const prepare = (folder: string) => {
      utimesSync(join(folder, "now.json"), 10, 10);
      utimesSync(join(folder, "prompts.jsonl"), promptedAt, promptedAt);
    };
    expect(await lineOf({ event: { session_id: SESSION }, record, prepare })).toBe(wanted);
  });

  test("a pipe in place of a record does not keep Claude Code waiting", async () => {
    const prepare = (folder: string) => {
      Bun.spawnSync(["mkdir", "-p", folder]);
      expect(Bun.spawnSync(["mkfifo", join(folder, "launch.json")]).exitCode).toBe(0);
    };
    expect(await lineOf({ event: { session_id: SESSION }, prepare })).toBe("supervisor off");
  });

  test.each([
    ["the folder's own", { "/shop": "glm" }, true],
    ["that of a folder above, in the long form", { "/": { provider: "glm" } }, true],
    ["another provider's", { "/shop": "kimi" }, false],
    ["another folder's", { "/shops": "glm" }, false],
    ["the stricter of two for one folder", { "/shop": "kimi", "/shop/": { provider: "glm", only: true } }, true],
    ["nothing that ccc.json could mean", { "/shop": 7 }, false],
  ])("a pin: %s", async (_, folders, isShown) => {
    const content = { "ccc.json": JSON.stringify({ folders }) };
    const line = await lineOf({ args: ["--provider", "glm"], event: { cwd: "/shop" }, content });
    expect(line).toBe(isShown ? "glm · pinned · supervisor off" : "glm · supervisor off");
  });

  test.each([
    ["glm", "glm · 5h 37% (just now) · supervisor off"],
    ["../usage/glm", "../usage/glm · supervisor off"],
  ])("what ccc usage last said about %s", async (provider, line) => {
    const figures = [{ kind: "window", name: "5h", label: "x", hours: 5, used_percent: 37, resets_at: null }];
    const content = { "ccc/usage/glm.json": JSON.stringify({ asked_at: new Date().toISOString(), figures }) };
    expect(await lineOf({ args: ["--provider", provider], event: {}, content })).toBe(line);
  });

  test.each([
    ["--help", { args: ["--help"] }],
    ["-h", { args: ["-h"] }],
    ["a terminal", { isTerminal: true }],
  ])("%s asks for help, not for a line", async (_, given) => expect(await lineOf(given)).toBeUndefined());
});
