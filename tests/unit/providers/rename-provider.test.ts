import { describe, expect, test } from "bun:test";
import { renameProvider } from "../../../src/providers/rename-provider.ts";
import { memoryFiles } from "../fakes.ts";

const PATH = "/ccc.json";

/** Renames glm to zai in this ccc.json. */
function renamed(config: object | string, references: Record<string, string> = {}) {
  const files = memoryFiles({ [PATH]: typeof config === "string" ? config : JSON.stringify(config) });
  const named = renameProvider(files, PATH, {
    from: "glm",
    to: "zai",
    references: new Map(Object.entries(references)),
  });
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
      current_provider: "glm",
      supervisor: { provider: "glm", fallback: ["a", "glm:air", "glm"] },
      folders: { "/x": "glm", "/y": { provider: "glm", only: true }, "/z": "a", "/w": { provider: "a", only: true } },
      providers,
    };
    const { config, named } = renamed(before);
    expect(config).toMatchObject({
      current_provider: "zai",
      supervisor: { provider: "zai", fallback: ["a", "zai:air", "zai"] },
      folders: { "/x": "zai", "/y": { provider: "zai", only: true }, "/z": "a", "/w": { provider: "a", only: true } },
    });
    expect(named).toEqual([
      ...["current_provider", "supervisor.provider", "supervisor.fallback", "folders./x", "folders./y.provider"],
    ]);
  });

  test("and others stay", () => {
    const others = { current_provider: "a", supervisor: { provider: "b", fallback: ["a:glm"] }, providers };
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
