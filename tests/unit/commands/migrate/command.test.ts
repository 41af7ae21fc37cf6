import { describe, expect, test } from "bun:test";
import { run } from "../../../../src/cli/run.ts";
import type { Ask } from "../../../../src/terminal/ask.ts";
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

test("without a terminal nothing changes unless it is told to", async () => {
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
