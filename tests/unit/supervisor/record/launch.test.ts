import { describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cccPaths } from "../../../../src/config/paths.ts";
import { diskFiles } from "../../../../src/os/files.ts";
import {
  launchEnvironment,
  launchRecords,
  openTerminal,
  rememberEnvironment,
  removeOldRecords,
} from "../../../../src/supervisor/record/launch.ts";
import { type LaunchRecord, openSession } from "../../../../src/supervisor/record/session.ts";
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
    const files = memoryFiles({ "/home/u/.claude/ccc/sessions/s/launch.json": JSON.stringify(old) });
    expect(openSession(files, PATHS, "s").launch.read()).toEqual({
      ...old,
      ...{ version: null, same_model: false, reviewer: "", fallback: [], checks: { commands: [], left_out: [] } },
    });
  });

  test("once a hook has run, the launch no longer waits for one, and its notice is not shown again", () => {
    const launches = launchRecords(memoryFiles(), PATHS);
    const launch = { ...launchIn("/project"), waiting_since: "12:00", notice: "look here" };
    launches.save(launch);
    expect(launches.last("/project")).toEqual(launch);
    launches.markHeard(launch);
    expect(launches.last("/project")).toEqual(launchIn("/project"));
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
      const launches = launchRecords(memoryFiles(), PATHS);
      for (const each of launched) launches.save(launchIn(each));
      expect(launches.find(project)?.cwd).toBe(cwd);
    });

    test("is not taken from a record that is about another folder", () => {
      const files = memoryFiles();
      const launches = launchRecords(files, PATHS);
      launches.save(launchIn("/work/a"));
      const [path = ""] = Object.keys(files.content);
      files.content[path] = JSON.stringify(launchIn("/elsewhere"));
      expect(launches.find("/work/a")).toBeUndefined();
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

describe("what is on record of a claude in a terminal", () => {
  const PATHS = cccPaths({ env: { CCC_CONFIG_DIR: "/c" }, platform: "linux" });

  test("is its own, and only the number of a process can name its files", () => {
    const files = memoryFiles();
    const claudes = ["7", "8", "../sessions/s/launch"].map((claude) => openTerminal(files, PATHS, claude));
    for (const claude of claudes) {
      claude.start("first", undefined);
      claude.wait.save("until later");
    }
    claudes[0]?.add("after /clear");
    claudes[1]?.wait.remove();
    expect(claudes.map(({ read }) => read()?.sessions)).toEqual([["first", "after /clear"], ["first"], ["first"]]);
    expect(claudes.map(({ wait }) => wait.read())).toEqual(["until later", undefined, "until later"]);
    expect(Object.keys(files.content).sort()).toEqual([
      ...["7.json", "8.json", "unknown.json"].map((name) => `/c/ccc/terminals/${name}`),
      ...["7", "unknown"].map((name) => `/c/ccc/waits/${name}`),
    ]);
  });

  test("has each session once, and at most the last hundred", () => {
    const { read, start, add } = openTerminal(memoryFiles(), PATHS, "7");
    add("without a start");
    expect(read()).toBeUndefined();
    start("0", undefined);
    for (let nth = 1; nth <= 100; nth++) for (const _ of ["once", "twice"]) add(`${nth}`);
    expect([read()?.sessions.length, read()?.sessions.at(0), read()?.sessions.at(-1)]).toEqual([100, "1", "100"]);
  });

  test("goes a month later, when another one starts", () => {
    const home = mkdtempSync(join(tmpdir(), "ccc-test-"));
    const files = diskFiles(process.pid);
    const paths = cccPaths({ env: { CCC_CONFIG_DIR: home }, platform: process.platform });
    const folder = join(paths.generated, "terminals");
    const age = (claude: string, days: number) => {
      const then = new Date(Date.now() - days * 24 * 3600 * 1000);
      utimesSync(join(folder, `${claude}.json`), then, then);
    };
    for (const claude of ["1", "2"]) openTerminal(files, paths, claude).start(claude, undefined);
    age("1", 31);
    age("2", 29);
    openTerminal(files, paths, "3").start("3", undefined);
    expect(files.list(folder).sort()).toEqual(["2.json", "3.json"]);
    rmSync(home, { recursive: true });
  });
});
