import { describe, expect, test } from "bun:test";
import { isOtherReference } from "../../../src/providers/references.ts";
import { resolveReference } from "../../../src/providers/secrets.ts";
import { storeKey } from "../../../src/providers/store-key.ts";
import { fakeWorld, memoryKeychain } from "../fakes.ts";

describe("resolveReference", () => {
  const keychain = memoryKeychain({ glm: "from-keychain" });
  const { world } = fakeWorld({
    keychain,
    env: { HOME: "/home/u", K: " from-env \n", BLANK: " " },
    content: { "/home/u/.claude/key": "relative", "/abs": "absolute\nnote", "/home/u/k": "of home" },
    run: async ({ program, onLine, cwd }) => {
      onLine(new TextEncoder().encode(`${program.args.join(" ")} in ${cwd}`));
      onLine(new TextEncoder().encode("a note"));
      return { exitCode: 0, ending: "exited", stderr: "" };
    },
  });
  test.each([
    ["env:K", "from-env"],
    ["file:key", "relative"],
    ["file:/abs", "absolute"],
    ["file:~/k", "of home"],
    ["cmd:show it", "-c show it in /home/u/.claude"],
    ["keychain:glm", "from-keychain"],
  ])("%s", async (reference, key) => {
    expect(await resolveReference(reference, "field", world)).toBe(key);
  });
  test.each([
    ["env:BLANK", "field: the variable is empty"],
    ["env:NONE", "field: NONE is not set"],
    ["keychain:kimi", 'field: the keychain has no entry "kimi"'],
    ["file:", 'field: nothing follows after "file:"'],
  ])("%s fails", async (reference, message) => {
    expect(resolveReference(reference, "field", world)).rejects.toThrow(message);
  });
});

test.each<[string, unknown, boolean]>([
  ["ANTHROPIC_CUSTOM_HEADERS", "cmd:x", true],
  ["MY_API_KEY", "env:X", true],
  ["DATABASE_URL", "file:./x.db", false],
  ["ANTHROPIC_AUTH_TOKEN", "env:X", false],
  ["MY_API_KEY", "plain", false],
  ["MY_API_KEY", 5, false],
])("%s: %p is a reference beside the key: %p", (name, value, is) => expect(isOtherReference(name, value)).toBe(is));

describe("storeKey", () => {
  const broken = { ...memoryKeychain(), set: () => Promise.reject(new Error("locked")) };
  test("in the keychain, where there is one", async () => {
    const keychain = memoryKeychain();
    const { world } = fakeWorld({ keychain });
    expect(await storeKey("glm", "k", undefined, world)).toMatchObject({ value: "keychain:glm" });
    expect(keychain.content).toEqual({ glm: "k" });
  });
  test("one entry for each ccc.json", async () => {
    const { world } = fakeWorld({ env: { CCC_CONFIG_DIR: "/work" } });
    expect(await storeKey("glm", "k", undefined, world)).toMatchObject({ value: "keychain:glm@/work" });
  });
  test("in ccc.json, where there is none, or where that is wanted", async () => {
    expect(await storeKey("glm", "k", undefined, fakeWorld({ keychain: broken }).world)).toMatchObject({ value: "k" });
    const keychain = memoryKeychain();
    expect(await storeKey("glm", "k", "file", fakeWorld({ keychain }).world)).toMatchObject({ value: "k" });
    expect(keychain.content).toEqual({});
  });
  test("a keychain that is wanted and cannot be used is an error without the key", () => {
    expect(storeKey("glm", "k", "keychain", fakeWorld({ keychain: broken }).world)).rejects.toThrow("locked");
  });
});
