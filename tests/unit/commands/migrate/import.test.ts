import { describe, expect, test } from "bun:test";
import { run } from "../../../../src/cli/run.ts";
import type { World } from "../../../../src/world.ts";
import { fakeWorld, memoryKeychain } from "../../fakes.ts";

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

Nothing was changed. To import them: ccc migrate --from claude-code-router --yes
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
    expect(await run(it.world)).toBe(answer ? 0 : 130);
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

test("what is not imported is named; there is no warning without a model", async () => {
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
  expect(said.stdout).toContain("\nNot imported:\n  one  hooks\n");
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

describe("names", () => {
  /** The names that providers with these labels get. */
  async function names(labels: string[], config = "{}") {
    const providers = labels.map((label, index) => ({ ...provider("llm"), name: label, api_key: `${KEY}${index}` }));
    const files = { [ROUTER]: JSON.stringify({ Providers: providers }), [CONFIG]: config };
    const it = imported(["--yes"], {}, files);
    expect(await run(it.world)).toBe(0);
    return Object.keys(saved(it)).filter((name) => name !== "GLM");
  }

  test("are made of those that the other tool has, or else of the server", async () => {
    expect(await names(["Zhipu GLM (Coding Plan)", "智谱 GLM", "深度求索", "Ünïcode!", "--", "use", "mcp"])).toEqual([
      "zhipu-glm-coding-plan",
      "glm",
      "llm",
      "unicode",
      "llm-2",
      "llm-3",
      "llm-4",
    ]);
  });

  test("are short, and end with a word", async () => {
    expect(await names(["Relay (company) with a long name for it", "x".repeat(40), "v1.2 .z_a."])).toEqual([
      "relay-company-with-a",
      "x".repeat(24),
      "v1.2-z_a",
    ]);
  });

  test("are made unique, also where only the case differs", async () => {
    const env = { ANTHROPIC_BASE_URL: "https://other.example", ANTHROPIC_AUTH_TOKEN: "x" };
    const config = JSON.stringify({ providers: { GLM: { env } } });
    expect(await names(["glm", "Glm"], config)).toEqual(["glm-2", "glm-3"]);
  });
});

describe("a second import adds nothing:", () => {
  const SERVER = "https://llm.example.com/anthropic";
  const own = { ANTHROPIC_BASE_URL: SERVER, ANTHROPIC_AUTH_TOKEN: "keychain:mine", ANTHROPIC_MODEL: "m" };

  /** What an import of one provider says, beside one that ccc.json has. */
  async function says(label: string, model: string, env: object = {}) {
    const found = { ...provider("llm"), name: label, models: [model] };
    const config = JSON.stringify({ providers: { mine: { env: { ...own, ...env } } } });
    const files = { [ROUTER]: JSON.stringify({ Providers: [found] }), [CONFIG]: config };
    const it = imported([], { keychain: memoryKeychain({ mine: KEY, another: "k" }) }, files);
    expect(await run(it.world)).toBe(0);
    return it.said.stdout
      .match(/^ {2}\S+ +(as \S+)?/m)?.[0]
      .trim()
      .replace(/ +/, " ");
  }

  test("the same server, key and model is the same provider, whatever its name", async () => {
    expect(await says("other", "m")).toBe("other as mine");
    expect(await says("other", "m", { ANTHROPIC_AUTH_TOKEN: KEY })).toBe("other as mine");
    expect(await says("other", "m2")).toBe("other");
    expect(await says("other", "m", { ANTHROPIC_AUTH_TOKEN: "keychain:another" })).toBe("other");
    expect(await says("other", "m", { ANTHROPIC_BASE_URL: "https://x.example" })).toBe("other");
  });

  test("one of that name may have been given another model since", async () =>
    expect(await says("mine", "m2")).toBe("mine as mine"));

  test("two of the other tool that are the same become one", async () => {
    const twice = ["a", "b"].map((name) => ({ ...provider("llm"), name }));
    const it = imported([], {}, { [ROUTER]: JSON.stringify({ Providers: twice }) });
    expect(await run(it.world)).toBe(0);
    expect(it.said.stdout).toContain("New:\n  a  ");
    expect(it.said.stdout).toContain("Already in ccc.json:\n  b  as a\n");
  });
});
