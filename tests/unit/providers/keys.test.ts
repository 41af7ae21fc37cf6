import { describe, expect, test } from "bun:test";
import { forgetEntry, keyProblem, keyStorage, keyVariable } from "../../../src/providers/keys.ts";
import { fakeWorld, memoryKeychain } from "../fakes.ts";

describe("a text is not a key", () => {
  test.each([
    ["", "a key is required"],
    ["sk 1", "a key contains no spaces and no control characters"],
    ["sk-\u200b1", "a key contains no spaces and no control characters"],
    ["env:GLM_KEY", "that is a reference, not a key: pass it with --token-ref"],
    ["${GLM_KEY}", "that names a variable: pass it with --token-ref env:NAME"],
    ["sk-0123456789", undefined],
  ])("%p: %p", (text, problem) => expect(keyProblem(text)).toBe(problem));
});

const SERVER = { ANTHROPIC_BASE_URL: "https://my.test" };

describe("the variable of a provider's key", () => {
  const found: [situation: string, name: string, entry: Parameters<typeof keyVariable>[1], variable: string][] = [
    ["the one that has it", "my", { env: { ...SERVER, ANTHROPIC_API_KEY: "k" } }, "ANTHROPIC_API_KEY"],
    ["not an empty one", "my", { env: { ANTHROPIC_API_KEY: "", ANTHROPIC_AUTH_TOKEN: "t" } }, "ANTHROPIC_AUTH_TOKEN"],
    ["for a server without a key", "my", { env: SERVER }, "ANTHROPIC_AUTH_TOKEN"],
    [
      "that of the preset",
      "my",
      { preset: { name: "anthropic-api", as_of: "2026-01-01", env: {} } },
      "ANTHROPIC_API_KEY",
    ],
  ];
  test.each(found)("%s", (_, name, entry, variable) => expect(keyVariable(name, entry)).toBe(variable));

  const none: [situation: string, entry: Parameters<typeof keyVariable>[1], message: string][] = [
    ["a helper", { apiKeyHelper: "x", env: { ANTHROPIC_AUTH_TOKEN: "t" } }, "comes from its apiKeyHelper"],
    ["two keys", { env: { ANTHROPIC_AUTH_TOKEN: "t", ANTHROPIC_API_KEY: "k" } }, '"my" has two keys'],
    ["the login", {}, "it uses your Claude login"],
    ["a cloud", { env: { ...SERVER, CLAUDE_CODE_USE_BEDROCK: "1" } }, "it uses the credentials of"],
  ];
  test.each(none)("none: %s", (_, entry, message) => expect(() => keyVariable("my", entry)).toThrow(message));
});

describe("a key is stored", () => {
  const none = { ...memoryKeychain(), get: () => Promise.reject(new Error("no service")) };
  test("in the keychain, if there is one, and not before put() is called", async () => {
    const keychain = memoryKeychain({ glm: "of another" });
    const { world } = fakeWorld({ keychain });
    const storage = await keyStorage("glm", "k", undefined, world);
    expect(storage.value).toBe("keychain:glm");
    expect(keychain.content).toEqual({ glm: "of another" });
    await storage.put();
    expect(keychain.content).toEqual({ glm: "k" });
  });
  test("one entry for each ccc.json", async () => {
    const { world } = fakeWorld({ env: { CCC_CONFIG_DIR: "/work" } });
    expect(await keyStorage("glm", "k", undefined, world)).toMatchObject({ value: "keychain:glm@/work" });
  });
  test("in ccc.json, where there is none, or where that is wanted", async () => {
    expect(await keyStorage("glm", "k", undefined, fakeWorld({ keychain: none }).world)).toMatchObject({ value: "k" });
    const keychain = memoryKeychain();
    const storage = await keyStorage("glm", "k", "file", fakeWorld({ keychain }).world);
    await storage.put();
    expect([storage.value, keychain.content]).toEqual(["k", {}]);
  });
  test("a keychain that is wanted and cannot be used is an error", () => {
    expect(keyStorage("glm", "k", "keychain", fakeWorld({ keychain: none }).world)).rejects.toThrow("no service");
  });
  test("a locked one is an error", async () => {
    const keychain = { ...memoryKeychain(), set: () => Promise.reject(new Error("locked")) };
    const storage = await keyStorage("glm", "the-key", undefined, fakeWorld({ keychain }).world);
    expect(storage.put()).rejects.toThrow("locked");
  });
  test("only an entry that ccc made for this provider is forgotten", async () => {
    const keychain = memoryKeychain({ glm: "k", shared: "s" });
    const { world } = fakeWorld({ keychain });
    expect(await forgetEntry("keychain:shared", "glm", world)).toBeUndefined();
    expect(await forgetEntry("keychain:glm", "glm", world)).toMatchObject({ isRemoved: true });
    expect(keychain.content).toEqual({ shared: "s" });
  });
});
