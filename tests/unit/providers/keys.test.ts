import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { ChildResult } from "../../../src/os/child.ts";
import { providerLaunch } from "../../../src/providers/identity.ts";
import {
  forgetEntry,
  keyPlace,
  keyVariable,
  resolvedIdentity,
  resolveKey,
  shownReference,
} from "../../../src/providers/keys.ts";
import { isOtherReference, isReference } from "../../../src/providers/variables.ts";
import { fakeWorld, memoryKeychain } from "../fakes.ts";

describe("credentials", () => {
  const SERVER = { ANTHROPIC_BASE_URL: "https://glm.test" };

  function resolved(env: Record<string, string>) {
    const { world } = fakeWorld({ env: { HOME: "/home/u", GLM: "the-key" } });
    const launch = providerLaunch({
      loaded: { config: {}, providers: new Map([["glm", { env: { ...SERVER, ...env } }]]) },
      provider: "glm",
      env: world.env,
      managed: [],
      writesKey: false,
      keyCommand: () => "",
    });
    return resolvedIdentity(launch, world);
  }

  describe("a request of ccc's own has the provider's key", () => {
    test.each(["ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_API_KEY"])("in %s alone, if a reference is there", async (name) =>
      expect((await resolved({ [name]: "env:GLM" })).env).toEqual({ ...SERVER, [name]: "the-key" }),
    );
    test("as ccc.json has it, without a reference", async () => {
      const env = { ANTHROPIC_AUTH_TOKEN: "own", ANTHROPIC_API_KEY: "other" };
      expect((await resolved(env)).env).toEqual({ ...SERVER, ...env });
    });
    test("or is not sent, if the provider cannot be launched", async () => {
      await expect(resolved({})).rejects.toThrow("no ANTHROPIC_AUTH_TOKEN or ANTHROPIC_API_KEY");
      await expect(resolved({ ANTHROPIC_AUTH_TOKEN: "env:NONE" })).rejects.toThrow("NONE is not set");
    });
  });
});

describe("key variable", () => {
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
});

describe("secrets", () => {
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
});

describe("shown reference", () => {
  describe("a reference as anyone may see it", () => {
    const same = [
      "env:MY_KEY",
      "file:~/keys/glm 4.txt",
      "keychain:glm@/home/u/x",
      "cmd:pass show kimi",
      "cmd: pass show ai/glm-4.7 | head -1",
      "cmd:security find-generic-password -s kimi -w",
      "cmd:op read op://Private/kimi/credential",
      "cmd:python3 ~/bin/print_key.py --name kimi 2>/dev/null",
      "cmd:'/opt/my tools/key' $HOME && cat \"/home/u/it is/here.txt\"",
      "cmd:C:\\tools\\key.exe /q",
      "cmd:cut -d: -f2 < /etc/keys",
      "cmd:exit 3",
      `cmd:get ${"w".repeat(23)}`,
    ];
    for (const reference of same) test(reference, () => expect(shownReference(reference)).toBe(reference));

    const table: [reference: string, shown: string][] = [
      ["file:https://me:pass@x/y", "file:https://***@x/y"],
      ["cmd:echo sk-abc", "cmd:echo ***"],
      ["cmd:printf '%s' swordfish >&2; echo -n password", "cmd:printf *** *** >&2; echo -n ***"],
      ["cmd:curl -H 'X-Api-Key: abc' https://v.test/", "cmd:curl -H 'X-Api-Key: ***' https://v.test/"],
      ['cmd:curl -H "Authorization: Bearer abc" x', 'cmd:curl -H "Authorization: Bearer ***" x'],
      ["cmd:curl --header=X-Api-Key:abc", "cmd:curl --header=***"],
      ["cmd:curl -HX-Api-Key:abc", "cmd:curl ***"],
      ["cmd:curl -u me:pass -s https://v.test/?k=v", "cmd:curl -u me:*** -s https://v.test/?***"],
      ["cmd:curl https://me:pass@v.test/0123456789abcdef/x", "cmd:curl https://***@v.test/***/x"],
      ["cmd:vault read --token abc -f", "cmd:vault read --token *** -f"],
      ["cmd:vault read --token=abc", "cmd:vault read --token=***"],
      ["cmd:vault read --token=abc kimi", "cmd:vault read --token=*** kimi"],
      ["cmd:vault read --name kimi --token < abc kimi", "cmd:vault read --name kimi --token < abc ***"],
      ["cmd:vault read --password swordfish", "cmd:vault read --password ***"],
      ["cmd:VAULT_TOKEN=abc LANG=C X=a1 vault read", "cmd:VAULT_TOKEN=*** LANG=C X=*** vault read"],
      ["cmd:a; KEY=abc b | C=s.1 d", "cmd:a; KEY=*** b | C=*** d"],
      ["cmd:mysql -phunter2 -p hunter", "cmd:mysql *** -p ***"],
      ["cmd:get hunter2 a1B2c3/d4", "cmd:get *** ***"],
      ["cmd:sh -c 'curl -H abc'", "cmd:sh -c ***"],
      ["cmd:get $(echo abc) `echo abc`", "cmd:get $(echo ***) *** ***"],
      ["cmd:get 'it''s' \"a\\\"b\"", "cmd:get *** ***"],
      ["cmd:get it's abc", "cmd:get it***"],
      ["cmd:0123456789abcdef", "cmd:***"],
      [`cmd:get ${"w".repeat(24)} ${"w".repeat(24)}/x`, "cmd:get *** ***"],
    ];
    for (const [reference, shown] of table) test(reference, () => expect(shownReference(reference)).toBe(shown));

    test("whatever it is, a key in it does not show", () => {
      const key = "s3cr3t-0f-th3-t3st";
      const piece = fc.oneof(
        fc.string({ unit: "grapheme-ascii" }),
        fc.constantFrom(" ", "'", '"', "-H ", "--x=", "K=", ";", "|", "https://", "/", "\\", "echo ", ": ", "$("),
      );
      const text = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(""));
      fc.assert(
        fc.property(text, text, (before, after) => !shownReference(`cmd:${before}${key}${after}`).includes(key)),
      );
    });
  });
});
