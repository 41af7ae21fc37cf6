import { describe, expect, test } from "bun:test";
import { run } from "../../../../src/cli/run.ts";
import type { Ask } from "../../../../src/terminal/dialog.ts";
import type { World } from "../../../../src/world.ts";
import { fakeWorld, memoryFiles } from "../../fakes.ts";

const SETTINGS = "/home/u/.claude/settings.json";
const env = { ANTHROPIC_BASE_URL: "https://api.z.ai/api/anthropic", ANTHROPIC_AUTH_TOKEN: "a-key-of-some-length" };
const content = { [SETTINGS]: JSON.stringify({ env, theme: "dark" }) };

function atTerminal(answers: Partial<Ask>) {
  const { ask } = fakeWorld().world;
  return fakeWorld({ argv: ["migrate"], content, isTerminal: () => true, ask: { ...ask, ...answers } });
}

test("on a terminal it asks for the name and for confirmation", async () => {
  const asked: string[] = [];
  const { world, said, files } = atTerminal({
    text: async (_question, { preset = "", check } = {}) => {
      asked.push(preset, check?.("use") ?? "", check?.("work") ?? "fine");
      return "work";
    },
    confirm: async () => true,
  });
  expect(await run(world)).toBe(0);
  expect(asked).toEqual(["glm", "this word is a command of ccc", "fine"]);
  expect(said.stdout).toEndWith("Done. To start it: ccc work\n");
  expect(JSON.parse(files.content["/home/u/.claude/ccc.json"] ?? "").providers).toEqual({ work: { env } });
  expect(JSON.parse(files.content[SETTINGS] ?? "")).toEqual({ theme: "dark" });
});

test("the plan fits the terminal", async () => {
  const { world, said } = atTerminal({ text: async () => "work", confirm: async () => false });
  await run({ ...world, columns: () => 60 });
  expect(said.stdout).toContain("sets a provider.");
  expect(said.stdout.split("\n").filter((line) => line.length > 60)).toEqual([]);
});

test("nothing changes without confirmation", async () => {
  const { world, said, files } = atTerminal({ text: async () => "work", confirm: async () => false });
  const before = { ...files.content };
  expect(await run(world)).toBe(130);
  expect(said.stdout).toEndWith("Nothing was changed.\n");
  expect(files.content).toEqual(before);
});

const CONFIG = "/home/u/.claude/ccc.json";
const BACKUPS = "/home/u/.claude/ccc/backups";

/** Runs `ccc migrate` without a terminal, unless it is given one. */
async function migrate(args: string[], files: Record<string, string>, parts: Partial<World> = {}) {
  const { world, said, files: after } = fakeWorld({ argv: ["migrate", ...args], content: files, ...parts });
  const exitCode = await run(world);
  const copies = after.list(BACKUPS).map((name) => after.content[`${BACKUPS}/${name}`]);
  return { exitCode, ...said, content: after.content, copies };
}

test("without a terminal nothing changes, unless --yes is passed", async () => {
  const found = await migrate([], content);
  expect(found.exitCode).toBe(0);
  expect(found.stdout).toEndWith("Nothing was changed. To apply this: ccc migrate --yes\n");
  expect(found.content).toMatchObject(content);
  expect(Object.keys(found.content)).not.toContain(CONFIG);
});

test("--yes asks nothing, also on a terminal, and keeps copies of the files", async () => {
  const config = '{ "providers": { "other": {} } }';
  const files = { ...content, [CONFIG]: config };
  const found = await migrate(["--yes"], files, { isTerminal: () => true });
  expect(found.exitCode).toBe(0);
  expect(found.stdout).toEndWith("Done. To start it: ccc glm\n");
  expect(found.stderr).toContain(BACKUPS);
  expect(JSON.parse(found.content[CONFIG] ?? "").providers).toEqual({ other: {}, glm: { env } });
  expect(found.copies).toEqual([config, content[SETTINGS] ?? ""]);
});

test("--name decides, so that only the confirmation is asked", async () => {
  const ask = { ...fakeWorld().world.ask, confirm: async () => true };
  const found = await migrate(["--name", "work"], content, { isTerminal: () => true, ask });
  expect(found.exitCode).toBe(0);
  expect(Object.keys(JSON.parse(found.content[CONFIG] ?? "").providers)).toEqual(["work"]);
});

test("a name that no provider can have, or that one has, is refused", async () => {
  const files = { ...content, [CONFIG]: '{"providers":{"taken":{}}}' };
  for (const [name, exitCode, says] of [
    ["use", 2, '"use": this word is a command of ccc'],
    ["taken", 1, 'provider "taken" already exists; nothing was changed\nChoose another name: ccc migrate --name NAME'],
  ] as const) {
    const found = await migrate(["--yes", "--name", name], files);
    expect(found).toMatchObject({ exitCode, content: files });
    expect(found.stderr).toContain(says);
  }
});

describe("settings.json", () => {
  const hook = { hooks: [{ type: "command", command: "/b/ccc supervisor-hook" }] };

  test("is not touched if only slash commands are to be removed", async () => {
    const command = "/home/u/.claude/commands/supervisor.md";
    const text = "!`ccc supervisor-mode on`";
    const found = await migrate(["--yes"], { [command]: text });
    expect(found).toMatchObject({ exitCode: 0, copies: [text] });
    expect(found.stdout).toEndWith("Done.\n");
    expect(Object.keys(found.content)).not.toContain(command);
    expect(Object.keys(found.content)).not.toContain(SETTINGS);
  });

  const edits: [name: string, before: object, after: object][] = [
    ["loses a single variable", { env: { ANTHROPIC_API_KEY: "k" }, theme: "dark" }, { theme: "dark" }],
    ["loses a single hook", { hooks: { Stop: [hook] }, theme: "dark" }, { theme: "dark" }],
    ["keeps what was empty before", { env: { ANTHROPIC_API_KEY: "k" }, hooks: {} }, { hooks: {} }],
  ];
  for (const [name, before, after] of edits)
    test(name, async () => {
      const found = await migrate(["--yes"], { [SETTINGS]: JSON.stringify(before) });
      expect(found).toMatchObject({ exitCode: 0, copies: [JSON.stringify(before)] });
      expect(JSON.parse(found.content[SETTINGS] ?? "")).toEqual(after);
    });

  test("that cannot be edited stops it before anything is changed", async () => {
    const files = { [SETTINGS]: '{"env":{"ANTHROPIC_API_KEY":"a","ANTHROPIC_API_KEY":"b"}}' };
    const found = await migrate(["--yes"], files);
    expect(found).toMatchObject({ exitCode: 1, content: files, copies: [] });
    expect(found.stderr).toContain(`${SETTINGS} could not be edited; nothing was changed in it\n`);
    expect(Object.keys(found.content)).not.toContain(CONFIG);
  });
});

test("a replaced claude is restored if nothing is in the way", async () => {
  const script = '#!/bin/sh\nexport CCC_CLAUDE=/bin/ccc-claude\nexec ccc "$@"\n';
  const both = { "/bin/claude": script, "/bin/ccc-claude": "the real one" };
  const restored = await migrate(["--yes"], both);
  expect(restored.content["/bin/claude"]).toBe("the real one");
  expect(Object.keys(restored.content)).not.toContain("/bin/ccc-claude");
  const files = memoryFiles({ ...both, "/self/ccc": "" });
  const left = fakeWorld({ argv: ["migrate", "--yes"], files: { ...files, canWrite: () => false } });
  expect(await run(left.world)).toBe(0);
  expect(files.content).toMatchObject(both);
});

describe("the plan that is shown", () => {
  async function plan(settings: object, parts: Partial<World> = {}, more: Record<string, string> = {}) {
    const files = memoryFiles({ "/self/ccc": "ccc", [SETTINGS]: JSON.stringify(settings), ...more });
    const { world, said } = fakeWorld({ argv: ["migrate"], ...parts, files: { ...files, canWrite: () => false } });
    expect(await run(world)).toBe(0);
    return said.stdout;
  }
  const glm = { ...env, ANTHROPIC_AUTH_TOKEN: "0123456789abcdef" };

  test("masks keys, and says what the user has to do", async () => {
    const script = '#!/bin/sh\nexport CCC_CLAUDE=/usr/bin/ccc-claude\nexec ccc "$@"\n';
    // A variable that ccc does not know may hold a key.
    const settings = { env: { ...glm, ANTHROPIC_TOMORROW: "nobody-knows-0123" } };
    const where = { env: { HOME: "/home/u", PATH: "/usr/bin" } };
    const text = await plan(settings, where, {
      "/usr/bin/claude": script,
      "/usr/bin/ccc-claude": "a program ".repeat(1000),
    });
    expect(text).toContain(`Save it as "glm" in ${CONFIG}`);
    expect(text).toContain("ANTHROPIC_AUTH_TOKEN = ***cdef");
    expect(text).toContain("ANTHROPIC_TOMORROW = ***0123");
    expect(text).toContain("sudo mv /usr/bin/ccc-claude /usr/bin/claude");
    expect(text).not.toContain(glm.ANTHROPIC_AUTH_TOKEN);
    expect(text).not.toContain("apiKeyHelper");
  });

  test("names references and a helper, which are no keys", async () => {
    const text = await plan({ env: { ...glm, ANTHROPIC_AUTH_TOKEN: "env:MY_GLM_KEY" }, apiKeyHelper: "pass show glm" });
    expect(text).toContain("\n    ANTHROPIC_AUTH_TOKEN = env:MY_GLM_KEY\n");
    expect(text).toContain("\n    apiKeyHelper\n");
  });
});

describe("the provider in settings.json", () => {
  const glm = { ...env, ANTHROPIC_AUTH_TOKEN: "0123456789abcdef" };
  const migrated = async (settings: object, providers: object = {}, args: string[] = []) => {
    const files = { [SETTINGS]: JSON.stringify(settings), [CONFIG]: JSON.stringify({ providers }) };
    const found = await migrate(["--yes", ...args], files);
    expect(found.exitCode).toBe(0);
    const { providers: after } = JSON.parse(found.content[CONFIG] ?? "");
    return { providers: after, settings: JSON.parse(found.content[SETTINGS] ?? ""), stdout: found.stdout };
  };

  const names: [name: string, env: Record<string, unknown>, taken?: string[], args?: string[]][] = [
    ["glm", glm],
    ["glm-2", glm, ["glm"]],
    ["glm-3", glm, ["glm", "glm-2"]],
    ["work", glm, ["glm"], ["--name", "work"]],
    ["example", { ANTHROPIC_BASE_URL: "https://api.example.com/v1", ANTHROPIC_AUTH_TOKEN: "k" }],
    ["local", { ANTHROPIC_BASE_URL: "http://127.0.0.1:9999", ANTHROPIC_AUTH_TOKEN: "k" }],
    ["mine", { ANTHROPIC_BASE_URL: "https://use.example", ANTHROPIC_AUTH_TOKEN: "k" }],
    ["anthropic-api", { ANTHROPIC_API_KEY: "k" }],
    ["anthropic", { CLAUDE_CODE_OAUTH_TOKEN: "k" }],
  ];
  for (const [name, env, taken = [], args = []] of names) {
    test(`is called ${name}`, async () => {
      const { providers } = await migrated({ env }, Object.fromEntries(taken.map((each) => [each, {}])), args);
      expect(Object.keys(providers)).toEqual([...taken, name]);
    });
  }

  test("moves with its variables; the rest stays", async () => {
    const others = { MINE: "1", ANTHROPIC_MODEL: "", API_TIMEOUT_MS: "9" };
    const { providers, settings } = await migrated({ env: { ...glm, ...others }, apiKeyHelper: "cat k" });
    expect(providers).toEqual({ glm: { env: glm, apiKeyHelper: "cat k" } });
    expect(settings).toEqual({ env: others });
  });

  test("leaves a misspelt variable, which ccc.json refuses, where it is", async () => {
    const { providers, settings } = await migrated({ env: { ...glm, ANTHROPIC_API_URL: "x" } });
    expect(providers).toEqual({ glm: { env: glm } });
    expect(settings).toEqual({ env: { ANTHROPIC_API_URL: "x" } });
  });

  test("has numbers and booleans as text; what cannot be a variable's value stays", async () => {
    const odd = { ANTHROPIC_MODEL: ["m"], ANTHROPIC_SMALL_FAST_MODEL: null, ANTHROPIC_BETAS: { a: 1 } };
    const { providers, settings } = await migrated({
      env: { ANTHROPIC_API_KEY: 1234, CLAUDE_CODE_USE_BEDROCK: true, ...odd },
    });
    expect(Object.values(providers)).toEqual([{ env: { ANTHROPIC_API_KEY: "1234", CLAUDE_CODE_USE_BEDROCK: "true" } }]);
    expect(settings).toEqual({ env: odd });
  });

  test("is only removed if ccc.json already has it", async () => {
    const mine = { mine: { env: glm } };
    const { providers, settings, stdout } = await migrated({ env: glm, theme: "dark" }, mine);
    expect([providers, settings]).toEqual([mine, { theme: "dark" }]);
    expect(stdout).toContain('sets the same as the provider "mine"');
  });

  test("stays if a launch would refuse it", async () => {
    const settings = {
      env: { ANTHROPIC_BASE_URL: "https://gateway.example", ANTHROPIC_CUSTOM_HEADERS: "x-key: k" },
    };
    const found = await migrated(settings);
    expect(found.stdout).toContain("names the server https://gateway.example without a key");
    expect(found.stdout).toEndWith("Nothing to migrate.\n");
    expect(found).toMatchObject({ settings, providers: {} });
  });

  const nothing: [name: string, settings: object][] = [
    ["no settings", {}],
    ["a model alone", { env: { ANTHROPIC_MODEL: "opus", MINE: "1" } }],
    ["blanks", { env: { ANTHROPIC_API_KEY: "" } }],
    ["settings that are not an object", [1]],
    [
      "the hook of `ccc use`",
      { hooks: { Stop: [{ hooks: [{ command: "/b/ccc supervisor-hook --announce --persistent" }] }] } },
    ],
    ["somebody else's hooks", { hooks: { Stop: [{ hooks: [{ command: "./my-ccc.sh" }] }, 5], Odd: 1 } }],
  ];
  for (const [name, settings] of nothing) {
    test(`is not there: ${name}`, async () =>
      expect(await migrated(settings)).toEqual({ settings, providers: {}, stdout: "Nothing to migrate.\n" }));
  }

  test("is not there: what `ccc use` wrote", async () => {
    const content = { [CONFIG]: JSON.stringify({ providers: { glm: { env: glm } } }) };
    const used = fakeWorld({ argv: ["use", "--supervisor", "glm"], content });
    expect(await run(used.world)).toBe(0);
    const { world, said } = fakeWorld({ argv: ["migrate"], content: used.files.content });
    expect([await run(world), said.stdout]).toEqual([0, "Nothing to migrate.\n"]);
  });
});

describe("hooks of the Go ccc are removed:", () => {
  const after = async (settings: object, indent: number | string) => {
    const found = await migrate(["--yes"], { [SETTINGS]: JSON.stringify(settings, null, indent) });
    return { json: JSON.parse(found.content[SETTINGS] ?? ""), stdout: found.stdout };
  };
  test.each([
    "/usr/local/bin/ccc supervisor-hook",
    "ccc supervisor-hook --state-dir .claude/ccc",
    '"/a b/ccc" supervisor-hook',
    "/x/ccc-supervisor-hook",
  ])("%s", async (command) => {
    const entry = { hooks: [{ type: "command", command, timeout: 600 }] };
    const { json, stdout } = await after({ hooks: { Stop: [entry] }, theme: "dark" }, 2);
    expect(json).toEqual({ theme: "dark" });
    expect(stdout).toContain(`- Remove a hook of an earlier ccc from ${SETTINGS} (Stop): ${command}\n`);
  });
  test("others beside them stay", async () => {
    const mine = { type: "command", command: "mine" };
    const theirs = { type: "command", command: "/b/ccc supervisor-hook" };
    const hooks = {
      Stop: [{ hooks: [mine] }, { hooks: [theirs] }],
      PreToolUse: [{ matcher: "AskUserQuestion", hooks: [mine, theirs] }],
    };
    expect((await after({ hooks }, "\t")).json).toEqual({
      hooks: { Stop: [{ hooks: [mine] }], PreToolUse: [{ matcher: "AskUserQuestion", hooks: [mine] }] },
    });
  });
});

const padded = (text: string, size: number) => text + "#".repeat(size - text.length);

describe("a claude that the Go ccc replaced", () => {
  const SCRIPT = '#!/bin/sh\nexport CCC_CLAUDE=/usr/bin/ccc-claude\nexec ccc "$@"\n';
  const PROGRAM = "a program ".repeat(1000);
  const both = { "/usr/bin/claude": SCRIPT, "/usr/bin/ccc-claude": PROGRAM };
  const restores =
    "- /usr/bin/claude is a script of an earlier ccc. Restore the real claude from /usr/bin/ccc-claude\n";

  /** What `ccc migrate` would do about it. */
  async function plan(content: Record<string, string>, parts: Partial<World> = {}, canWrite = true) {
    const files = { ...memoryFiles({ "/self/ccc": "ccc", ...content }), canWrite: () => canWrite };
    const shell = { HOME: "/home/u", PATH: "/first:/usr/bin" };
    const { world, said } = fakeWorld({ argv: ["migrate"], env: shell, ...parts, files });
    expect(await run(world)).toBe(0);
    return said.stdout;
  }

  const restorable: [name: string, content: Record<string, string>][] = [
    ["the script as it was", both],
    ["a script that names ccc by its path", { ...both, "/usr/bin/claude": SCRIPT.replace("ccc ", "/opt/ccc ") }],
    ["a script with a quoted path", { ...both, "/usr/bin/claude": SCRIPT.replace(/=(.*)/, '="$1"') }],
    ["a script of almost 4 KiB", { ...both, "/usr/bin/claude": padded(SCRIPT, 4095) }],
    ["a real claude that mentions the variable", { ...both, "/usr/bin/ccc-claude": `${PROGRAM}CCC_CLAUDE=` }],
    ["a real claude that is small", { ...both, "/usr/bin/ccc-claude": "small, but no script" }],
  ];
  for (const [name, content] of restorable)
    test(`can be restored: ${name}`, async () => expect(await plan(content)).toContain(restores));

  const obstacles: [obstacle: string, content: Record<string, string>][] = [
    ["it is in another folder", { "/usr/bin/claude": SCRIPT.replace("/usr/bin", "/opt"), "/opt/ccc-claude": PROGRAM }],
    ["it is missing or not a program", { "/usr/bin/claude": SCRIPT }],
    ["it is also a script that runs ccc", { ...both, "/usr/bin/ccc-claude": SCRIPT }],
    [
      "it was replaced by ccc itself, not by a script",
      { "/self/ccc": "same size", "/usr/bin/claude": "SAME SIZE", "/usr/bin/ccc-claude": PROGRAM },
    ],
  ];
  for (const [obstacle, content] of obstacles)
    test(`cannot be restored: ${obstacle}`, async () =>
      expect(await plan(content)).toContain(`, but ${obstacle}. To `));

  test("cannot be restored: you have no write permission there", async () =>
    expect(await plan(both, {}, false)).toContain(", but you have no write permission there. To "));

  const others: [name: string, content: Record<string, string>, parts?: Partial<World>][] = [
    ["no claude at all", {}],
    ["claude itself", { "/usr/bin/claude": PROGRAM }],
    ["another claude before it on the PATH", { ...both, "/first/claude": PROGRAM }],
    ["claude beside a program of that name", { "/usr/bin/claude": PROGRAM, "/usr/bin/ccc-claude": PROGRAM }],
    ["a link to ccc of one's own", { "/self/ccc": "same", "/usr/bin/claude": "SAME" }],
    ["a script of one's own", { ...both, "/usr/bin/claude": "#!/bin/sh\nexec ccc-claude --verbose\n" }],
    ["a script that does not run ccc", { ...both, "/usr/bin/claude": SCRIPT.replace("exec ccc", "exec other") }],
    ["a text that is not a script", { ...both, "/usr/bin/claude": SCRIPT.replace("#!", "") }],
    ["a script that is too large", { ...both, "/usr/bin/claude": padded(SCRIPT, 4096) }],
    ["Windows", both, { platform: "win32", env: { USERPROFILE: "/home/u", PATH: "/usr/bin" } }],
  ];
  for (const [name, content, parts] of others)
    test(`is not: ${name}`, async () => expect(await plan(content, parts)).toBe("Nothing to migrate.\n"));
});

test("slash commands are the Go ccc's if they call what it had", async () => {
  const folder = "/home/u/.claude/commands";
  const call = "!`ccc supervisor-mode on`";
  const { stdout } = await migrate([], {
    [`${folder}/supervisor.md`]: call,
    [`${folder}/supervisoroff.md`]: '!`"/a b/ccc.exe" supervisor-mode off`',
    [`${folder}/supervisor-mine.md`]: "Ask my supervisor.",
    [`${folder}/supervisor-large.md`]: padded(call, 4096),
    [`${folder}/other.md`]: call,
  });
  expect(stdout.match(/(?<=slash command of an earlier ccc: ).*/g)).toEqual([
    `${folder}/supervisor.md`,
    `${folder}/supervisoroff.md`,
  ]);
});
