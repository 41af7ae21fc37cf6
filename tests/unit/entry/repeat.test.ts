import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { dispatch } from "../../../src/cli/route.ts";
import { run } from "../../../src/cli/run.ts";
import { keepLaunch, knownProgram, witnessLaunch } from "../../../src/entry/repeat.ts";
import { realWorld, type WorldParts } from "../../../src/entry/world.ts";
import { diskFiles } from "../../../src/os/files.ts";
import type { Program } from "../../../src/world.ts";

/** A machine with a user and a project, and the command line of a launch on it. */
interface Machine {
  readonly argv: readonly string[];
  readonly argv0: string;
  /** Below the folder of the machine. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** By path, below the folder of the machine. */
  readonly files: Readonly<Record<string, string>>;
}

const provider = (more: object = {}) => ({
  env: { ANTHROPIC_BASE_URL: "https://glm.test", ANTHROPIC_AUTH_TOKEN: "sk-secret-of-glm", ...more },
});
const config = (more: object = {}, glm: object = provider()) =>
  JSON.stringify({ current_provider: "glm", providers: { glm }, ...more });
const settings = (env: object, more: object = {}) => JSON.stringify({ env, ...more });

const USUAL: Machine = {
  argv: ["glm", "-p", "hi"],
  argv0: "ccc",
  cwd: "repository/project",
  env: {},
  files: {
    "bin/claude": "claude",
    "other/claude": "another claude",
    "bin/ccc": "this is ccc",
    "home/.claude/ccc.json": config(),
    "repository/project/a": "a",
    "repository/b": "b",
  },
};

let root: string;
let clock: number;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "ccc-repeat-"));
  clock = 1e9;
});
afterEach(() => rmSync(root, { recursive: true }));

/** Makes the files of the machine as they are to be, and leaves those that ccc wrote. */
function prepare(machine: Machine) {
  for (const name of readdirSync(root, { recursive: true, encoding: "utf8" })) {
    const isOurs = name.startsWith("home/.claude/ccc/") || statSync(join(root, name)).isDirectory();
    if (!isOurs && machine.files[name] === undefined) rmSync(join(root, name));
  }
  for (const [name, text] of Object.entries(machine.files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    if (readFile(name) === text) continue;
    writeFileSync(join(root, name), text, { mode: 0o755 });
    // The clock of a file system is coarse.
    utimesSync(join(root, name), ++clock, clock);
  }
}

function readFile(name: string): string | undefined {
  try {
    return readFileSync(join(root, name), "utf8");
  } catch {
    return undefined;
  }
}

function hostOf({ argv, argv0, cwd, env }: Machine): NodeJS.Process {
  const execPath = join(root, "bin/ccc");
  const variables = { HOME: join(root, "home"), PATH: `${root}/bin:/usr/bin`, ...env };
  const replaced = Object.entries(variables).map(([name, value]) => [name, value.replaceAll("ROOT", root)]);
  const host = { argv: [execPath, "main", ...argv], argv0, execPath, env: Object.fromEntries(replaced), pid: 42 };
  return { ...host, platform: "linux", arch: "x64", versions: {}, cwd: () => join(root, cwd) } as never;
}

/** What the whole program starts, and whether it had anything else to do. */
async function whole(machine: Machine) {
  const programs: Program[] = [];
  let said = "";
  const before = wholeState();
  const exec = async (program: Program) => programs.push(program);
  const parts = { diskFiles, isatty: () => false, writeOut: (_: number, text: string) => (said += text) };
  const late = () => parts as unknown as WorldParts;
  await run(realWorld(hostOf(machine), { exec, handOver: notPlain, late }));
  return { program: programs[0], isQuiet: said === "" && wholeState() === before };
}

function wholeState(): string {
  const names = readdirSync(root, { recursive: true, encoding: "utf8" }).sort();
  return JSON.stringify(names.map((name) => [name, readFile(name)]));
}

/** A plain launch that leaves what the next one needs. Returns false if the launch is not a plain one. */
async function launch(machine: Machine): Promise<boolean> {
  const host = hostOf(machine);
  const witness = witnessLaunch(host);
  let isStarted = false;
  const exec = async (program: Program) => {
    isStarted = true;
    const known = witness?.known(program);
    if (known !== undefined) keepLaunch(known, diskFiles(42));
    return 0;
  };
  try {
    await dispatch(realWorld(host, { exec, handOver: notPlain, late: notPlain, witness }), notPlain);
  } catch {
    return false;
  }
  return isStarted;
}

function notPlain(): never {
  throw new Error("this needs the whole program");
}

/** A launch on one machine, and what is known of the launch on another. */
async function afterLaunchOn(machine: Machine, next: Machine) {
  prepare(machine);
  await whole(machine);
  const isPlain = await launch(machine);
  prepare(next);
  return { isPlain, known: knownProgram(hostOf(next)) };
}

const withFiles = (files: Record<string, string>, machine = USUAL): Machine => ({
  ...machine,
  files: { ...machine.files, ...files },
});

describe("a launch like the one before starts the same claude", () => {
  const table: [name: string, machine: Machine, next?: Partial<Machine>][] = [
    ["with -p", USUAL],
    ["with -p and another prompt", USUAL, { argv: ["glm", "-p", "something else, and longer than all names are"] }],
    ["in a terminal", { ...USUAL, argv: ["glm"] }],
    ["in a terminal, with another prompt", { ...USUAL, argv: ["glm", "fix it"] }, { argv: ["glm", "修复测试"] }],
    ["with options", { ...USUAL, argv: ["glm", "--model", "glm-5", "-p", "hi", "--output-format", "json"] }],
    ["without a provider's name", { ...USUAL, argv: ["-p", "hi"] }],
    ["through a link", { ...USUAL, argv: ["-p", "hi"], argv0: "ccc-glm" }],
    ["through an editor's program", { ...USUAL, argv: ["--as=glm", "-p", "hi"] }],
    ["behind a proxy", { ...USUAL, env: { HTTPS_PROXY: "http://user:password@proxy.test" } }],
    ["with another provider's key in the shell", { ...USUAL, env: { ANTHROPIC_API_KEY: "sk-of-the-shell" } }],
    ["with settings everywhere", withFiles(SETTINGS_EVERYWHERE())],
  ];
  for (const [name, machine, next] of table)
    test(name, async () => {
      const { isPlain, known } = await afterLaunchOn(machine, { ...machine, ...next });
      expect(isPlain).toBe(true);
      expect(known).toBeDefined();
      const { program, isQuiet } = await whole({ ...machine, ...next });
      expect(known as Program).toEqual(program as Program);
      expect(isQuiet).toBe(true);
    });
});

function SETTINGS_EVERYWHERE(): Record<string, string> {
  return {
    "home/.claude/settings.json": settings({ EDITOR: "vi" }),
    "repository/project/.claude/settings.json": settings({ A: "1" }),
    "repository/project/.claude/settings.local.json": settings({ B: "1" }),
    "repository/.git/HEAD": "ref",
    "repository/.claude/settings.local.json": settings({ C: "1" }),
  };
}

/** Whatever may change between two launches. */
const CHANGES: Readonly<Record<string, (machine: Machine) => Machine>> = {
  nothing: (machine) => machine,
  "the provider's server": (machine) =>
    withFiles({ "home/.claude/ccc.json": config({}, provider({ ANTHROPIC_BASE_URL: "https://moved.test" })) }, machine),
  "the provider's key": (machine) =>
    withFiles({ "home/.claude/ccc.json": config({}, provider({ ANTHROPIC_AUTH_TOKEN: "sk-new" })) }, machine),
  "the key, which is now in a file": (machine) =>
    withFiles({ "home/.claude/ccc.json": config({}, provider({ ANTHROPIC_AUTH_TOKEN: "file:key" })) }, machine),
  "a server from a variable": (machine) => ({
    ...withFiles(
      { "home/.claude/ccc.json": config({}, provider({ ANTHROPIC_BASE_URL: "https://${WHERE}" })) },
      machine,
    ),
    env: { ...machine.env, WHERE: "a.test" },
  }),
  "the value of that variable": (machine) => ({
    ...withFiles(
      { "home/.claude/ccc.json": config({}, provider({ ANTHROPIC_BASE_URL: "https://${WHERE}" })) },
      machine,
    ),
    env: { ...machine.env, WHERE: "b.test" },
  }),
  "a second provider": (machine) =>
    withFiles({ "home/.claude/ccc.json": config({ providers: { glm: provider(), kimi: provider() } }) }, machine),
  "the current provider": (machine) =>
    withFiles(
      { "home/.claude/ccc.json": config({ current_provider: "k", providers: { glm: provider(), k: provider() } }) },
      machine,
    ),
  "arguments in ccc.json": (machine) =>
    withFiles({ "home/.claude/ccc.json": config({ claude_args: ["--verbose"] }) }, machine),
  "arguments in ccc.json with a secret": (machine) =>
    withFiles({ "home/.claude/ccc.json": config({ claude_args: ["--mcp-config", '{"key":"sk-mcp"}'] }) }, machine),
  "a pin of the folder": (machine) =>
    withFiles({ "home/.claude/ccc.json": config({ folders: { [join(root, machine.cwd)]: "glm" } }) }, machine),
  "supervision for all launches": (machine) =>
    withFiles({ "home/.claude/ccc.json": config({ supervisor: { enabled: true } }) }, machine),
  "a mistake in ccc.json": (machine) => withFiles({ "home/.claude/ccc.json": "{" }, machine),
  "no ccc.json": (machine) => {
    const { "home/.claude/ccc.json": _, ...files } = machine.files;
    return { ...machine, files };
  },
  "the user's settings": (machine) =>
    withFiles({ "home/.claude/settings.json": settings({ ANTHROPIC_NEW_SERVER: "https://x.test" }) }, machine),
  "the user's proxy in settings": (machine) =>
    withFiles({ "home/.claude/settings.json": settings({ HTTPS_PROXY: "http://p.test" }) }, machine),
  "the hook of ccc use": (machine) =>
    withFiles({ "home/.claude/settings.json": `{"a":"ccc --persistent=${"0".repeat(32)}"}` }, machine),
  "the project's settings": (machine) =>
    withFiles({ [`${machine.cwd}/.claude/settings.json`]: settings({ ANTHROPIC_NEW_KEY: "x" }) }, machine),
  "the project's local settings": (machine) =>
    withFiles({ [`${machine.cwd}/.claude/settings.local.json`]: settings({}, { disableAllHooks: true }) }, machine),
  "an empty settings file": (machine) => withFiles({ [`${machine.cwd}/.claude/settings.local.json`]: "" }, machine),
  "a status line of the project": (machine) =>
    withFiles({ [`${machine.cwd}/.claude/settings.json`]: settings({}, { statusLine: {} }) }, machine),
  "a repository above": (machine) => withFiles({ "repository/.git/HEAD": "ref" }, machine),
  "a repository above, with settings": (machine) =>
    withFiles(
      {
        "repository/.git/HEAD": "ref",
        "repository/.claude/settings.local.json": settings({ ANTHROPIC_NEW_KEY: "x" }),
      },
      machine,
    ),
  "a worktree": (machine) =>
    withFiles(
      {
        "repository/project/.git": `gitdir: ${root}/main/.git/worktrees/w\n`,
        "main/.claude/settings.local.json": settings({ ANTHROPIC_NEW_KEY: "x" }),
      },
      machine,
    ),
  "all settings": (machine) => withFiles(SETTINGS_EVERYWHERE(), machine),
  "another folder": (machine) => ({ ...machine, cwd: "repository" }),
  "another folder, with settings": (machine) =>
    withFiles(
      { "repository/.claude/settings.json": settings({ ANTHROPIC_NEW_KEY: "x" }) },
      { ...machine, cwd: "repository" },
    ),
  "another claude before it": (machine) => ({ ...machine, env: { ...machine.env, PATH: "ROOT/other:ROOT/bin" } }),
  "another claude by variable": (machine) => ({ ...machine, env: { ...machine.env, CCC_CLAUDE: "ROOT/other/claude" } }),
  "an upgraded claude": (machine) => withFiles({ "bin/claude": "a new version" }, machine),
  "no claude": (machine) => {
    const { "bin/claude": _, ...files } = machine.files;
    return { ...machine, files };
  },
  "an upgraded ccc": (machine) => withFiles({ "bin/ccc": "this is CCC" }, machine),
  "a key in the shell": (machine) => ({ ...machine, env: { ...machine.env, ANTHROPIC_API_KEY: "k" } }),
  "another key in the shell": (machine) => ({ ...machine, env: { ...machine.env, ANTHROPIC_API_KEY: "l" } }),
  "a variable of the future in the shell": (machine) => ({ ...machine, env: { ...machine.env, ANTHROPIC_NEW: "k" } }),
  "a proxy": (machine) => ({ ...machine, env: { ...machine.env, HTTPS_PROXY: "http://p.test" } }),
  "another proxy": (machine) => ({ ...machine, env: { ...machine.env, HTTPS_PROXY: "http://q.test" } }),
  "an unrelated variable": (machine) => ({ ...machine, env: { ...machine.env, TERM: "x" } }),
  "the value of an unrelated variable": (machine) => ({ ...machine, env: { ...machine.env, TERM: "y" } }),
  "hooks switched off": (machine) => ({ ...machine, env: { ...machine.env, CLAUDE_CODE_SIMPLE: "1" } }),
  "supervision by variable": (machine) => ({ ...machine, env: { ...machine.env, CCC_SUPERVISOR: "1" } }),
  "no supervision by variable": (machine) => ({ ...machine, env: { ...machine.env, CCC_SUPERVISOR: "0" } }),
  "a configuration elsewhere": (machine) => ({ ...machine, env: { ...machine.env, CCC_CONFIG_DIR: "ROOT/elsewhere" } }),
  "a configuration below": (machine) => ({ ...machine, env: { ...machine.env, CCC_CONFIG_DIR: "elsewhere" } }),
  "a session that runs ccc": (machine) => ({ ...machine, env: { ...machine.env, CCC_EXEC: "1.1" } }),
  "a claude that runs ccc endlessly": (machine) => ({ ...machine, env: { ...machine.env, CCC_EXEC: "42.1" } }),
  "a reviewer's session": (machine) => ({ ...machine, env: { ...machine.env, CCC_SUPERVISOR_HOOK: "1" } }),
  "the name of the program": (machine) => ({ ...machine, argv0: "ccc-glm" }),
  "the name of the program, of no provider": (machine) => ({ ...machine, argv0: "ccc-none" }),
};

/** Command lines, with prompts that look like something else. */
const LINES = fc.oneof(
  fc.constantFrom<string[][]>(
    ["glm"],
    ["glm", "-p", "hi"],
    ["glm", "-p", "two words"],
    ["glm", "two words"],
    ["glm", "to do"],
    ["-p", "hi"],
    ["kimi", "-p", "hi"],
    ["glm", "--settings", '{"a": 1}'],
    ["glm", "--settings", '{"env": {"X": "1"}}', "-p", "hi"],
    ["glm", "--add-dir", "a b", "-p", "hi"],
    ["--check", "-p", "glm"],
    ["--supervisor", "glm", "-p", "hi"],
    ["glm", "--dry-run"],
    ["glm", "mcp", "list"],
    ["glm", "daemon"],
    ["glm", "--resume", "x"],
  ),
  fc.array(
    fc.constantFrom(
      "glm",
      "-p",
      "--print",
      "hi",
      "two words",
      "--",
      "-c",
      "--add-dir",
      "--settings",
      "daemon",
      "{}",
      "/x",
    ),
    { minLength: 1, maxLength: 4 },
  ),
  fc.string({ maxLength: 40 }).map((prompt) => ["glm", "-p", prompt.replaceAll("\0", "")]),
);

const changes = fc.uniqueArray(fc.constantFrom(...Object.keys(CHANGES)), { maxLength: 3 });

function changed(names: readonly string[], argv: readonly string[]): Machine {
  return names.reduce((machine, name) => CHANGES[name]?.(machine) ?? machine, { ...USUAL, argv });
}

describe("what is known of a launch is what the whole program would start, or nothing", () => {
  const agree = async (machine: Machine, next: Machine) => {
    const { known } = await afterLaunchOn(machine, next);
    if (known === undefined) return;
    const { program, isQuiet } = await whole(next);
    expect(known).toEqual(program as Program);
    expect(isQuiet).toBe(true);
  };

  for (const name of Object.keys(CHANGES))
    test(`changed: ${name}`, async () => {
      await agree(changed([], ["glm"]), changed([name], ["glm"]));
      await agree(changed([name], ["glm", "-p", "hi"]), changed([name], ["glm", "-p", "hi"]));
      await agree(changed([name], ["glm", "-p", "hi"]), changed([], ["glm", "-p", "hi"]));
    });

  const lines: [name: string, argv: string[], next: string[], argv0?: string][] = [
    ["an option of ccc's in place of the prompt", ["glm", "-p", "hi"], ["glm", "-p", "--supervisor"]],
    ["an open file in place of the prompt", ["glm", "-p", "hi"], ["glm", "-p", "/dev/fd/5"]],
    ["another folder with a blank in it", ["glm", "--add-dir", "a b"], ["glm", "--add-dir", "c d"]],
    ["the same through a link", ["--add-dir", "a b"], ["--add-dir", "c d"], "ccc-glm"],
    ["a command in place of the prompt", ["glm", "two words"], ["glm", "daemon"]],
  ];
  for (const [name, argv, next, argv0 = "ccc"] of lines)
    test(name, () => agree({ ...USUAL, argv, argv0 }, { ...USUAL, argv: next, argv0 }));

  test("for changes of all kinds, and any command line", async () => {
    await fc.assert(
      fc.asyncProperty(LINES, LINES, fc.boolean(), changes, changes, async (argv, other, isSame, first, second) => {
        await agree(changed(first, argv), changed([...first, ...second], isSame ? argv : other));
      }),
      { numRuns: 60 },
    );
  });
});

test("a pin that names its folder through a link refuses other providers, whatever was launched there before", async () => {
  const providers = { glm: provider(), kimi: provider() };
  const folders = { [join(root, "link")]: { provider: "kimi", only: true } };
  const pinned = withFiles({ "home/.claude/ccc.json": config({ providers, folders }) });
  await afterLaunchOn(USUAL, pinned);
  symlinkSync(join(root, pinned.cwd), join(root, "link"));
  expect((await whole({ ...pinned, argv: ["kimi", "-p", "hi"] })).program).toBeDefined();
  expect(await launch(pinned)).toBe(false);
  expect(knownProgram(hostOf(pinned))).toBeUndefined();
  expect((await whole(pinned)).program).toBeUndefined();
});

test("another ccc decides anew", async () => {
  const { known } = await afterLaunchOn(USUAL, withFiles({ "bin/ccc": "this is CCC" }));
  expect(known).toBeUndefined();
});

test("an altered settings file of ccc's own is noticed", async () => {
  await afterLaunchOn(USUAL, USUAL);
  expect(knownProgram(hostOf(USUAL))).toBeDefined();
  writeFileSync(join(root, "home/.claude/ccc/settings-glm-plain.json"), "{}");
  expect(knownProgram(hostOf(USUAL))).toBeUndefined();
});

test("the settings file of a single launch is kept in use by a whole launch once a day", async () => {
  const machine = { ...USUAL, env: { HTTPS_PROXY: "http://p.test" } };
  await afterLaunchOn(machine, machine);
  const folder = join(root, "home/.claude/ccc");
  const [name = ""] = readdirSync(folder).filter((each) => each.includes("+"));
  expect(knownProgram(hostOf(machine))).toBeDefined();
  utimesSync(join(folder, name), Date.now() / 1000 - 25 * 3600, Date.now() / 1000 - 25 * 3600);
  expect(knownProgram(hostOf(machine))).toBeUndefined();
});

describe("the file of a launch", () => {
  const kept = () => {
    const folder = join(root, "home/.claude/ccc/repeat");
    return readdirSync(folder).map((name) => ({
      path: join(folder, name),
      text: readFileSync(join(folder, name), "utf8"),
    }));
  };

  test("has no secret in it, and is private", async () => {
    await afterLaunchOn(
      { ...USUAL, env: { HTTPS_PROXY: "http://u:sk-proxy@p.test", ANTHROPIC_API_KEY: "sk-a" } },
      USUAL,
    );
    const [{ path, text } = { path: "", text: "" }] = kept();
    expect(text).not.toContain("sk-");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
  });

  test("is not made if ccc.json has arguments that may be secrets", async () => {
    const machine = CHANGES["arguments in ccc.json with a secret"]?.(USUAL) ?? USUAL;
    const { isPlain, known } = await afterLaunchOn(machine, machine);
    expect([isPlain, known]).toEqual([true, undefined]);
  });

  test("names the settings of every layer, also those that do not exist", async () => {
    await afterLaunchOn(USUAL, USUAL);
    const [{ text } = { text: "" }] = kept();
    const paths = (JSON.parse(text).questions as string[][]).map(([, path]) => path);
    expect(paths).toContain(join(root, "home/.claude/settings.json"));
    expect(paths).toContain(join(root, "repository/project/.claude/settings.json"));
    expect(paths).toContain(join(root, "repository/project/.claude/settings.local.json"));
    expect(paths).toContain("/etc/claude-code/managed-settings.json");
    expect(paths).toContain("/etc/claude-code/managed-settings.d");
  });

  test("that is damaged counts as none", async () => {
    await afterLaunchOn(USUAL, USUAL);
    for (const { path, text } of kept())
      for (const damaged of ["", "{}", "null", text.slice(0, -9), text.replace('"read"', '"written"')]) {
        writeFileSync(path, damaged);
        expect(knownProgram(hostOf(USUAL))).toBeUndefined();
      }
  });

  test("is removed a month after it was made, when another is", async () => {
    await afterLaunchOn(USUAL, USUAL);
    for (const { path } of kept()) utimesSync(path, 1e9, 1e9);
    await afterLaunchOn({ ...USUAL, argv: ["glm"] }, USUAL);
    expect(kept()).toHaveLength(1);
  });
});
