import { describe, expect, test } from "bun:test";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cccPaths } from "../../../../src/config/paths.ts";
import { diskFiles } from "../../../../src/os/files.ts";
import {
  launchEnvironment,
  launchRecords,
  noteRun,
  openTerminal,
  type RunNote,
  rememberEnvironment,
} from "../../../../src/supervisor/record/launch.ts";
import { type IdentifiedLaunch, openSession } from "../../../../src/supervisor/record/session.ts";
import { fakeWorld, memoryFiles } from "../../fakes.ts";

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

  const idOf = (digit: number) => `${digit}1111111-2222-4333-8444-555555555555`;

  function launchIn(cwd: string, digit = 1): IdentifiedLaunch {
    return {
      id: idOf(digit),
      cwd,
      claude: "/bin/claude",
      version: null,
      same_model: true,
      reviewer: "glm",
      fallback: [],
      environment: ENVIRONMENT,
      instructions: INSTRUCTIONS,
      checks: { commands: [], left_out: [] },
    };
  }

  test("a record of an older version promises nothing about the reviewer, and has no checks", () => {
    const old = { cwd: "/project", claude: "/bin/claude", environment: ENVIRONMENT, instructions: INSTRUCTIONS };
    const files = memoryFiles({ "/home/u/.claude/ccc/sessions/s/launch.json": JSON.stringify(old) });
    expect(openSession(files, PATHS, "s").launch.read()).toEqual({
      ...old,
      version: null,
      same_model: false,
      reviewer: "",
      fallback: [],
      checks: { commands: [], left_out: [] },
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

  test("launches in one folder stay apart, and each hook that runs marks its own", () => {
    const launches = launchRecords(memoryFiles(), PATHS);
    const [first, second] = [launchIn("/project", 1), launchIn("/project", 2)];
    const since = { waiting_since: "12:00" };
    launches.save({ ...first, ...since });
    launches.save({ ...second, ...since });
    launches.markHeard({ ...first, ...since });
    expect([idOf(1), idOf(2)].map(launches.find)).toEqual([first, { ...second, ...since }]);
    expect(launches.last("/project")).toEqual({ ...second, ...since });
  });

  describe("is found by its id alone", () => {
    const saved = launchIn("/project");
    const path = (name: string) => `/home/u/.claude/ccc/launches/${name}.json`;
    const table: [what: string, id: string][] = [
      ["another id", idOf(2)],
      ["an id whose file is about another launch", idOf(3)],
      ["no id", ""],
      ["the record of `ccc use`", "use"],
      ["the name of the file about a folder", "0".repeat(32)],
      ["a path", `../launches/${idOf(1)}`],
      ["more than an id", `${idOf(1)}\n`],
    ];
    const files = memoryFiles({
      [path("0".repeat(32))]: JSON.stringify(saved),
      [path(idOf(3))]: JSON.stringify(saved),
    });
    const launches = launchRecords(files, PATHS);
    launches.save(saved);
    launches.saveUse(saved);
    test("its own", () => expect(launches.find(idOf(1))).toEqual(saved));
    test.each(table)("not by %s", (_, id) => expect(launches.find(id)).toBeUndefined());
  });

  test("one whose claude has ended is removed, unless none of its hooks ever ran", () => {
    const launches = launchRecords(memoryFiles(), PATHS);
    const unheard = { ...launchIn("/a", 1), waiting_since: "12:00" };
    launches.save(unheard);
    launches.save(launchIn("/b", 2));
    for (const digit of [1, 2, 3]) launches.end(idOf(digit));
    expect([idOf(1), idOf(2)].map(launches.find)).toEqual([unheard, undefined]);
    expect(launches.lastOfAll()).toEqual([unheard]);
  });

  test("one of an older version, which kept one record for each folder, is the last in its folder", () => {
    const { id: _, ...old } = { ...launchIn("/project"), waiting_since: "12:00" };
    const files = memoryFiles();
    const launches = launchRecords(files, PATHS);
    launches.save(launchIn("/project"));
    const name = files.list("/home/u/.claude/ccc/launches").find((each) => !each.includes("-"));
    files.content[`/home/u/.claude/ccc/launches/${name}`] = JSON.stringify(old);
    expect([launches.last("/project"), launches.lastOfAll()]).toEqual([old, [old]]);
    launches.save(launchIn("/project", 2));
    expect([launches.last("/project"), launches.lastOfAll()]).toEqual([
      launchIn("/project", 2),
      [launchIn("/project", 2)],
    ]);
  });

  describe("the launches around a session", () => {
    const table: [name: string, launched: string[], project: string, cwds: string[]][] = [
      ["are those in its folder and above", ["/work", "/work/a", "/"], "/work/a", ["/", "/work", "/work/a"]],
      ["are those above a worktree", ["/work/a"], "/work/a/.claude/worktrees/b", ["/work/a"]],
      ["are never below it or beside it", ["/work/a/b", "/work/c", "/work/a-b"], "/work/a", []],
    ];
    test.each(table)("%s", (_, launched, project, cwds) => {
      const launches = launchRecords(memoryFiles(), PATHS);
      for (const [index, each] of launched.entries()) launches.save(launchIn(each, index));
      launches.saveUse(launchIn(project));
      expect(
        launches
          .around(project)
          .map(({ cwd }) => cwd)
          .sort(),
      ).toEqual(cwds);
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
    expect(launchRecords(files, paths).removeOld(home)).toBe(4);
    const left = ["launches", "runs", "sessions", "baselines"].map((name) => files.list(join(paths.generated, name)));
    expect(left.map((names) => names.sort())).toEqual([["new.json", "use.json"], ["new.jsonl"], ["new"], ["new"]]);
    expect(launchRecords(files, paths).removeOld(home)).toBe(0);
    rmSync(home, { recursive: true });
  });

  test("what a killed launch left half written is gone at the next one, and what is being written stays", () => {
    const home = realpathSync(mkdtempSync(join(tmpdir(), "ccc-test-")));
    const files = diskFiles(process.pid);
    const paths = cccPaths({ env: { HOME: home }, platform: process.platform });
    const folders = ["", "launches", "runs"].map((name) => join(paths.generated, name));
    const written = `b.json.${process.pid}.tmp`;
    for (const folder of folders)
      for (const name of [`a.json.${2 ** 22 + 1}.tmp`, written, "c.json"]) files.writePrivate(join(folder, name), "");
    launchRecords(files, paths).removeOld(home);
    for (const folder of folders)
      expect(
        files
          .list(folder)
          .filter((name) => name.includes("."))
          .sort(),
      ).toEqual([written, "c.json"]);
    rmSync(home, { recursive: true });
  });

  describe("files of sessions in a project go after the same time", () => {
    const ID = "8a6a1b3b-d7ce-4a3b-ab92-c9525b017da8";
    const OLD = [`supervisor-${ID}.json`, `supervisor-${ID}-output.jsonl`, `supervisor-${ID}-output.jsonl.1`];
    const OTHERS = ["supervisor.log", "supervisor-notes.json", "notes.json", ".gitignore"];

    /** The files that are left of these, as old as that, in a folder that may be a link. */
    function left(names: readonly string[], days: number, isLink = false) {
      const top = realpathSync(mkdtempSync(join(tmpdir(), "ccc-test-")));
      const [project, folder, target] = ["project", "project/.claude/ccc", "target"].map((name) => join(top, name));
      const real = (isLink ? target : folder) ?? "";
      mkdirSync(real, { recursive: true });
      mkdirSync(join(project ?? "", ".claude"), { recursive: true });
      if (isLink) symlinkSync(real, folder ?? "");
      const then = new Date(Date.now() - days * 24 * 3600 * 1000);
      for (const name of names) {
        writeFileSync(join(real, name), "");
        utimesSync(join(real, name), then, then);
      }
      const paths = cccPaths({ env: { CCC_CONFIG_DIR: join(top, "config") }, platform: process.platform });
      const count = launchRecords(diskFiles(process.pid), paths).removeOld(project ?? "");
      const found = readdirSync(real);
      rmSync(top, { recursive: true });
      expect(count).toBe(names.length - found.length);
      return found.sort();
    }

    test("and no other file there", () => {
      expect(left([...OLD, ...OTHERS], 91)).toEqual(OTHERS.toSorted());
      expect(left(OLD, 89)).toEqual(OLD.toSorted());
      expect(left([], 91)).toEqual([]);
    });
    test("not where a link leads elsewhere", () => expect(left(OLD, 91, true)).toEqual(OLD.toSorted()));
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

describe("the notes of a run", () => {
  const NOTE: RunNote = { event: "prompt", session: "S" };
  const OUTCOME: RunNote = { event: "outcome", code: null, lines: ["not done"] };

  function scene() {
    const { world, files } = fakeWorld();
    const paths = cccPaths({ env: { CCC_CONFIG_DIR: "/c" }, platform: "linux" });
    const open = () => {
      const launch = crypto.randomUUID();
      return { launch, ...launchRecords(files, paths).openNotes(launch) };
    };
    const note = (launch: string | undefined, what: RunNote) => noteRun(world, { configDir: "/c", launch }, what);
    return { files, open, note };
  }

  test("each run reads its own notes, in order", () => {
    const { open, note } = scene();
    const [one, two] = [open(), open()];
    note(one.launch, NOTE);
    note(two.launch, { ...NOTE, session: "T" });
    note(one.launch, OUTCOME);
    expect(one.read()).toEqual([NOTE, OUTCOME]);
    expect(two.read()).toEqual([{ ...NOTE, session: "T" }]);
  });

  test("nothing is written for a run that is over, for another launch, or by a hook of no launch", () => {
    const { files, open, note } = scene();
    const run = open();
    note(undefined, NOTE);
    expect(run.read()).toEqual([]);
    run.remove();
    const others = ["../secret", "", "other"];
    for (const name of others) files.content[`/c/ccc/runs/${name}.jsonl`] = "";
    const before = { ...files.content };
    for (const name of [run.launch, ...others, crypto.randomUUID()]) note(name, NOTE);
    expect(files.content).toEqual(before);
  });

  test("a line that is not a note is ignored", () => {
    const { files, open, note } = scene();
    const run = open();
    files.content[`/c/ccc/runs/${run.launch}.jsonl`] = '{"event":"stop"}\n{\n';
    note(run.launch, NOTE);
    expect(run.read()).toEqual([NOTE]);
  });
});
