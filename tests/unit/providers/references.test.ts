import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { ChildResult } from "../../../src/os/child.ts";
import { providerLaunch } from "../../../src/providers/identity.ts";
import { resolvedIdentity, resolveKeys } from "../../../src/providers/references.ts";
import { shownReference } from "../../../src/providers/show.ts";
import type { World } from "../../../src/world.ts";
import { fakeWorld, memoryKeychain } from "../fakes.ts";

const SERVER = { ANTHROPIC_BASE_URL: "https://glm.test" };

function identity(env: Record<string, string>) {
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

describe("a request that ccc sends itself has the provider's key", () => {
  test.each(["ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_API_KEY"])("in %s alone, if a reference is there", async (name) =>
    expect((await identity({ [name]: "env:GLM" })).env).toEqual({ ...SERVER, [name]: "the-key" }),
  );
  test("as ccc.json has it, without a reference", async () => {
    const env = { ANTHROPIC_AUTH_TOKEN: "own", ANTHROPIC_API_KEY: "other" };
    expect((await identity(env)).env).toEqual({ ...SERVER, ...env });
  });
  test("or is not sent, if the provider cannot be launched", async () => {
    await expect(identity({})).rejects.toThrow("no ANTHROPIC_AUTH_TOKEN or ANTHROPIC_API_KEY");
    await expect(identity({ ANTHROPIC_AUTH_TOKEN: "env:NONE" })).rejects.toThrow("NONE is not set");
  });
});

/** The key that a reference stands for. */
async function resolved(reference: string, world: World): Promise<string | undefined> {
  return (await resolveKeys([{ reference, field: "field" }], world))[0];
}

/** Nothing longer is taken for a key. */
const LONGEST = "x".repeat(100_000);

describe("a reference is resolved", () => {
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
    expect(await resolved(reference, world)).toBe(key);
  });
  test("an absolute path needs no HOME", async () => {
    const homeless = { ...world, env: { CCC_CONFIG_DIR: "/c" } };
    expect(await resolved("file:/abs", homeless)).toBe("absolute");
  });
  test("a missing entry of the keychain is stored with a command that names the provider", async () => {
    const found = resolveKeys([{ field: "providers.my.glm.env.ANTHROPIC_AUTH_TOKEN", reference: "keychain:x" }], world);
    await expect(found).rejects.toMatchObject({ advice: "Store the key there: ccc provider edit my.glm --key" });
  });
  test.each([
    ["env:BLANK", "field: the variable is empty"],
    ["env:NONE", "field: NONE is not set"],
    ["keychain:kimi", 'field: the keychain has no entry "kimi"'],
    ["file:", 'field: nothing follows "file:"'],
    ["file:/spaces", "field: file: does not yield a key"],
    ["file:/long", "field: /long is too long to be a key"],
  ])("%s fails", async (reference, message) => {
    await expect(resolved(reference, world)).rejects.toThrow(message);
  });
});

describe("a command that yields no key", () => {
  const ended = (end: Partial<ChildResult>, lines: string[] = [], command = "show") => {
    const { world } = fakeWorld({
      env: { HOME: "/home/u", OTHER_API_KEY: "key-of-the-shell" },
      run: async ({ onLine }) => {
        const isStopped = lines.some((line) => onLine(new TextEncoder().encode(line)));
        return { exitCode: 0, ending: isStopped ? "stopped" : "exited", stderr: "", ...end };
      },
    });
    return resolved(`cmd:${command}`, world);
  };
  const table: [situation: string, end: Partial<ChildResult>, message: string][] = [
    ["it fails", { exitCode: 3 }, "`show` ended with exit code 3"],
    ["it says why", { exitCode: 3, stderr: "first\nno such entry" }, "`show` ended with exit code 3: no such entry"],
    ["it is killed", { exitCode: null }, "`show` was killed by a signal"],
    ["it takes too long", { exitCode: null, ending: "timeout" }, "`show` did not finish within"],
    ["the user interrupts it", { exitCode: null, ending: "interrupted" }, "interrupted"],
  ];
  test.each(table)("%s", async (_, end, message) => {
    const error = await ended(end).then(String, (failure: Error) => failure.message);
    expect(error).toContain(message);
    expect(error).not.toMatch(/undefined|null|: $/);
  });

  test("no key is in its error output", async () => {
    const error = await ended({ exitCode: 1, stderr: "bad key-of-the-shell, half-a-key" }, ["half-a-key"]).catch(
      String,
    );
    expect(error).toContain("bad ");
    expect(error).not.toMatch(/key-of-the-shell|half-a-key/);
  });

  test("its error output is readable, except words that are masked in the command", async () => {
    const error = await ended(
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
    expect(await ended({}, [longest])).toBe(longest);
    await expect(ended({}, [LONGEST])).rejects.toThrow("`show` prints too much for a key");
  });
});

describe("a reference for display", () => {
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
    fc.assert(fc.property(text, text, (before, after) => !shownReference(`cmd:${before}${key}${after}`).includes(key)));
  });
});
