import { describe, expect, test } from "bun:test";
import type { ProviderEntry } from "../../../src/config/schema.ts";
import { CccError } from "../../../src/errors.ts";
import { providerStore, replaceSettings } from "../../../src/providers/store.ts";
import { memoryFiles } from "../fakes.ts";

describe("renaming a provider", () => {
  const PATH = "/c/ccc.json";

  /** Renames glm to zai in this ccc.json. */
  function renamed(config: object | string, references: Record<string, string> = {}) {
    const files = memoryFiles({ [PATH]: typeof config === "string" ? config : JSON.stringify(config) });
    const store = providerStore({ files, env: { CCC_CONFIG_DIR: "/c" }, platform: "linux" }, "/backups");
    const named = store.rename({ from: "glm", to: "zai", references: new Map(Object.entries(references)) });
    return { named, config: JSON.parse(files.read(PATH) ?? "") };
  }
  const providers = { a: {}, glm: { env: { A: "1" } }, b: {} };

  describe("a provider is renamed", () => {
    test("in its place", () => {
      const { config, named } = renamed({ providers });
      expect(Object.keys(config.providers)).toEqual(["a", "zai", "b"]);
      expect([config.providers.zai, named]).toEqual([{ env: { A: "1" } }, []]);
    });

    test("everywhere that names it, and nowhere else", () => {
      const before = {
        default_provider: "glm",
        current_provider: "glm",
        fallback: ["b", "glm"],
        supervisor: { provider: "glm", fallback: ["a", "glm:air", "glm"], confirm: "glm:max" },
        folders: { "/x": "glm", "/y": { provider: "glm", only: true }, "/z": "a", "/w": { provider: "a", only: true } },
        providers,
      };
      const { config, named } = renamed(before);
      expect(config).toMatchObject({
        default_provider: "zai",
        current_provider: "zai",
        fallback: ["b", "zai"],
        supervisor: { provider: "zai", fallback: ["a", "zai:air", "zai"], confirm: "zai:max" },
        folders: { "/x": "zai", "/y": { provider: "zai", only: true }, "/z": "a", "/w": { provider: "a", only: true } },
      });
      expect(named).toEqual([
        ...["default_provider", "current_provider", "supervisor.provider", "supervisor.fallback"],
        ...["supervisor.confirm", "fallback"],
        ...["folders./x", "folders./y.provider"],
      ]);
    });

    test("and others stay", () => {
      const others = {
        current_provider: "a",
        supervisor: { provider: "b", fallback: ["a:glm"], confirm: true },
        providers,
      };
      const { config, named } = renamed(others);
      expect([config.current_provider, config.supervisor, named]).toEqual(["a", others.supervisor, []]);
    });

    test("with its references to keys", () => {
      const env = { ANTHROPIC_AUTH_TOKEN: "keychain:ccc/glm", OTHER: "keychain:x" };
      const { config, named } = renamed({ providers: { glm: { env } } }, { "keychain:ccc/glm": "keychain:ccc/zai" });
      expect(config.providers.zai.env).toEqual({ ...env, ANTHROPIC_AUTH_TOKEN: "keychain:ccc/zai" });
      expect(named).toEqual([]);
    });
  });

  describe("nothing is renamed", () => {
    const table: [why: string, config: object | string, message: string][] = [
      ["it is gone", { providers: { a: {} } }, 'provider "glm" is gone'],
      ["the new name is taken", { providers: { glm: {}, zai: {} } }, 'provider "zai" already exists'],
      ["it is there twice", '{"providers":{"glm":{},"glm":{"env":{}}}}', "duplicate key"],
    ];
    test.each(table)("%s", (_, config, message) => expect(() => renamed(config)).toThrow(message));
  });
});

describe("a provider that is added again", () => {
  const GLM = "https://api.z.ai/api/anthropic";
  const note = (name: string, env: Record<string, string>) => ({ name, as_of: "2026-01-01", env });

  const table: [situation: string, before: ProviderEntry, next: ProviderEntry, after: ProviderEntry][] = [
    [
      "permissions and variables of the user's own stay",
      { permissions: { deny: ["Bash"] }, env: { ANTHROPIC_BASE_URL: GLM, ANTHROPIC_AUTH_TOKEN: "old", MY_OWN: 1 } },
      { env: { ANTHROPIC_BASE_URL: GLM, ANTHROPIC_AUTH_TOKEN: "new" } },
      { permissions: { deny: ["Bash"] }, env: { ANTHROPIC_BASE_URL: GLM, ANTHROPIC_AUTH_TOKEN: "new", MY_OWN: 1 } },
    ],
    [
      "a value that the new description sets is the new one",
      { env: { API_TIMEOUT_MS: "5" } },
      { env: { API_TIMEOUT_MS: "3000000" } },
      { env: { API_TIMEOUT_MS: "3000000" } },
    ],
    [
      "models, windows and the other key are gone, also if the new description has none",
      {
        env: {
          ANTHROPIC_BASE_URL: GLM,
          ANTHROPIC_API_KEY: "old",
          ANTHROPIC_MODEL: "old-model",
          CLAUDE_CODE_MAX_CONTEXT_TOKENS: "1000",
        },
      },
      { env: { ANTHROPIC_BASE_URL: GLM, ANTHROPIC_AUTH_TOKEN: "new" } },
      { env: { ANTHROPIC_BASE_URL: GLM, ANTHROPIC_AUTH_TOKEN: "new" } },
    ],
    [
      "what the old preset had set is gone, what the user changed of it stays",
      { env: { API_TIMEOUT_MS: "1", OTHER: "mine" }, preset: note("glm", { API_TIMEOUT_MS: "1", OTHER: "2" }) },
      { env: { ANTHROPIC_AUTH_TOKEN: "k" }, preset: note("kimi", {}) },
      { env: { ANTHROPIC_AUTH_TOKEN: "k", OTHER: "mine" }, preset: note("kimi", {}) },
    ],
    [
      "on the same server, headers, a model setting and a helper stay",
      { apiKeyHelper: "pass", model: "opus", env: { ANTHROPIC_BASE_URL: GLM, ANTHROPIC_CUSTOM_HEADERS: "a: b" } },
      { env: { ANTHROPIC_BASE_URL: GLM } },
      { model: "opus", apiKeyHelper: "pass", env: { ANTHROPIC_BASE_URL: GLM, ANTHROPIC_CUSTOM_HEADERS: "a: b" } },
    ],
    [
      "a helper gives way to a key",
      { apiKeyHelper: "pass", env: { ANTHROPIC_BASE_URL: GLM } },
      { env: { ANTHROPIC_BASE_URL: GLM, ANTHROPIC_AUTH_TOKEN: "k" } },
      { env: { ANTHROPIC_BASE_URL: GLM, ANTHROPIC_AUTH_TOKEN: "k" } },
    ],
    [
      "nothing that authenticates at the old server, or is a model of its, reaches the new one",
      {
        apiKeyHelper: "pass",
        model: "glm-4",
        env: {
          ANTHROPIC_BASE_URL: GLM,
          ANTHROPIC_CUSTOM_HEADERS: "x-key: 1",
          ANTHROPIC_SMALL_FAST_MODEL: "m",
          MY_OWN: "1",
        },
      },
      { env: { ANTHROPIC_BASE_URL: "https://other.test" } },
      { env: { ANTHROPIC_BASE_URL: "https://other.test", MY_OWN: "1" } },
    ],
    [
      "a cloud is another server",
      { env: { CLAUDE_CODE_USE_BEDROCK: "1", AWS_REGION: "us-east-1" } },
      { env: { ANTHROPIC_API_KEY: "k" } },
      { env: { ANTHROPIC_API_KEY: "k", AWS_REGION: "us-east-1" } },
    ],
    ["a provider without anything stays so", {}, {}, {}],
  ];

  test.each(table)("%s", (_, before, next, after) => {
    expect(replaceSettings("name", before, next)).toEqual(after);
  });
});

describe("changing a provider", () => {
  const PATH = "/c/ccc.json";
  const TEXT = `{ "providers": { "glm": { "env": {   "A": "1",   "B": "2" } } } }`;

  function changed(change: (before: ProviderEntry | undefined) => ProviderEntry) {
    const files = memoryFiles({ [PATH]: TEXT });
    const store = providerStore({ files, env: { CCC_CONFIG_DIR: "/c" }, platform: "linux" }, "/backups");
    const { backup } = store.change("glm", change, new Date(0));
    return { text: files.read(PATH), backup };
  }

  test("keeps the layout of what stays, and a copy of the file", () => {
    const { text, backup } = changed(() => ({ env: { A: "3", B: "2" } }));
    expect(text).toBe(TEXT.replace('"1"', '"3"'));
    expect(backup).toStartWith("/backups/");
  });

  test("is done even if the last usage, a cache, cannot be removed", () => {
    const remove = () => {
      throw new CccError("cannot remove it: permission denied");
    };
    const files = { ...memoryFiles({ [PATH]: TEXT }), remove };
    const store = providerStore({ files, env: { CCC_CONFIG_DIR: "/c" }, platform: "linux" }, "/backups");
    store.add("zai", { env: { A: "1" } });
    expect(JSON.parse(files.read(PATH) ?? "").providers).toHaveProperty("zai");
  });

  test("to what it is already leaves no copy", () => {
    expect(changed((before) => ({ ...before }))).toEqual({ text: TEXT, backup: undefined });
  });
});
