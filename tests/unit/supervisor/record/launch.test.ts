import { describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cccPaths } from "../../../../src/config/paths.ts";
import { diskFiles } from "../../../../src/os/disk.ts";
import {
  continueTerminal,
  findLaunch,
  type LaunchRecord,
  lastLaunch,
  launchEnvironment,
  launchesFolder,
  markHeard,
  readLaunch,
  readSwitch,
  readTerminal,
  rememberEnvironment,
  removeOldRecords,
  saveLaunch,
  startTerminal,
} from "../../../../src/supervisor/record/launch.ts";
import { sessionRecord, terminalPath, terminalsFolder } from "../../../../src/supervisor/record/session.ts";
import { memoryFiles } from "../../fakes.ts";

describe("launch environment", () => {
  const shell = { PATH: "/usr/bin", HOME: "/home/me", LC_ALL: "C", GLM_KEY: "secret-value", EDITOR: "my-editor" };
  const launch = rememberEnvironment(shell);

  describe("launchEnvironment", () => {
    const table: [name: string, hook: Record<string, string>, expected: Record<string, string>][] = [
      ["the same environment", shell, shell],
      ["a variable that was added", { ...shell, NODE_OPTIONS: "--require ./x.js" }, shell],
      ["PATH that was changed", { ...shell, PATH: "/project/bin" }, shell],
      ["HOME that was changed", { ...shell, HOME: "/project" }, shell],
      ["a variable that was changed is left out", { ...shell, EDITOR: "./x" }, without("EDITOR")],
      ["a secret that the hook does not have is not known", { PATH: "/usr/bin" }, without("GLM_KEY", "EDITOR")],
      ["a value under another name is another variable", { OTHER: "secret-value" }, without("GLM_KEY", "EDITOR")],
    ];
    for (const [name, hook, expected] of table)
      test(name, () => expect(launchEnvironment(launch, hook)).toEqual(expected));
  });

  test("no value that may be a secret is saved", () => {
    expect(JSON.stringify(launch)).not.toContain("secret-value");
    expect(JSON.stringify(launch)).not.toContain("my-editor");
  });

  function without(...names: string[]): Record<string, string> {
    return Object.fromEntries(Object.entries(shell).filter(([name]) => !names.includes(name)));
  }
});

describe("launch record", () => {
  const PATHS = cccPaths({ env: { HOME: "/home/u" }, platform: "linux" });
  const ENVIRONMENT = { salt: "", plain: {}, hashed: [] };
  const INSTRUCTIONS = { path: null, text: "" };

  function launchIn(cwd: string): LaunchRecord {
    return {
      ...{ cwd, claude: "/bin/claude", version: null, same_model: true, reviewer: "glm", fallback: [] },
      ...{ environment: ENVIRONMENT, instructions: INSTRUCTIONS, checks: { commands: [], left_out: [] } },
    };
  }

  test("a record of an older version promises nothing about the reviewer, and has no checks", () => {
    const old = { cwd: "/project", claude: "/bin/claude", environment: ENVIRONMENT, instructions: INSTRUCTIONS };
    expect(readLaunch(memoryFiles({ "/old.json": JSON.stringify(old) }), "/old.json")).toEqual({
      ...old,
      ...{ version: null, same_model: false, reviewer: "", fallback: [], checks: { commands: [], left_out: [] } },
    });
  });

  test("once a hook has run, the launch no longer waits for one, and its notice is not shown again", () => {
    const files = memoryFiles();
    const launch = { ...launchIn("/project"), waiting_since: "12:00", notice: "look here" };
    saveLaunch(files, PATHS, launch);
    expect(lastLaunch(files, PATHS, "/project")).toEqual(launch);
    markHeard(files, PATHS, launch);
    expect(lastLaunch(files, PATHS, "/project")).toEqual(launchIn("/project"));
  });

  describe("the launch of a session", () => {
    const table: [name: string, launched: string[], project: string, cwd: string | undefined][] = [
      ["is the one in its folder", ["/work", "/work/a"], "/work/a", "/work/a"],
      ["is the one in a folder above, for a worktree", ["/work/a"], "/work/a/.claude/worktrees/b", "/work/a"],
      ["is the nearest one", ["/", "/work"], "/work/a", "/work"],
      ["can be that of the top folder", ["/"], "/work/a", "/"],
      ["is never one below it or beside it", ["/work/a/b", "/work/c"], "/work/a", undefined],
    ];
    test.each(table)("%s", (_, launched, project, cwd) => {
      const files = memoryFiles();
      for (const each of launched) saveLaunch(files, PATHS, launchIn(each));
      expect(findLaunch(files, PATHS, project)?.cwd).toBe(cwd);
    });

    test("is not taken from a record that is about another folder", () => {
      const files = memoryFiles();
      saveLaunch(files, PATHS, launchIn("/work/a"));
      const [name] = files.list(launchesFolder(PATHS));
      files.content[`${launchesFolder(PATHS)}/${name}`] = JSON.stringify(launchIn("/elsewhere"));
      expect(findLaunch(files, PATHS, "/work/a")).toBeUndefined();
    });
  });
});

describe("old records", () => {
  const PLANTED: [record: string, days: number][] = [
    ["launches/old.json", 91],
    ["launches/new.json", 89],
    ["launches/use.json", 91],
    ["runs/old.jsonl", 91],
    ["runs/new.jsonl", 89],
    ["sessions/old", 91],
    ["sessions/new", 89],
    ["baselines/old", 8],
    ["baselines/new", 6],
  ];

  test("records go after 90 days and baselines after seven, but never what `ccc use` relies on", () => {
    const home = mkdtempSync(join(tmpdir(), "ccc-test-"));
    const files = diskFiles(process.pid);
    const paths = cccPaths({ env: { CCC_CONFIG_DIR: home }, platform: process.platform });
    for (const [record, days] of PLANTED) {
      const path = join(paths.generated, record);
      if (record.includes(".")) files.writePrivate(path, "");
      else mkdirSync(path, { recursive: true });
      const then = new Date(Date.now() - days * 24 * 3600 * 1000);
      utimesSync(path, then, then);
    }
    expect(removeOldRecords(files, paths)).toBe(4);
    const left = ["launches", "runs", "sessions", "baselines"].map((name) => files.list(join(paths.generated, name)));
    expect(left.map((names) => names.sort())).toEqual([["new.json", "use.json"], ["new.jsonl"], ["new"], ["new"]]);
    expect(removeOldRecords(files, paths)).toBe(0);
    rmSync(home, { recursive: true });
  });
});

describe("switch record", () => {
  const RECORD = sessionRecord(cccPaths({ env: { HOME: "/home/u" }, platform: "linux" }), "s");

  test.each<[text: string, found: ReturnType<typeof readSwitch>]>([
    ['{"is_on":true,"is_due":true,"reviewer":"/r.json"}', { is_on: true, is_due: true, reviewer: "/r.json" }],
    ['{"is_on":false}', { is_on: false, is_due: false }],
    ['{"is_on":"yes"}', undefined],
    ["", undefined],
  ])("a switch on record: %s", (text, found) => {
    expect(readSwitch(memoryFiles({ [RECORD.switch]: text }), RECORD)).toEqual(found);
  });
});

describe("terminal record", () => {
  const PATHS = cccPaths({ env: { CCC_CONFIG_DIR: "/c" }, platform: "linux" });

  test("each claude has a record of its own, and only the number of a process can name its file", () => {
    const files = memoryFiles();
    startTerminal(files, PATHS, "7", "a", undefined);
    startTerminal(files, PATHS, "8", "b", undefined);
    startTerminal(files, PATHS, "../sessions/s/launch", "c", undefined);
    continueTerminal(files, PATHS, "7", "after /clear");
    expect(["7", "8"].map((claude) => readTerminal(files, PATHS, claude)?.sessions)).toEqual([
      ["a", "after /clear"],
      ["b"],
    ]);
    expect(Object.keys(files.content).sort()).toEqual(
      ["7", "8", "unknown"].map((name) => `${terminalsFolder(PATHS)}/${name}.json`),
    );
  });

  test("a start removes what is on record of claudes of long ago, and keeps the rest", () => {
    const home = mkdtempSync(join(tmpdir(), "ccc-test-"));
    const files = diskFiles(process.pid);
    const paths = cccPaths({ env: { CCC_CONFIG_DIR: home }, platform: process.platform });
    const age = (claude: string, days: number) => {
      const then = new Date(Date.now() - days * 24 * 3600 * 1000);
      utimesSync(terminalPath(paths, claude), then, then);
    };
    for (const claude of ["1", "2"]) startTerminal(files, paths, claude, claude, undefined);
    age("1", 31);
    age("2", 29);
    startTerminal(files, paths, "3", "3", undefined);
    expect(files.list(terminalsFolder(paths)).sort()).toEqual(["2.json", "3.json"]);
    rmSync(home, { recursive: true });
  });
});
