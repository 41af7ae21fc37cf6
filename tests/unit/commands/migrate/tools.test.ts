import { describe, expect, test } from "bun:test";
import { type FoundTool, readTool } from "../../../../src/commands/migrate/tools.ts";
import type { Row } from "../../../../src/os/stores.ts";
import { findPreset, presetEnv } from "../../../../src/providers/preset-list.ts";
import { fakeWorld } from "../../fakes.ts";

const KEY = "sk-0123456789abcdef";
const URL = "https://llm.example.com/anthropic";
const SETTINGS = { env: { ANTHROPIC_BASE_URL: URL, ANTHROPIC_AUTH_TOKEN: KEY } };

const worldWith = (content: Record<string, string>, rows: readonly Row[] = []) =>
  fakeWorld({ content, queryDatabase: () => rows }).world;

/** What becomes of each provider: its address and key, or why it is skipped. */
function outcome({ providers }: FoundTool): string[] {
  return providers.map((each) =>
    "problem" in each
      ? `${each.label}: ${each.problem.split(/[,;:]/)[0]}`
      : `${each.label}: ${each.env.ANTHROPIC_BASE_URL ?? "Anthropic"} ${each.key ?? each.written}`,
  );
}

describe("CC Switch", () => {
  const DB = "/home/u/.cc-switch/cc-switch.db";
  const row = (parts: Row): Row => ({ name: "Some", settings_config: JSON.stringify(SETTINGS), meta: "{}", ...parts });
  const read = (parts: Row) => outcome(readTool("cc-switch", undefined, worldWith({ [DB]: "" }, [row(parts)])));
  const OPENAI = "Some: it speaks OpenAI's format";

  const rows: [what: string, parts: Row, outcome: string][] = [
    ["a usual provider", {}, `Some: ${URL} ${KEY}`],
    ["one in Anthropic's format", { meta: '{"apiFormat":"anthropic"}' }, `Some: ${URL} ${KEY}`],
    ["a meta that is not JSON", { meta: "{" }, `Some: ${URL} ${KEY}`],
    ["OpenAI's chat format", { meta: '{"apiFormat":"openai_chat"}' }, OPENAI],
    ["OpenAI's responses", { meta: '{"apiFormat":"openai_responses"}' }, OPENAI],
    ["Gemini's", { meta: '{"apiFormat":"gemini_native"}' }, "Some: it does not speak Anthropic's format"],
    ["an older way to say so", { settings_config: JSON.stringify({ ...SETTINGS, api_format: "openai_chat" }) }, OPENAI],
    ["the oldest", { settings_config: JSON.stringify({ ...SETTINGS, openrouter_compat_mode: true }) }, OPENAI],
    [
      "a signed-in account",
      { meta: '{"providerType":"codex_oauth"}' },
      "Some: it needs an account that CC Switch signs in to",
    ],
    [
      "the official entry",
      { category: "official", settings_config: '{"env":{}}' },
      "Some: it is Claude Code's own login",
    ],
    ["the official entry, whatever else is in it", { category: "official" }, "Some: it is Claude Code's own login"],
    ["an empty one", { settings_config: '{"env":{}}' }, "Some: it is Claude Code's own login"],
    ["settings that are not JSON", { settings_config: "{" }, "Some: it is Claude Code's own login"],
    ["an address for its proxy", { meta: '{"isFullUrl":true}' }, "Some: its address works only with CC Switch's proxy"],
  ];
  for (const [what, parts, expected] of rows) test(what, () => expect(read(parts)).toEqual([expected]));

  test("its own settings are not reported as not taken over, those of Claude Code are", () => {
    const settings = { ...SETTINGS, api_format: "anthropic", openrouter_compat_mode: false, permissions: {} };
    const world = worldWith({ [DB]: "" }, [row({ settings_config: JSON.stringify(settings) })]);
    expect(readTool("cc-switch", undefined, world).providers[0]).toMatchObject({ dropped: ["permissions"] });
  });

  test("the config.json of versions before 3.8", () => {
    const providers = { a: { id: "a", name: "Mine", settingsConfig: SETTINGS } };
    const content = {
      "/home/u/.cc-switch/config.json": JSON.stringify({ version: 2, claude: { providers, current: "a" } }),
    };
    expect(outcome(readTool("cc-switch", undefined, worldWith(content)))).toEqual([`Mine: ${URL} ${KEY}`]);
  });

  test("no file, the wrong file, and a file that is not its own", () => {
    expect(() => readTool("cc-switch", undefined, worldWith({}))).toThrow(
      `no providers of CC Switch found: there is no ${DB} and no /home/u/.cc-switch/config.json`,
    );
    expect(() => readTool("cc-switch", undefined, worldWith({}))).toThrow(
      expect.objectContaining({ advice: "If it keeps them elsewhere, name the file: --file PATH" }),
    );
    expect(() => readTool("cc-switch", "/x.db", worldWith({}))).toThrow("there is no /x.db");
    expect(() => readTool("cc-switch", "/x.db", worldWith({}))).toThrow(
      expect.objectContaining({ advice: "Check the path. Nothing was changed." }),
    );
    expect(() => readTool("cc-switch", "/x.json", worldWith({ "/x.json": "[]" }))).toThrow(
      "/x.json could not be understood as a file of CC Switch",
    );
  });
});

describe("CCS", () => {
  const file = (name: string, env: unknown) => ({ [`/home/u/.ccs/${name}.settings.json`]: JSON.stringify({ env }) });
  const env = SETTINGS.env;

  test("profiles of config.yaml; other programs, logins and its own proxy are skipped", () => {
    const yaml = `version: 13
accounts:
  work: { created: "2026-01-01" }
profiles:
  glm: { type: api, settings: ~/.ccs/glm.settings.json, target: claude }
  gpt: { type: api, settings: ~/.ccs/gpt.settings.json, target: codex }
  hf: { type: api, settings: hf.settings.json }
  v1: { type: api, settings: v1.settings.json }
  gemini: { type: api, settings: ~/.ccs/gemini.settings.json }
  gone: { type: api, settings: ~/.ccs/gone.settings.json }
  raw: { type: api, settings: ~/.ccs/raw.settings.json }
`;
    const content = {
      "/home/u/.ccs/config.yaml": yaml,
      ...file("glm", { ...env, CCS_DROID_PROVIDER: "anthropic" }),
      ...file("hf", { ...env, CCS_DROID_PROVIDER: "generic-chat-completion-api" }),
      ...file("v1", { ...env, ANTHROPIC_BASE_URL: "https://llm.example.com/v1" }),
      ...file("gemini", { ...env, ANTHROPIC_BASE_URL: "http://127.0.0.1:8317/api/provider/gemini" }),
      ...file("raw", { ...env, ANTHROPIC_AUTH_TOKEN: "YOUR_GLM_API_KEY_HERE" }),
    };
    const found = readTool("ccs", undefined, worldWith(content));
    expect(outcome(found)).toEqual([
      `glm: ${URL} ${KEY}`,
      "gpt: it is for codex",
      "hf: it speaks OpenAI's format",
      "v1: it speaks OpenAI's format",
      "gemini: it goes through the proxy that CCS runs",
      "gone: its file is missing",
      "raw: it has no key",
      "work: it is a login in a folder of its own",
    ]);
    expect(found.providers[0]).toMatchObject({ env: { ANTHROPIC_BASE_URL: URL }, dropped: [] });
  });

  test("profiles of config.json, and a file that is not its own", () => {
    const profiles = { kimi: "~/.ccs/kimi.settings.json", default: "~/.claude/settings.json" };
    const content = { "/home/u/.ccs/config.json": JSON.stringify({ profiles }), ...file("kimi", env) };
    expect(outcome(readTool("ccs", undefined, worldWith(content)))).toEqual([
      `kimi: ${URL} ${KEY}`,
      "default: it is Claude Code's own settings.json",
    ]);
    expect(() => readTool("ccs", "/x.json", worldWith({ "/x.json": "profiles: {}" }))).toThrow(
      "could not be understood",
    );
    for (const text of ["[", "- a", "just words"]) {
      expect(() => readTool("ccs", "/x.yaml", worldWith({ "/x.yaml": text }))).toThrow(
        "could not be understood as a file of CCS",
      );
    }
  });
});

describe("claude-code-router", () => {
  const FILE = "/home/u/.claude-code-router/config.json";
  const read = (config: unknown) =>
    readTool("claude-code-router", undefined, worldWith({ [FILE]: JSON.stringify(config) }));
  const of = (provider: object) => outcome(read({ Providers: [{ name: "some", api_key: KEY, ...provider }] }));
  const OPENAI = "some: it speaks OpenAI's format";

  const providers: [what: string, provider: object, outcome: string][] = [
    ["an Anthropic path", { api_base_url: `${URL}/v1/messages` }, `some: ${URL} ${KEY}`],
    [
      "the Anthropic transformer",
      { api_base_url: "https://llm.example.com/v1/messages", transformer: { use: ["Anthropic"] } },
      `some: https://llm.example.com ${KEY}`,
    ],
    [
      "the same with options",
      { api_base_url: "https://llm.example.com/api", transformer: { use: [["Anthropic", { UseBearer: true }]] } },
      `some: https://llm.example.com/api ${KEY}`,
    ],
    [
      "another transformer beside it",
      { api_base_url: "https://a.example/api", transformer: { use: ["Anthropic", "deepseek"] } },
      OPENAI,
    ],
    ["OpenAI's path", { api_base_url: "https://api.example.com/v1/chat/completions" }, OPENAI],
    ["no address", {}, OPENAI],
    ["a variable", { api_base_url: URL, api_key: "$MY_KEY" }, `some: ${URL} env:MY_KEY`],
    ["a variable in braces", { api_base_url: URL, api_key: "${MY_KEY}" }, `some: ${URL} env:MY_KEY`],
    ["a key that ccc would run", { api_base_url: URL, api_key: "cmd:touch /tmp/x" }, "some: its key is not valid"],
    ["a key that ccc would read", { api_base_url: URL, api_key: "env:HOME" }, "some: its key is not valid"],
    [
      "version 3, by type",
      { type: "anthropic_messages", baseUrl: URL, api_key: "", credentials: [{ apiKey: KEY }] },
      `some: ${URL} ${KEY}`,
    ],
    [
      "version 3, the key that is switched on",
      {
        type: "anthropic_messages",
        baseUrl: URL,
        api_key: "",
        credentials: [
          { apiKey: "sk-another-0123456789", enabled: false },
          { apiKey: KEY, enabled: true },
        ],
      },
      `some: ${URL} ${KEY}`,
    ],
    [
      "version 3, by ability",
      {
        type: "openai_chat_completions",
        baseUrl: "https://a.example/v1",
        capabilities: [{ type: "anthropic_messages", baseUrl: URL }],
      },
      `some: ${URL} ${KEY}`,
    ],
    ["version 3, OpenAI's format at an Anthropic path", { type: "openai_chat_completions", baseUrl: URL }, OPENAI],
    [
      "version 3, switched off",
      { type: "anthropic_messages", baseUrl: URL, enabled: false },
      "some: it is disabled there",
    ],
  ];
  for (const [what, provider, expected] of providers) test(what, () => expect(of(provider)).toEqual([expected]));

  test("the router's models are those of the provider", () => {
    const provider = { name: "p", api_base_url: URL, api_key: KEY, models: ["first", "best", "small"] };
    const models = (router: unknown) => {
      const [found] = read({ Providers: [provider], Router: router }).providers;
      if (found === undefined || "problem" in found) return [];
      return [found.env.ANTHROPIC_MODEL, found.env.ANTHROPIC_DEFAULT_HAIKU_MODEL];
    };
    expect(models({ default: "p,best", background: "p,small" })).toEqual(["best", "small"]);
    expect(models({ default: "other,best", background: "p,unknown" })).toEqual(["first", "first"]);
    expect(models(undefined)).toEqual(["first", "first"]);
  });

  test("the database of version 3 is preferred to the config.json that it came from", () => {
    const value_json = JSON.stringify({
      Providers: [{ name: "new", type: "anthropic_messages", baseUrl: URL, api_key: KEY }],
    });
    const content = { [FILE]: '{"Providers":[]}', "/home/u/.claude-code-router/config.sqlite": "" };
    expect(outcome(readTool("claude-code-router", undefined, worldWith(content, [{ value_json }])))).toEqual([
      `new: ${URL} ${KEY}`,
    ]);
    const env = { HOME: "/home/u", USERPROFILE: "/home/u", APPDATA: "/roaming" };
    const onWindows = (platform: NodeJS.Platform) =>
      fakeWorld({
        content: { ...content, "/roaming/claude-code-router/config.sqlite": "" },
        env,
        platform,
        queryDatabase: () => [{ value_json }],
      }).world;
    expect(readTool("claude-code-router", undefined, onWindows("win32")).path).toBe(
      "/roaming/claude-code-router/config.sqlite",
    );
    expect(readTool("claude-code-router", undefined, onWindows("linux")).path).toBe(
      "/home/u/.claude-code-router/config.sqlite",
    );
    expect(() => readTool("claude-code-router", undefined, worldWith(content, []))).toThrow(
      "config.sqlite could not be understood",
    );
  });
});

const GLM = findPreset("glm") ?? expect.unreachable();
const SERVER = "https://llm.example.com";

/** What becomes of a provider with these variables and other settings. */
function judged(env: Record<string, unknown>, others: object = {}) {
  const own = { ANTHROPIC_BASE_URL: SERVER, ANTHROPIC_AUTH_TOKEN: KEY, ...env };
  const row = { name: "x", settings_config: JSON.stringify({ env: own, ...others }) };
  return readTool("cc-switch", "/x.db", worldWith({ "/x.db": "" }, [row])).providers[0];
}

describe("a provider that ccc cannot have says why", () => {
  const problems: [env: Record<string, unknown>, problem: string][] = [
    [{ ANTHROPIC_AUTH_TOKEN: "" }, "it has no key"],
    [{ ANTHROPIC_AUTH_TOKEN: "sk-xxx" }, "it has no key"],
    [{ ANTHROPIC_AUTH_TOKEN: "<your key>" }, "it has no key"],
    [{ ANTHROPIC_AUTH_TOKEN: "two words" }, "its key is not valid"],
    [{ ANTHROPIC_AUTH_TOKEN: "cmd:id" }, "its key is not valid"],
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
      expect(judged(env)).toEqual({ label: "x", problem: expect.stringContaining(problem) });
    });
  }
});

describe("what becomes of its settings", () => {
  test("variables stay, except those that run code or are not variables", () => {
    const own = { API_TIMEOUT_MS: 3000, NODE_OPTIONS: "--require ./x.js", "A B": "1", LIST: [], EMPTY: "" };
    expect(judged(own, { hooks: {} })).toMatchObject({
      env: { ANTHROPIC_BASE_URL: SERVER, API_TIMEOUT_MS: "3000" },
      token: "ANTHROPIC_AUTH_TOKEN",
      key: KEY,
      dropped: ["NODE_OPTIONS", "A B", "hooks"],
    });
  });

  test("a misspelt variable, which ccc.json refuses, is left out", () => {
    expect(judged({ ANTHROPIC_URL: "https://other.example.com" })).toMatchObject({
      env: { ANTHROPIC_BASE_URL: SERVER },
      dropped: ["ANTHROPIC_URL"],
    });
  });

  test("the same key twice is one; a server on this machine needs none", () => {
    expect(judged({ ANTHROPIC_API_KEY: KEY })).toMatchObject({ key: KEY, env: { ANTHROPIC_BASE_URL: SERVER } });
    expect(judged({ ANTHROPIC_AUTH_TOKEN: "", ANTHROPIC_BASE_URL: "http://localhost:8080" })).toMatchObject({
      key: undefined,
      written: "none",
    });
    expect(judged({ ANTHROPIC_BASE_URL: "http://localhost:8080" })).toMatchObject({ key: KEY, written: undefined });
  });

  test("a model other than Claude gets what provider add would give it", () => {
    expect(judged({ ANTHROPIC_MODEL: "some-model" })).toMatchObject({ env: { ENABLE_TOOL_SEARCH: "false" } });
    expect(judged({ ANTHROPIC_MODEL: "some-model", ENABLE_TOOL_SEARCH: "true" })).toMatchObject({
      env: { ENABLE_TOOL_SEARCH: "true" },
    });
    const { ANTHROPIC_BASE_URL, ANTHROPIC_DEFAULT_OPUS_MODEL = "", ...more } = presetEnv(GLM);
    const model = ANTHROPIC_DEFAULT_OPUS_MODEL.replace("[1m]", "");
    expect(judged({ ANTHROPIC_BASE_URL, ANTHROPIC_MODEL: model })).toMatchObject({
      env: { ...more, ANTHROPIC_MODEL: model, CLAUDE_CODE_MAX_CONTEXT_TOKENS: String(GLM.contextWindow) },
    });
    // What a preset says is about its models at its server.
    for (const other of [{ ANTHROPIC_BASE_URL, ANTHROPIC_MODEL: "some-model" }, { ANTHROPIC_MODEL: model }])
      expect(judged(other)).not.toHaveProperty(["env", "CLAUDE_CODE_MAX_CONTEXT_TOKENS"]);
    const claude = judged({ ANTHROPIC_MODEL: "claude-opus-4-8" });
    expect(claude).not.toHaveProperty(["env", "ENABLE_TOOL_SEARCH"]);
  });
});
