import { expect, test } from "bun:test";
import { run } from "../../../../../src/cli/run.ts";
import type { World } from "../../../../../src/world.ts";
import { fakeWorld, memoryKeychain } from "../../../fakes.ts";

const KEY = "sk-of-some-length-6789";
const ROUTER = "/home/u/.claude-code-router/config.json";
const CONFIG = "/home/u/.claude/ccc.json";
const provider = (name: string, more: object = {}) => ({
  name,
  api_base_url: `https://${name}.example.com/anthropic`,
  api_key: KEY,
  models: ["some-model"],
  ...more,
});
const content = {
  [ROUTER]: JSON.stringify({
    Providers: [provider("one"), provider("two", { api_key: "$TWO" }), provider("three", { api_key: "" })],
  }),
};

function imported(argv: string[], parts: Partial<World> = {}, files: Record<string, string> = content) {
  return fakeWorld({ argv: ["migrate", "--from", "claude-code-router", ...argv], content: files, ...parts });
}

function saved({ files }: ReturnType<typeof imported>): Record<string, { env: Record<string, string> }> {
  return JSON.parse(files.content[CONFIG] ?? "{}").providers ?? {};
}

test("the preview names hosts, models, masked keys and their places, and what is skipped; nothing changes without --yes", async () => {
  const it = imported([]);
  const before = { ...it.files.content };
  expect(await run(it.world)).toBe(0);
  expect(it.said.stdout).toBe(`claude-code-router has 3 providers for Claude Code in ${ROUTER}.

New:
  one  https://one.example.com/anthropic  some-model  ***6789 → keychain
  two  https://two.example.com/anthropic  some-model  env:TWO

Skipped:
  three  it has no key

Nothing was changed. To import them, add --yes.
`);
  expect(it.files.content).toEqual(before);
});

test("keys go into the keychain, and a second import adds nothing", async () => {
  const keychain = memoryKeychain();
  const it = imported(["--yes"], { keychain });
  expect(await run(it.world)).toBe(0);
  expect(keychain.content).toEqual({ one: KEY });
  expect(saved(it).one?.env).toMatchObject({
    ANTHROPIC_BASE_URL: "https://one.example.com/anthropic",
    ANTHROPIC_AUTH_TOKEN: "keychain:one",
    ANTHROPIC_MODEL: "some-model",
    ANTHROPIC_DEFAULT_HAIKU_MODEL: "some-model",
    ENABLE_TOOL_SEARCH: "false",
  });
  expect(saved(it).two?.env.ANTHROPIC_AUTH_TOKEN).toBe("env:TWO");
  expect(it.said.stdout).toEndWith(
    "Added one, two. claude-code-router was not changed.\nTo check: ccc validate --all. To start: ccc one\n",
  );
  expect(it.said.stderr).toContain("a context window of 1M tokens for the models of one, two");
  expect(it.files.content[ROUTER]).toBe(content[ROUTER]);
  const again = fakeWorld({ argv: it.world.argv, keychain, content: it.files.content });
  const before = { ...again.files.content };
  expect(await run(again.world)).toBe(0);
  expect(again.said.stdout).toContain("Already in ccc.json:\n  one  as one\n  two  as two\n");
  expect(again.said.stdout).toEndWith("\nNothing to import.\n");
  expect(again.files.content).toEqual(before);
});

test("if one of them cannot be in ccc.json beside the others, none is imported", async () => {
  const both = { [ROUTER]: JSON.stringify({ Providers: [provider("glm"), provider("glm-plain")] }) };
  const keychain = memoryKeychain();
  const it = imported(["--yes"], { keychain }, both);
  expect(await run(it.world)).toBe(1);
  expect(it.said.stderr).toContain("glm-plain");
  expect({ saved: saved(it), keychain: keychain.content }).toEqual({ saved: {}, keychain: {} });
});

test("a key that the keychain refuses goes into ccc.json", async () => {
  const keychain = { ...memoryKeychain(), set: () => Promise.reject(new Error("it is full")) };
  const it = imported(["--yes"], { keychain });
  expect(await run(it.world)).toBe(0);
  expect(it.said.stderr).toContain('the keychain: it is full; the key of "one" is in ccc.json instead');
  expect(saved(it).one?.env.ANTHROPIC_AUTH_TOKEN).toBe(KEY);
});

test("--store file says so in the preview, and no keychain is asked", async () => {
  const keychain = memoryKeychain();
  const it = imported(["--yes", "--store", "file"], { keychain });
  expect(await run(it.world)).toBe(0);
  expect(it.said.stdout).toContain("***6789 → ccc.json");
  expect(saved(it).one?.env.ANTHROPIC_AUTH_TOKEN).toBe(KEY);
  expect(keychain.content).toEqual({});
});

test("on a terminal it asks, and no means no", async () => {
  for (const answer of [true, false]) {
    const asked: string[] = [];
    const confirm = async (question: string) => {
      asked.push(question);
      return answer;
    };
    const it = imported([], { isTerminal: () => true, ask: { ...fakeWorld().world.ask, confirm } });
    expect(await run(it.world)).toBe(0);
    expect(asked).toEqual(["Add 2 providers to ccc.json?"]);
    expect(Object.keys(saved(it))).toEqual(answer ? ["one", "two"] : []);
  }
});

test("names and models of another tool cannot write to the terminal", async () => {
  const codes = ["\u001b", "\u202e", "\u0007"];
  const label = `${codes.join("")}[2Jevil\nname`;
  const it = imported(
    [],
    {},
    { [ROUTER]: JSON.stringify({ Providers: [provider("x", { name: label, models: [codes.join("m")] })] }) },
  );
  expect(await run(it.world)).toBe(0);
  expect(it.said.stdout).toContain("evil");
  expect(codes.filter((code) => it.said.stdout.includes(code))).toEqual([]);
});

test("options that do not belong together are usage errors", async () => {
  for (const [argv, problem] of [
    [["migrate", "--file", "/x"], "--file needs --from TOOL"],
    [["migrate", "--store", "file"], "--store needs --from TOOL"],
    [["migrate", "--from", "ccs", "--name", "x"], "--name cannot be combined with --from"],
    [["migrate", "--from", "else"], "--from takes cc-switch, ccs or claude-code-router"],
  ] as const) {
    const { world, said } = fakeWorld({ argv });
    expect([await run(world), said.stderr]).toEqual([2, expect.stringContaining(problem)]);
  }
});

test("what is not taken over is named, and a window that is known is not asked about", async () => {
  const settings = {
    env: { ANTHROPIC_BASE_URL: "https://one.example.com", ANTHROPIC_AUTH_TOKEN: KEY },
    hooks: {},
  };
  const config = { profiles: { one: "~/.ccs/one.settings.json" } };
  const files = {
    "/home/u/.ccs/config.json": JSON.stringify(config),
    "/home/u/.ccs/one.settings.json": JSON.stringify(settings),
  };
  const { world, said } = fakeWorld({ argv: ["migrate", "--from", "ccs", "--yes"], content: files });
  expect(await run(world)).toBe(0);
  expect(said.stdout).toContain("\nNot taken over:\n  one  hooks\n");
  expect(said.stderr).toBe("");
});

test("one model whose window is not known is named in the singular", async () => {
  const it = imported(["--yes"], {}, { [ROUTER]: JSON.stringify({ Providers: [provider("one")] }) });
  expect(await run(it.world)).toBe(0);
  expect(it.said.stderr).toContain("a context window of 1M tokens for the model of one; if it is smaller");
  expect(it.said.stdout).toEndWith("To check: ccc validate one. To start: ccc one\n");
});

test("the keychain is asked for entries, never for a key", async () => {
  const asked: string[] = [];
  const keychain = memoryKeychain();
  const get = (name: string) => {
    asked.push(name);
    return keychain.get(name);
  };
  const env = { ANTHROPIC_BASE_URL: "https://x.test", ANTHROPIC_AUTH_TOKEN: KEY };
  const stored = { ...env, ANTHROPIC_AUTH_TOKEN: "keychain:stored" };
  const config = JSON.stringify({ providers: { written: { env }, stored: { env: stored } } });
  const it = imported([], { keychain: { ...keychain, get } }, { ...content, [CONFIG]: config });
  expect(await run(it.world)).toBe(0);
  expect(asked).toEqual(["stored", "one"]);
});
