import { describe, expect, test } from "bun:test";
import type { ChildResult } from "../../../src/os/child.ts";
import { isOtherReference, isReference } from "../../../src/providers/references.ts";
import { resolveKey } from "../../../src/providers/secrets.ts";
import { forgetEntry, keyPlace } from "../../../src/providers/store-key.ts";
import { fakeWorld, memoryKeychain } from "../fakes.ts";

/** Nothing longer is taken for a key. */
const LONGEST = "x".repeat(100_000);

describe("resolveKey", () => {
  const keychain = memoryKeychain({ glm: "from-keychain" });
  const { world } = fakeWorld({
    keychain,
    env: { HOME: "/home/u", K: " from-env \n", BLANK: " " },
    content: {
      "/home/u/.claude/key": "relative",
      "/abs": "absolute\nnote",
      "/home/u/k": "of-home",
      "/spaces": "a b",
      "/longest": LONGEST,
      "/long": `${LONGEST}x`,
    },
    run: async ({ program, onLine, cwd }) => {
      onLine(new TextEncoder().encode(`${program.args.join("_")}_in_${cwd}`));
      onLine(new TextEncoder().encode("a note"));
      return { exitCode: 0, ending: "exited", stderr: "" };
    },
  });
  test.each([
    ["env:K", "from-env"],
    ["file:key", "relative"],
    ["file:/abs", "absolute"],
    ["file:~/k", "of-home"],
    ["file:/longest", LONGEST],
    ["cmd:show", "-c_show_in_/home/u/.claude"],
    ["keychain:glm", "from-keychain"],
  ])("%s", async (reference, key) => {
    expect(await resolveKey(reference, "field", world)).toBe(key);
  });
  test("an absolute path needs no HOME", async () => {
    const homeless = { ...world, env: { CCC_CONFIG_DIR: "/c" } };
    expect(await resolveKey("file:/abs", "field", homeless)).toBe("absolute");
  });
  test.each([
    ["env:BLANK", "field: the variable is empty"],
    ["env:NONE", "field: NONE is not set"],
    ["keychain:kimi", 'field: the keychain has no entry "kimi"'],
    ["file:", 'field: nothing follows "file:"'],
    ["file:/spaces", "field: file: does not yield a key"],
    ["file:/long", "field: /long is too long to be a key"],
  ])("%s fails", async (reference, message) => {
    expect(resolveKey(reference, "field", world)).rejects.toThrow(message);
  });
});

describe("a command that yields no key", () => {
  const resolved = (end: Partial<ChildResult>, lines: string[] = [], command = "show") => {
    const { world } = fakeWorld({
      env: { HOME: "/home/u", OTHER_API_KEY: "key-of-the-shell" },
      run: async ({ onLine }) => {
        const isStopped = lines.some((line) => onLine(new TextEncoder().encode(line)));
        return { exitCode: 0, ending: isStopped ? "stopped" : "exited", stderr: "", ...end };
      },
    });
    return resolveKey(`cmd:${command}`, "field", world);
  };
  const table: [situation: string, end: Partial<ChildResult>, message: string][] = [
    ["it fails", { exitCode: 3 }, "`show` ended with exit code 3"],
    ["it says why", { exitCode: 3, stderr: "first\nno such entry" }, "`show` ended with exit code 3: no such entry"],
    ["it is killed", { exitCode: null }, "`show` was killed by a signal"],
    ["it takes too long", { exitCode: null, ending: "timeout" }, "`show` did not finish within"],
    ["the user interrupts it", { exitCode: null, ending: "interrupted" }, "interrupted"],
  ];
  test.each(table)("%s", async (_, end, message) => {
    const error = await resolved(end).then(String, (failure: Error) => failure.message);
    expect(error).toContain(message);
    expect(error).not.toMatch(/undefined|null|: $/);
  });

  test("what it says has no key in it", async () => {
    const error = await resolved({ exitCode: 1, stderr: "bad key-of-the-shell, half-a-key" }, ["half-a-key"]).catch(
      String,
    );
    expect(error).toContain("bad ");
    expect(error).not.toMatch(/key-of-the-shell|half-a-key/);
  });

  test("what it says of its own words is legible, but for those that are masked in the command", async () => {
    const error = await resolved(
      { exitCode: 1, stderr: "vaultcli: no entry personal for hunter-2-x" },
      [],
      "vaultcli read --token hunter-2-x personal",
    ).catch(({ message }: Error) => message);
    expect(error).toBe(
      "field: `vaultcli read --token *** personal` ended with exit code 1: vaultcli: no entry personal for ***",
    );
  });

  test("it prints more than any key", async () => {
    // With the end of the line, that is the most.
    const longest = LONGEST.slice(1);
    expect(await resolved({}, [longest])).toBe(longest);
    await expect(resolved({}, [LONGEST])).rejects.toThrow("`show` prints too much for a key");
  });
});

test.each<[string, boolean]>([
  ["env:X", true],
  ["file:/key:1", true],
  ["cmd:pass glm", true],
  ["keychain:glm", true],
  ["env", false],
  ["", false],
  [":", false],
  ["sk-env:X", false],
  ["https://env:x", false],
])("%p is a reference: %p", (value, is) => expect(isReference(value)).toBe(is));

test.each<[string, unknown, boolean]>([
  ["ANTHROPIC_CUSTOM_HEADERS", "cmd:x", true],
  ["MY_API_KEY", "env:X", true],
  ["DATABASE_URL", "file:./x.db", false],
  ["ANTHROPIC_AUTH_TOKEN", "env:X", false],
  ["MY_API_KEY", "plain", false],
  ["MY_API_KEY", 5, false],
])("%s: %p is a reference beside the key: %p", (name, value, is) => expect(isOtherReference(name, value)).toBe(is));

describe("keyPlace", () => {
  const none = { ...memoryKeychain(), get: () => Promise.reject(new Error("no service")) };
  test("in the keychain, if there is one, and not before put() is called", async () => {
    const keychain = memoryKeychain({ glm: "of another" });
    const { world } = fakeWorld({ keychain });
    const place = await keyPlace("glm", "k", undefined, world);
    expect(place.value).toBe("keychain:glm");
    expect(keychain.content).toEqual({ glm: "of another" });
    await place.put();
    expect(keychain.content).toEqual({ glm: "k" });
  });
  test("one entry for each ccc.json", async () => {
    const { world } = fakeWorld({ env: { CCC_CONFIG_DIR: "/work" } });
    expect(await keyPlace("glm", "k", undefined, world)).toMatchObject({ value: "keychain:glm@/work" });
  });
  test("in ccc.json, where there is none, or where that is wanted", async () => {
    expect(await keyPlace("glm", "k", undefined, fakeWorld({ keychain: none }).world)).toMatchObject({ value: "k" });
    const keychain = memoryKeychain();
    const place = await keyPlace("glm", "k", "file", fakeWorld({ keychain }).world);
    await place.put();
    expect([place.value, keychain.content]).toEqual(["k", {}]);
  });
  test("a keychain that is wanted and cannot be used is an error", () => {
    expect(keyPlace("glm", "k", "keychain", fakeWorld({ keychain: none }).world)).rejects.toThrow("no service");
  });
  test("a locked one is an error that says how to go on, without the key", async () => {
    const keychain = { ...memoryKeychain(), set: () => Promise.reject(new Error("locked")) };
    const place = await keyPlace("glm", "the-key", undefined, fakeWorld({ keychain }).world);
    expect(place.put()).rejects.toThrow("locked");
  });
  test("only an entry that ccc made for this provider is forgotten", async () => {
    const keychain = memoryKeychain({ glm: "k", shared: "s" });
    const { world } = fakeWorld({ keychain });
    expect(await forgetEntry("keychain:shared", "glm", world)).toBeUndefined();
    expect(await forgetEntry("keychain:glm", "glm", world)).toMatchObject({ isRemoved: true });
    expect(keychain.content).toEqual({ shared: "s" });
  });
});
