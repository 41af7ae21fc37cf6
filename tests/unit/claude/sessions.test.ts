import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import {
  isTerminalSession,
  savedSession,
  savedSessions,
  transcriptsSince,
  withoutSession,
} from "../../../src/claude/sessions.ts";
import { diskFiles } from "../../../src/os/files.ts";
import { memoryFiles } from "../fakes.ts";

describe("recent transcripts", () => {
  const PROJECTS = "/h/.claude/projects";
  const PLACE = { env: { HOME: "/h" }, platform: "linux" } as const;

  /** The sessions that are found, in projects whose files were modified at these times. */
  function found(times: Record<string, number>, since: number) {
    const folders = Object.keys(times).map((path) => [`${PROJECTS}/${path.split("/")[0]}`, null]);
    const paths = Object.keys(times).map((path) => [`${PROJECTS}/${path}`, ""]);
    const files = memoryFiles(Object.fromEntries([...folders, ...paths]));
    const modified = (path: string) => times[path.slice(PROJECTS.length + 1)];
    return transcriptsSince({ ...files, modified }, PLACE, since);
  }

  test("the transcripts of all projects, each with its session", () =>
    expect(found({ "-p/one.jsonl": 5, "-q/two.jsonl": 5 }, 5)).toEqual([
      { id: "one", transcript: `${PROJECTS}/-p/one.jsonl` },
      { id: "two", transcript: `${PROJECTS}/-q/two.jsonl` },
    ]));

  test("modified at that time or later", () =>
    expect(found({ "-p/a.jsonl": 4, "-p/b.jsonl": 5, "-p/c.jsonl": 6 }, 5).map(({ id }) => id)).toEqual(["b", "c"]));

  test("no delegated agents, and no other files", () =>
    expect(found({ "-p/agent-1.jsonl": 5, "-p/notes.md": 5, "-p/memory": 5 }, 0)).toEqual([]));

  test("none without a folder of projects", () => expect(transcriptsSince(memoryFiles(), PLACE, 0)).toEqual([]));

  test("none in a file beside the projects", () =>
    expect(transcriptsSince(memoryFiles({ [`${PROJECTS}/a.jsonl`]: "" }), PLACE, 0)).toEqual([]));
});

describe("session env", () => {
  test.each([
    [{ CLAUDE_CODE_ENTRYPOINT: "cli" }, true],
    [{ CLAUDE_CODE_ENTRYPOINT: "sdk-cli" }, false],
    [{}, true],
  ])("a session in a terminal: %j %p", (env, expected) => expect(isTerminalSession(env)).toBe(expected));

  test("a child gets nothing that ties it to the session it was started from", () => {
    const env = { PATH: "/bin", CLAUDECODE: "1", CLAUDE_CODE_SESSION_ID: "s", CLAUDE_CODE_MESSAGING_TOKEN: "t" };
    expect(withoutSession(env)).toEqual({ PATH: "/bin" });
    expect(env.CLAUDECODE).toBe("1");
  });
});

describe("sessions", () => {
  const home = mkdtempSync(join(tmpdir(), "ccc-sessions-"));
  afterAll(() => rmSync(home, { recursive: true }));

  const files = diskFiles(process.pid);
  const place = (cwd: string) => ({ env: { HOME: home }, cwd, platform: "linux" as const });
  const id = (digit: number) => `0961ad8d-cff1-4011-8ad0-${String(digit).repeat(12)}`;
  const transcript = (folder: string, name: string) => join(home, ".claude/projects", folder, `${name}.jsonl`);

  function save(folder: string, name: string, at: number) {
    mkdirSync(dirname(transcript(folder, name)), { recursive: true });
    writeFileSync(transcript(folder, name), "{}\n");
    utimesSync(transcript(folder, name), at, at);
  }

  save("-w-it-s-a-p-th", id(1), 100);
  save("-w-it-s-a-p-th", id(2), 300);
  save("-w-it-s-a-p-th", id(3), 200);
  save("-w-it-s-a-p-th", "agent-123", 400);
  save("-other", id(4), 500);
  const long = `/${"x".repeat(300)}`;
  save(`-${"x".repeat(199)}-1abc`, id(5), 1);
  const longest = `/${"y".repeat(199)}`;
  save(`-${"y".repeat(199)}`, id(7), 1);

  test("the sessions of a folder, the newest first", () => {
    const ids = savedSessions(files, place("/w/it's a päth")).map((session) => session.id);
    expect(ids).toEqual([id(2), id(3), id(1)]);
    expect(savedSessions(files, place(long))).toHaveLength(1);
    expect(savedSessions(files, place(longest))).toHaveLength(1);
    expect(savedSessions(files, place("/nowhere"))).toEqual([]);
  });

  test("a session by its id, of another folder too", () => {
    const here = place("/w/it's a päth");
    const found = (name: string) => savedSession(files, here, name)?.transcript;
    expect(found(id(1))).toBe(transcript("-w-it-s-a-p-th", id(1)));
    expect(found(id(4))).toBe(transcript("-other", id(4)));
    expect(found(id(6))).toBeUndefined();
  });

  test("an invalid id finds nothing", () => {
    save("-", "x", 1);
    for (const name of ["x", "../-/x", "", "a title"]) expect(savedSession(files, place("/"), name)).toBeUndefined();
  });
});
