import { describe, expect, test } from "bun:test";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "../../../src/cli/run.ts";
import { CccError } from "../../../src/errors.ts";
import { diskFiles } from "../../../src/os/files.ts";
import { fakeWorld } from "../fakes.ts";

const CONFIG = "/home/u/.claude/ccc.json";
const KEY = "sk-very-secret-key";
const glm = { env: { ANTHROPIC_BASE_URL: "https://api.z.ai/api/anthropic", ANTHROPIC_AUTH_TOKEN: KEY } };

async function ccc(argv: string[], config?: unknown, parts: Parameters<typeof fakeWorld>[0] = {}) {
  const text = typeof config === "string" ? config : JSON.stringify(config);
  const content = { ...(config === undefined ? {} : { [CONFIG]: text }), ...parts.content };
  const { world, said, ran, files } = fakeWorld({ ...parts, argv, content });
  const before = { ...files.content };
  const exitCode = await run(world);
  return { exitCode, ...said, ran, files: files.content, unchanged: Bun.deepEquals(before, files.content) };
}

describe("a ccc.json that cannot be used", () => {
  const faults: [name: string, argv: string[], config: unknown, says: string][] = [
    ["is not there", ["glm"], undefined, "there is no /home/u/.claude/ccc.json yet"],
    [
      "is broken JSON",
      ["glm"],
      `{"providers": {"glm": {"env": {"K": "${KEY}" "x"}}}}`,
      "not valid JSON: comma expected at line 1",
    ],
    ["is cut off", ["glm"], `{"providers": {"glm":\n "${KEY}`, "unexpected end of string at line 2, column 2"],
    ["is empty", ["glm"], "", "not valid JSON"],
    ["is a list", ["glm"], [], "the file: must be an object"],
    ["has a list of providers", ["glm"], { providers: [glm] }, "providers: must be an object"],
    ["has no providers", ["glm"], { providers: {} }, "has no providers"],
    ["has null for providers", ["glm"], { settings: null, current_provider: "", providers: null }, "has no providers"],
    [
      "has an unknown current provider",
      [],
      { current_provider: "old", providers: { glm } },
      'current_provider in /home/u/.claude/ccc.json is "old"',
    ],
    [
      "has a provider named like a command",
      ["glm"],
      { providers: { glm, provider: {} } },
      "providers.provider: this word is a command of ccc",
    ],
    [
      "has a provider with a space",
      ["glm"],
      { providers: { "g lm": {} } },
      "providers.g lm: a provider name may contain",
    ],
    [
      "has a provider with a slash",
      ["glm"],
      { providers: { "../x": {} } },
      "providers.../x: a provider name may contain",
    ],
    ["has a provider without a name", ["glm"], { providers: { "": {} } }, "a provider name may contain"],
    ["has a provider like an option", ["glm"], { providers: { "-p": {} } }, "may not begin with a dash"],
    ["has a provider named constructor", ["glm"], '{"providers":{"constructor":{}}}', "cannot be used as a name"],
    ["has a provider named __proto__", ["glm"], '{"providers":{"__proto__":{}}}', "cannot be used as a name"],
    [
      "has two providers with the same generated file",
      ["glm"],
      { providers: { glm, "glm-supervisor": glm } },
      "would overwrite that of providers.glm",
    ],
    [
      "has two providers with the same plain settings file",
      ["glm"],
      { providers: { "glm-plain": glm, glm } },
      "would overwrite that of providers.glm-plain",
    ],
    [
      "has providers that differ in case",
      ["glm"],
      { providers: { glm, GLM: glm } },
      "would overwrite that of providers.glm",
    ],
    [
      "has a bad URL",
      ["glm"],
      { providers: { glm: { env: { ANTHROPIC_BASE_URL: "api.z.ai" } } } },
      "providers.glm.env.ANTHROPIC_BASE_URL: must be a URL",
    ],
    [
      "has a URL of another kind",
      ["glm"],
      { providers: { glm: { env: { ANTHROPIC_BASE_URL: "file:///x" } } } },
      "providers.glm.env.ANTHROPIC_BASE_URL: must be a URL",
    ],
    [
      "has a list in env",
      ["glm"],
      { providers: { glm: { env: { X: [KEY] } } } },
      "providers.glm.env.X: must be a string, a number or a boolean",
    ],
    ["has text for env", ["glm"], { providers: { glm: { env: KEY } } }, "providers.glm.env: must be an object"],
    ["has text for a provider", ["glm"], { providers: { glm: KEY } }, "providers.glm: must be an object"],
    [
      "has a number in claude_args",
      ["glm"],
      { claude_args: [1], providers: { glm } },
      "claude_args.0: must be a string",
    ],
    [
      "has a wrong engine",
      ["glm"],
      { providers: { glm }, supervisor: { engine: "x" } },
      'supervisor.engine: must be "hook" or "loop"',
    ],
    [
      "has a wrong limit",
      ["glm"],
      { providers: { glm }, supervisor: { max_iterations: 0 } },
      "supervisor.max_iterations: must be a whole number from 1 to 1000000000",
    ],
    [
      "has an unknown supervisor setting",
      ["glm"],
      { providers: { glm }, supervisor: { max_iteration: 3 } },
      "supervisor.max_iteration: unknown setting; did you mean max_iterations?",
    ],
    [
      "has checks that are not a list",
      ["glm"],
      { providers: { glm }, supervisor: { checks: "npm test" } },
      "supervisor.checks: must be a list of commands",
    ],
    [
      "has an empty check",
      ["glm"],
      { providers: { glm }, supervisor: { checks: ["npm test", " "] } },
      "supervisor.checks.1: must not be empty",
    ],
    [
      "refers to a variable that is not set",
      ["glm"],
      { providers: { glm: { env: { ANTHROPIC_AUTH_TOKEN: "${NO_SUCH}" } } } },
      "providers.glm.env.ANTHROPIC_AUTH_TOKEN: ${NO_SUCH} is not set",
    ],
    [
      "has spaces for a key",
      ["glm"],
      { providers: { glm: { env: { ANTHROPIC_BASE_URL: "https://x", ANTHROPIC_AUTH_TOKEN: " " } } } },
      "no ANTHROPIC_AUTH_TOKEN",
    ],
    [
      "has a URL that is not one when expanded",
      ["glm"],
      { providers: { glm: { env: { ANTHROPIC_BASE_URL: "${HOME}" } } } },
      "providers.glm.env.ANTHROPIC_BASE_URL: must be a URL",
    ],
    [
      "injects code into Bun",
      ["glm"],
      { providers: { glm: { env: { BUN_OPTIONS: "--preload x" } } } },
      "providers.glm.env.BUN_OPTIONS: not allowed",
    ],
    [
      "injects code into Node",
      ["glm"],
      { settings: { env: { node_options: "-r x" } }, providers: { glm } },
      "settings.env.node_options: not allowed",
    ],
    [
      "injects code into every program",
      ["glm"],
      { providers: { glm: { env: { LD_PRELOAD: "x" } } } },
      "providers.glm.env.LD_PRELOAD: not allowed",
    ],
    [
      "sets a variable of ccc",
      ["glm"],
      { providers: { glm: { env: { CCC_CLAUDE: "x" } } } },
      "providers.glm.env.CCC_CLAUDE: not allowed",
    ],
  ];
  for (const [name, argv, config, says] of faults) {
    test(name, async () => {
      const result = await ccc(argv, config);
      expect(result).toMatchObject({ exitCode: 1, stdout: "", ran: [], unchanged: true });
      expect(result.stderr).toContain(says);
      expect(result.stderr).not.toContain(KEY);
    });
  }

  test("cannot be read", async () => {
    const folder = await mkdtemp(join(tmpdir(), "ccc-test-"));
    await mkdir(join(folder, "ccc.json"));
    const { world, said } = fakeWorld({ argv: ["glm"], env: { CCC_CONFIG_DIR: folder } });
    expect(await run({ ...world, files: diskFiles(process.pid) })).toBe(1);
    expect(said.stderr).toBe(`ccc: cannot read ${folder}/ccc.json: it is a folder\n`);
    await rm(folder, { recursive: true });
  });
});

describe("without any provider, at a terminal,", () => {
  const answering = (isWanted: boolean) => {
    const { ask } = fakeWorld().world;
    return { isTerminal: () => true, ask: { ...ask, confirm: async () => isWanted } };
  };

  test("ccc offers to add the one that is named, and then starts it", async () => {
    const { exitCode, ran, files } = await ccc(["anthropic", "-p", "hi"], undefined, answering(true));
    expect(exitCode).toBe(0);
    expect(Object.keys(JSON.parse(files[CONFIG] ?? "").providers)).toEqual(["anthropic"]);
    expect(ran[0]?.args.slice(-2)).toEqual(["-p", "hi"]);
  });

  test("it starts nothing if the answer is no", async () => {
    const { stderr, ...result } = await ccc(["anthropic", "-p", "hi"], undefined, answering(false));
    expect(result).toMatchObject({ exitCode: 1, ran: [], unchanged: true });
    expect(stderr).toContain("nothing was changed");
  });
});

/** The settings file that claude was started with. */
function settingsOf({ ran }: Awaited<ReturnType<typeof ccc>>): string {
  const args = ran[0]?.args ?? [];
  return args[args.indexOf("--settings") + 1] ?? "";
}

describe("a valid ccc.json", () => {
  test("CLI-01 the current provider is used, else the first in the file", async () => {
    const providers = { kimi: glm, glm };
    const launched = async (config: object) => settingsOf(await ccc([], config));
    expect(await launched({ providers })).toEndWith("settings-kimi~terminal.json");
    expect(await launched({ providers, current_provider: "" })).toEndWith("settings-kimi~terminal.json");
    expect(await launched({ providers, current_provider: "glm" })).toEndWith("settings-glm~terminal.json");
    const both = { providers, default_provider: "glm", current_provider: "kimi" };
    expect(await launched(both)).toEndWith("settings-glm~terminal.json");
  });

  test("a launch that names a provider makes it the current one, others do not", async () => {
    const config = { current_provider: "kimi", providers: { kimi: glm, glm } };
    const named = await ccc(["glm"], config, { isTerminal: () => true });
    expect(JSON.parse(named.files[CONFIG] ?? "").current_provider).toBe("glm");
    expect((await ccc(["-p", "hi"], config)).files[CONFIG]).toBe(JSON.stringify(config));
    expect((await ccc(["--dry-run", "--json", "glm"], config)).unchanged).toBe(true);
  });

  test("a file written by the Go ccc loads as it is", async () => {
    const written = `{
  "settings": {
    "permissions": { "allow": ["Edit"], "defaultMode": "acceptEdits" },
    "alwaysThinkingEnabled": true,
    "env": { "API_TIMEOUT_MS": "300000", "DISABLE_TELEMETRY": 1 }
  },
  "claude_args": ["--verbose"],
  "supervisor": { "enabled": false, "max_iterations": 20, "timeout_seconds": 600 },
  "current_provider": "glm",
  "providers": {
    "glm": { "env": { "ANTHROPIC_BASE_URL": "https://open.bigmodel.cn/api/anthropic", "ANTHROPIC_AUTH_TOKEN": "x", "ANTHROPIC_MODEL": "glm-4.7" } }
  }
}`;
    const { exitCode, ran, files } = await ccc([], written);
    expect(exitCode).toBe(0);
    expect(files[CONFIG]).toBe(written);
    expect(ran[0]?.args.join(" ")).toBe(
      "--plugin-dir /home/u/.claude/ccc/plugin --settings /home/u/.claude/ccc/settings-glm~terminal.json --verbose",
    );
    const generated = JSON.parse(files["/home/u/.claude/ccc/settings-glm~terminal.json"] ?? "");
    expect(generated).toMatchObject({
      permissions: { allow: ["Edit"], defaultMode: "acceptEdits" },
      alwaysThinkingEnabled: true,
      env: { API_TIMEOUT_MS: "300000", DISABLE_TELEMETRY: "1", ANTHROPIC_MODEL: "glm-4.7", ANTHROPIC_API_KEY: "" },
    });
  });

  test("one that passed the checks is not checked again until it changes", async () => {
    const checked = "/home/u/.claude/ccc/checked";
    const good = (await ccc([], { providers: { glm } })).files[checked] ?? "";
    // An invalid file, with a stamp that says that it was checked.
    const bad = JSON.stringify({ providers: { glm, provider: {} } });
    const stampOfBad = `${Bun.hash(`0.0.0 5\n${bad}`).toString(36)}\n`;
    expect((await ccc(["glm"], bad, { content: { [checked]: stampOfBad } })).exitCode).toBe(0);
    expect((await ccc(["glm"], bad, { content: { [checked]: good } })).exitCode).toBe(1);
  });

  test("a variable that ccc does not know is blanked if a layer sets it, in a settings file for that launch", async () => {
    const content = {
      "/project/.claude/settings.json": JSON.stringify({ env: { ANTHROPIC_TOMORROW: "x", MINE: "y" } }),
    };
    const { ran, files } = await ccc(["glm", "-p", "hi"], { providers: { glm } }, { content });
    const path = ran[0]?.args[1] ?? "";
    expect(path).toMatch(/settings-glm-plain\+[0-9a-z]+\.json$/);
    expect(JSON.parse(files[path] ?? "").env).toHaveProperty("ANTHROPIC_TOMORROW", "");
    expect(JSON.parse(files[path] ?? "").env).not.toHaveProperty("MINE");
  });

  test("an argument that names an open file of the shell is refused, because it is not inherited", async () => {
    const result = await ccc(["glm", "--mcp-config", "/dev/fd/63"], { providers: { glm } });
    expect(result).toMatchObject({ exitCode: 2, ran: [] });
    expect((await ccc(["glm", "-p", "what is /dev/fd/63"], { providers: { glm } })).exitCode).toBe(0);
  });
});

describe("where ccc.json is", () => {
  const where = async (env: Record<string, string>, path: string) =>
    settingsOf(
      await ccc(["glm", "-p", "hi"], undefined, {
        env: { PATH: "/bin", HOME: "/home/u", ...env },
        content: { [path]: JSON.stringify({ providers: { glm } }) },
      }),
    );
  test("CCC_CONFIG_DIR goes first", async () =>
    expect(await where({ CCC_CONFIG_DIR: "/a", CLAUDE_CONFIG_DIR: "/b" }, "/a/ccc.json")).toBe(
      "/a/ccc/settings-glm-plain.json",
    ));
  test("then CLAUDE_CONFIG_DIR", async () =>
    expect(await where({ CLAUDE_CONFIG_DIR: "/b" }, "/b/ccc.json")).toBe("/b/ccc/settings-glm-plain.json"));
  test("then the home", async () =>
    expect(await where({}, "/home/u/.claude/ccc.json")).toBe("/home/u/.claude/ccc/settings-glm-plain.json"));
});

test("a ccc.json that cannot be written does not prevent a launch", async () => {
  const { world, said, ran } = fakeWorld({
    argv: ["glm"],
    isTerminal: () => true,
    content: { [CONFIG]: JSON.stringify({ providers: { glm } }) },
  });
  const edit = () => {
    throw new CccError("cannot write it: the file system is read-only");
  };
  expect(await run({ ...world, files: { ...world.files, edit } })).toBe(0);
  expect(ran).toHaveLength(1);
  expect(said.stderr.replaceAll(/\s+/g, " ")).toContain("is not remembered as the current provider: cannot write it");
});

test.each([
  ["EROFS", CONFIG, true],
  ["EACCES", CONFIG, true],
  ["ENOSPC", CONFIG, false],
  ["EROFS", "/elsewhere", false],
])("after %s at %s, ccc names CCC_CONFIG_DIR: %p", async (code, path, isNamed) => {
  const { world, said } = fakeWorld({
    argv: ["default", "glm"],
    content: { [CONFIG]: JSON.stringify({ providers: { glm } }) },
  });
  const edit = () => {
    throw new CccError(`cannot write ${path}: x`, { cause: Object.assign(new Error("x"), { code }) });
  };
  expect(await run({ ...world, files: { ...world.files, edit } })).toBe(1);
  const advice =
    "Make /home/u/.claude and everything in it writable, or copy ccc.json, if there is one, to a writable folder";
  expect(said.stderr.replaceAll(/\s+/g, " ").includes(advice)).toBe(isNamed);
});

test.each([
  ["cannot read", CONFIG, "readable and writable for you, or set CCC_CONFIG_DIR to another folder."],
  ["cannot write", "/home/u/.claude/settings.json", "writable."],
  ["cannot read", "/home/u/.claude/settings.json", "readable and writable for you."],
])("after %s %s, ccc says what helps there", async (problem, path, advice) => {
  const { world, said } = fakeWorld({
    argv: ["default", "glm"],
    content: { [CONFIG]: JSON.stringify({ providers: { glm } }) },
  });
  const edit = () => {
    throw new CccError(`${problem} ${path}: x`, { cause: Object.assign(new Error("x"), { code: "EACCES" }) });
  };
  expect(await run({ ...world, files: { ...world.files, edit } })).toBe(1);
  expect(said.stderr).toEndWith(`\nMake /home/u/.claude and everything in it ${advice}\n`);
});

test("--no-supervisor starts without reviews, whatever CCC_SUPERVISOR and ccc.json say", async () => {
  const on = { env: { HOME: "/home/u", PATH: "/bin", CCC_SUPERVISOR: "1" } };
  const config = { providers: { glm }, supervisor: { enabled: true } };
  expect(settingsOf(await ccc(["--no-supervisor", "glm", "-p", "hi"], config, on))).toMatch(/settings-glm-plain/);
  expect(settingsOf(await ccc(["glm", "-p", "hi"], config, on))).not.toMatch(/settings-glm-plain/);
});

test("claude's version, help and subcommands need no supervision, and prepare none, whatever asks for it", async () => {
  const config = { providers: { glm }, supervisor: { enabled: true } };
  const options = [[], ["--supervisor"], ["--supervisor", "--check", "true"], ["--engine", "loop", "--no-handover"]];
  for (const args of [["mcp", "list"], ["logs", "list"], ["agents", "--json"], ["--version"], ["-p", "--help"]])
    for (const option of options) {
      const quiet = await ccc([...option, "glm", ...args], config);
      expect(quiet).toMatchObject({ exitCode: 0, stderr: "" });
      expect(quiet.ran).toHaveLength(1);
      expect(quiet.ran[0]?.args.slice(-args.length)).toEqual(args);
    }
  expect(settingsOf(await ccc(["glm", "agents"], config))).not.toMatch(/settings-glm-plain/);
});

test("LOOP-14 the loop needs a SUPERVISOR.md: if there is none and none can be created, it says so", async () => {
  const content = { [CONFIG]: JSON.stringify({ providers: { glm } }) };
  const { world, said, ran } = fakeWorld({ argv: ["--supervisor", "--engine", "loop", "glm", "work"], content });
  const create = () => {
    throw new CccError("cannot write it: the file system is read-only");
  };
  expect(await run({ ...world, files: { ...world.files, create } })).toBe(1);
  expect(said.stderr).toContain("no SUPERVISOR.md found, and it could not be created: cannot write it");
  expect(said.stderr).toContain("Create /project/SUPERVISOR.md or /home/u/.claude/SUPERVISOR.md");
  expect(said.stderr).toContain("Or set CCC_CONFIG_DIR to a folder that ccc may write to, with a copy of ccc.json.");
  expect(ran).toBeEmpty();
});

describe("managed policy", () => {
  const managed = (settings: object) => ({
    content: { "/etc/claude-code/managed-settings.json": JSON.stringify(settings) },
  });
  const refusals: [string, object][] = [
    ["a server", { env: { ANTHROPIC_BASE_URL: "https://gateway" } }],
    ["a key", { env: { ANTHROPIC_API_KEY: "theirs" } }],
    ["a switch", { env: { CLAUDE_CODE_USE_BEDROCK: "1" } }],
    ["a key helper", { apiKeyHelper: "print-key" }],
  ];
  for (const [name, settings] of refusals) {
    test(`that sets ${name} wins over everything, so ccc does not launch`, async () => {
      const result = await ccc(["glm"], { providers: { glm } }, managed(settings));
      expect(result).toMatchObject({ exitCode: 1, ran: [], unchanged: true });
      expect(result.stderr).toContain("/etc/claude-code/managed-settings.json");
    });
  }
  test("that cannot be read prevents a launch; a byte order mark does not", async () => {
    const policy = (text: string) => ({ content: { "/etc/claude-code/managed-settings.json": text } });
    const divert = JSON.stringify({ env: { ANTHROPIC_BASE_URL: "https://g" } });
    expect(await ccc(["glm"], { providers: { glm } }, policy("{broken"))).toMatchObject({ exitCode: 1, ran: [] });
    expect(await ccc(["glm"], { providers: { glm } }, policy(`\uFEFF${divert}`))).toMatchObject({
      exitCode: 1,
      ran: [],
    });
    expect((await ccc(["glm"], { providers: { glm } }, policy('\uFEFF{"model":"x"}'))).exitCode).toBe(0);
  });
  test("that forbids hooks is reported by the doctor and refused by a supervised launch", async () => {
    const forbidding = managed({ disableAllHooks: true });
    const { stdout, exitCode } = await ccc(["doctor", "--json"], { providers: { glm } }, forbidding);
    const { checks } = JSON.parse(stdout) as { checks: { name: string }[] };
    expect(checks.find(({ name }) => name === "hooks allowed")).toMatchObject({ status: "fail" });
    expect(exitCode).toBe(1);
    expect(await ccc(["--supervisor", "glm"], { providers: { glm } }, forbidding)).toMatchObject({
      exitCode: 1,
      ran: [],
    });
  });
  test("in a drop-in file counts too", async () => {
    const content = {
      "/etc/claude-code/managed-settings.d/10.json": JSON.stringify({ env: { ANTHROPIC_BASE_URL: "https://g" } }),
    };
    expect(await ccc(["glm"], { providers: { glm } }, { content })).toMatchObject({ exitCode: 1, ran: [] });
  });
  test("that agrees with the provider does not prevent a launch, and a model is a notice", async () => {
    const same = { env: { ANTHROPIC_BASE_URL: glm.env.ANTHROPIC_BASE_URL, ANTHROPIC_MODEL: "theirs" } };
    const result = await ccc(["glm"], { providers: { glm } }, managed(same));
    expect(result.exitCode).toBe(0);
    expect(result.stderr).toContain("policy sets ANTHROPIC_MODEL");
  });
});

describe("ccc's own commands", () => {
  const config = {
    current_provider: "glm",
    providers: { kimi: { env: { ANTHROPIC_API_KEY: "short" } }, glm, claude: {} },
  };
  test("provider list shows no key", async () => {
    const { stdout, exitCode } = await ccc(["provider", "list"], config);
    expect(exitCode).toBe(0);
    expect(stdout.split("\n")).toEqual([
      "  NAME           SERVER                          MODEL            KEY",
      "  kimi           (Anthropic)                     (default model)  ***",
      "* glm (current)  https://api.z.ai/api/anthropic  (default model)  ***-key",
      "  claude         (Anthropic)                     (default model)  (no key: Claude login)",
      "",
    ]);
  });
  test("provider list --json", async () => {
    const rows = JSON.parse((await ccc(["provider", "list", "--json"], config)).stdout);
    expect(rows[1]).toEqual({
      name: "glm",
      current: true,
      pinned: false,
      base_url: glm.env.ANTHROPIC_BASE_URL,
      model: null,
      env: { ANTHROPIC_AUTH_TOKEN: "***-key", ANTHROPIC_BASE_URL: "https://api.z.ai/api/anthropic" },
      key: "***-key",
      reasons: {},
      defaults: [expect.objectContaining({ name: "CLAUDE_CODE_ATTRIBUTION_HEADER", value: "0" })],
      problem: null,
      reviewer: false,
    });
  });
  test("provider list warns of a server without a key, on stderr", async () => {
    const keyless = { providers: { local: { env: { ANTHROPIC_BASE_URL: "http://127.0.0.1:9" } } } };
    const { stderr, exitCode } = await ccc(["provider", "list", "--json"], keyless);
    expect(exitCode).toBe(0);
    expect(stderr).toStartWith("ccc: warning: providers.local.env has an ANTHROPIC_BASE_URL but no");
  });
  const mistakes: [argv: string[], message: string][] = [
    [["provider", "lst"], 'unknown command "ccc provider lst": did you mean "list"?'],
    [["provider", "constructor"], 'unknown command "ccc provider constructor"'],
    [["provider", KEY], "unknown subcommand"],
    [["provider", "sixteen-letters-"], "unknown subcommand"],
    [["provider", "--json", "list"], 'unexpected argument "list"'],
    [["provider", `--x=${KEY}`], "unknown option --x"],
    [["provider", "list", "--jsn"], "unknown option --jsn: did you mean --json?"],
    [["provider", "list", "--json=x"], "--json takes no value"],
    [["provider", "list", "-x"], "unknown option -x"],
    [["provider", "list", "glm"], 'unexpected argument "glm"'],
    [
      ["provider", "add", "glm", KEY],
      "unexpected argument. Never pass a key as an argument: if this was one, it is now in your shell history",
    ],
    [
      ["provider", "add", "--key", KEY],
      "unknown option --key: keys are never passed as arguments, because every user of this machine could read them",
    ],
    [["provider", "add", "--token-stdn"], "unknown option --token-stdn: did you mean --token-stdin?"],
    [["provider", "add", "--token-ref"], "--token-ref needs a value"],
    [["provider", "add", "--store", "pocket"], "--store takes keychain or file"],
    [["provider", "add", "--store"], "--store takes keychain or file"],
    [["provider", "remove"], "the provider's name is missing"],
    [["provider", "add", "--token-stdin", "--token-ref", "env:X"], "--token-stdin cannot be combined with --token-ref"],
  ];
  for (const [argv, message] of mistakes) {
    test(`${argv.join(" ")} is a usage error, with the usage on stderr`, async () => {
      const { exitCode, stdout, stderr } = await ccc(argv, config);
      expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
      const [first, usage, see, ...rest] = stderr.split("\n");
      expect([first, rest]).toEqual([`ccc: ${message}`, [""]]);
      expect(usage).toStartWith("Usage: ccc provider ");
      expect(see).toMatch(/^See ccc provider (\w+ )?--help\.$/);
      expect(stderr).not.toContain(KEY);
    });
  }
  test("other commands report mistakes the same way", async () => {
    const first = async (...argv: string[]) => (await ccc(argv, config)).stderr.split("\n")[0];
    expect(await first("key")).toBe("ccc: the provider's name is missing");
    expect(await first("completions")).toBe("ccc: the shell is missing");
    expect(await first("demo", "--engine", "x")).toBe("ccc: --engine takes hook or loop");
    expect(await first("validate", "--all", "glm")).toBe("ccc: --all cannot be combined with a provider");
    expect(await first("use", "--reset", "--json")).toBe("ccc: --reset cannot be combined with --json");
    expect(await first("use", "--json", "glm")).toBe("ccc: --json cannot be combined with a provider");
    expect(await first("migrate", "--name", "why")).toBe('ccc: "why": this word is a command of ccc');
    expect(await first("migrate", "--name", "--no-x")).toStartWith('ccc: "--no-x": ');
  });
  test("a mistake that has its own advice prints it instead of the usage", async () => {
    const { stderr } = await ccc(["validate", "gml"], config);
    expect(stderr).toBe('ccc: unknown provider "gml": did you mean "glm"?\nYour providers: kimi, glm, claude\n');
    expect((await ccc(["completions", "tcsh"])).stderr).toBe(
      'ccc: unsupported shell "tcsh"\nSupported: bash, zsh, fish, powershell\n',
    );
  });
  test("--help goes to stdout and needs no configuration", async () => {
    expect((await ccc(["provider", "list", "--help"])).stdout).toContain("Usage\n  ccc provider list [--json]\n");
    expect((await ccc(["--help"])).stdout).toContain("ccc [options] [provider] [claude arguments…]");
  });
  test("a typo runs nothing", async () => {
    const result = await ccc(["gml", "-p", "hi"], config);
    expect(result).toMatchObject({ exitCode: 2, stdout: "", ran: [], unchanged: true });
    expect(result.stderr).toContain('did you mean "glm"?');
  });
});
