import { describe, expect, test } from "bun:test";
import { judgeProvider } from "../../../../../src/commands/migrate/import/judge-provider.ts";
import { type KnownProvider, planImport } from "../../../../../src/commands/migrate/import/plan-import.ts";
import { findPreset } from "../../../../../src/providers/new-provider.ts";
import { presetEnv } from "../../../../../src/providers/preset-env.ts";

const GLM = findPreset("glm") ?? expect.unreachable();
const KEY = "sk-0123456789abcdef";
const URL = "https://llm.example.com";
const found = (label: string, env: Record<string, unknown> = {}, others: string[] = []) => ({
  label,
  env: { ANTHROPIC_BASE_URL: URL, ANTHROPIC_AUTH_TOKEN: KEY, ...env },
  others,
});

describe("a provider that ccc cannot have says why", () => {
  const problems: [env: Record<string, unknown>, problem: string][] = [
    [{ ANTHROPIC_AUTH_TOKEN: "" }, "it has no key"],
    [{ ANTHROPIC_AUTH_TOKEN: "sk-xxx" }, "it has no key"],
    [{ ANTHROPIC_AUTH_TOKEN: "<your key>" }, "it has no key"],
    [{ ANTHROPIC_AUTH_TOKEN: "two words" }, "its key is not one that can be sent"],
    [{ ANTHROPIC_AUTH_TOKEN: "cmd:id" }, "its key is not one that can be sent"],
    [{ ANTHROPIC_AUTH_TOKEN: "${HOME}" }, "its ANTHROPIC_AUTH_TOKEN has a value that ccc would read as a variable"],
    [{ ANTHROPIC_BASE_URL: "https://${HOST}" }, "its ANTHROPIC_BASE_URL has a value that ccc would read as a variable"],
    [{ ANTHROPIC_CUSTOM_HEADERS: "cmd:id" }, "its ANTHROPIC_CUSTOM_HEADERS has a value that ccc would read"],
    [{ ANTHROPIC_API_KEY: "sk-another-0123456789" }, "it has two different keys"],
    [{ ANTHROPIC_BASE_URL: "http://llm.example.com" }, "its address must begin with https://, because anyone"],
    [{ ANTHROPIC_BASE_URL: "https://u:p@llm.example.com" }, "its address must not contain a user name or password"],
    [{ ANTHROPIC_BASE_URL: "https://api.openai.com/v1" }, "it speaks OpenAI's format"],
    [{ ANTHROPIC_BASE_URL: "", ANTHROPIC_AUTH_TOKEN: "" }, "it is Claude Code's own login: ccc provider add anthropic"],
    [{ ANTHROPIC_BASE_URL: "", ANTHROPIC_AUTH_TOKEN: "", CLAUDE_CODE_USE_BEDROCK: "1" }, "it uses a cloud's own login"],
  ];
  for (const [env, problem] of problems) {
    test(`${JSON.stringify(env)}: ${problem}`, () => {
      expect(judgeProvider(found("x", env))).toEqual({ label: "x", problem: expect.stringContaining(problem) });
    });
  }
});

describe("what becomes of its settings", () => {
  const entry = (env: Record<string, unknown>, others?: string[]) => {
    const judged = judgeProvider(found("x", env, others));
    return "problem" in judged ? judged.problem : judged;
  };

  test("variables stay, except those that run code or are not variables", () => {
    const own = { API_TIMEOUT_MS: 3000, NODE_OPTIONS: "--require ./x.js", "A B": "1", LIST: [], EMPTY: "" };
    expect(entry(own, ["hooks"])).toMatchObject({
      env: { ANTHROPIC_BASE_URL: URL, API_TIMEOUT_MS: "3000" },
      token: "ANTHROPIC_AUTH_TOKEN",
      key: KEY,
      dropped: ["NODE_OPTIONS", "A B", "hooks"],
    });
  });

  test("a misspelt variable, which ccc.json refuses, is left out", () => {
    expect(entry({ ANTHROPIC_URL: "https://other.example.com" })).toMatchObject({
      env: { ANTHROPIC_BASE_URL: URL },
      dropped: ["ANTHROPIC_URL"],
    });
  });

  test("the same key twice is one; a server on this machine needs none", () => {
    expect(entry({ ANTHROPIC_API_KEY: KEY })).toMatchObject({ key: KEY, env: { ANTHROPIC_BASE_URL: URL } });
    expect(entry({ ANTHROPIC_AUTH_TOKEN: "", ANTHROPIC_BASE_URL: "http://localhost:8080" })).toMatchObject({
      key: undefined,
      written: "none",
    });
    expect(entry({ ANTHROPIC_BASE_URL: "http://localhost:8080" })).toMatchObject({ key: KEY, written: undefined });
  });

  test("a model other than Claude gets what provider add would give it", () => {
    expect(entry({ ANTHROPIC_MODEL: "some-model" })).toMatchObject({ env: { ENABLE_TOOL_SEARCH: "false" } });
    expect(entry({ ANTHROPIC_MODEL: "some-model", ENABLE_TOOL_SEARCH: "true" })).toMatchObject({
      env: { ENABLE_TOOL_SEARCH: "true" },
    });
    const { ANTHROPIC_BASE_URL, ANTHROPIC_DEFAULT_OPUS_MODEL = "", ...more } = presetEnv(GLM);
    const model = ANTHROPIC_DEFAULT_OPUS_MODEL.replace("[1m]", "");
    expect(entry({ ANTHROPIC_BASE_URL, ANTHROPIC_MODEL: model })).toMatchObject({
      env: { ...more, ANTHROPIC_MODEL: model, CLAUDE_CODE_MAX_CONTEXT_TOKENS: String(GLM.contextWindow) },
    });
    // What a preset says is about its models at its server.
    for (const other of [{ ANTHROPIC_BASE_URL, ANTHROPIC_MODEL: "some-model" }, { ANTHROPIC_MODEL: model }])
      expect(entry(other)).not.toHaveProperty(["env", "CLAUDE_CODE_MAX_CONTEXT_TOKENS"]);
    const claude = entry({ ANTHROPIC_MODEL: "claude-opus-4-8" });
    expect(claude).not.toHaveProperty(["env", "ENABLE_TOOL_SEARCH"]);
  });
});

describe("names", () => {
  const names = (labels: string[], known: KnownProvider[] = []) =>
    planImport(
      labels.map((label, index) => found(label, { ANTHROPIC_AUTH_TOKEN: `${KEY}${index}` })),
      known,
    ).add.map(({ name }) => name);

  test("are made of those that the other tool has", () => {
    expect(names(["Zhipu GLM (Coding Plan)", "智谱 GLM", "深度求索", "Ünïcode!", "--", "use", "mcp"])).toEqual([
      "zhipu-glm-coding-plan",
      "glm",
      "llm",
      "unicode",
      "llm-2",
      "llm-3",
      "llm-4",
    ]);
  });

  test("are short, and end with a word", () => {
    expect(names(["Relay (company) with a long name for it", "x".repeat(40), "v1.2 .z_a."])).toEqual([
      "relay-company-with-a",
      "x".repeat(24),
      "v1.2-z_a",
    ]);
  });

  test("are made unique, also where only the case differs", () => {
    const known = { name: "GLM", baseUrl: "https://other.example", model: undefined, keys: ["x"] };
    expect(names(["glm", "Glm"], [known])).toEqual(["glm-2", "glm-3"]);
  });
});

describe("a second import adds nothing", () => {
  const known = { name: "mine", baseUrl: URL, model: "m", keys: ["keychain:mine", KEY] };
  const plan = (label: string, env: Record<string, string>, other: Partial<KnownProvider> = {}) => {
    const { add, known: there } = planImport([found(label, env)], [{ ...known, ...other }]);
    return [...add.map(({ name }) => `add ${name}`), ...there.map(({ name }) => `is ${name}`)];
  };

  test("the same server, key and model is the same provider, whatever its name", () => {
    expect(plan("Other", { ANTHROPIC_MODEL: "m" })).toEqual(["is mine"]);
    expect(plan("Other", { ANTHROPIC_MODEL: "m2" })).toEqual(["add other"]);
    expect(plan("Other", { ANTHROPIC_MODEL: "m" }, { keys: ["another"] })).toEqual(["add other"]);
    expect(plan("Other", { ANTHROPIC_MODEL: "m" }, { baseUrl: "https://x.example" })).toEqual(["add other"]);
  });

  test("one of that name may have been given another model since", () => {
    expect(plan("mine", { ANTHROPIC_MODEL: "m2" })).toEqual(["is mine"]);
  });

  test("two of the other tool that are the same become one", () => {
    const { add, known: there } = planImport([found("a"), found("b")], []);
    expect([add.length, there]).toEqual([1, [{ label: "b", name: "a" }]]);
  });
});
