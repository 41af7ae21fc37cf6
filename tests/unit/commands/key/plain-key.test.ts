import { describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { managedFolder } from "../../../../src/claude/places.ts";
import { exists, POLICIES, plainKey } from "../../../../src/commands/key/plain-key.ts";
import { KINDS, keyCommandLine } from "../../../../src/providers/identity.ts";

const SERVER = "https://glm.test";

/** The answer to the command of a session on this server. */
async function answer(
  provider: object,
  { server = SERVER, name = "glm", shared = {}, platform = process.platform, retyped = (args: string[]) => args } = {},
) {
  const folder = await mkdtemp(join(tmpdir(), "ccc-plain-key-"));
  await Bun.write(join(folder, "ccc.json"), JSON.stringify({ settings: shared, providers: { glm: provider } }));
  const args = keyCommandLine("ccc", name, folder, server).split(" ").slice(1);
  const found = plainKey(retyped(args), platform);
  await rm(folder, { recursive: true });
  return found;
}

const on = (env: object, more: object = {}) => ({ env: { ANTHROPIC_BASE_URL: SERVER, ...env }, ...more });

describe("a key that simply stands in ccc.json is answered at once", () => {
  const table: [name: string, provider: object, key: string][] = [
    ["a token", on({ ANTHROPIC_AUTH_TOKEN: "t" }), "t"],
    ["an API key", on({ ANTHROPIC_API_KEY: "k", ANTHROPIC_AUTH_TOKEN: "" }), "k"],
    ["a token before an API key", on({ ANTHROPIC_API_KEY: "k", ANTHROPIC_AUTH_TOKEN: "t" }), "t"],
    ["a token with a newline after it", on({ ANTHROPIC_AUTH_TOKEN: "t\n" }), "t"],
  ];
  for (const [name, provider, key] of table) test(name, async () => expect(await answer(provider)).toBe(key));
});

describe("everything else is left to the whole command", () => {
  for (const kind of KINDS)
    test(`a key that begins with ${kind}`, async () =>
      expect(await answer(on({ ANTHROPIC_AUTH_TOKEN: `${kind}x` }))).toBeUndefined());
  for (const platform of ["linux", "darwin"] as const)
    test(`a machine with a policy, on ${platform}`, () => {
      expect(POLICIES).toContain(managedFolder(platform));
      expect([exists("/etc"), exists("/etc/passwd"), exists("/etc/no such folder")]).toEqual([true, true, false]);
    });
  const token = { ANTHROPIC_AUTH_TOKEN: "t" };
  test("Windows, where a policy may be in the registry", async () =>
    expect(await answer(on(token), { platform: "win32" })).toBeUndefined());
  const table: [name: string, found: () => Promise<string | undefined>][] = [
    ["a variable", () => answer(on({ ANTHROPIC_AUTH_TOKEN: "${GLM_KEY}" }))],
    ["a reference beside a token", () => answer(on({ ...token, ANTHROPIC_API_KEY: "env:K" }))],
    ["a shared key", () => answer(on({}), { shared: { env: token } })],
    ["a helper of its own", () => answer(on(token, { apiKeyHelper: "print" }))],
    ["another server than the session's", () => answer(on(token), { server: "https://other.test" })],
    ["a server that is a variable", () => answer(on({ ...token, ANTHROPIC_BASE_URL: "${URL}" }), { server: "${URL}" })],
    ["no server", () => answer({ env: token }, { server: "" })],
    ["no such provider", () => answer(on(token), { name: "kimi" })],
    ["a name that every object has", () => answer(on(token), { name: "constructor" })],
    ["values of other types", () => answer(on({ ANTHROPIC_AUTH_TOKEN: 5 }))],
    ["not an object", () => answer(["glm"])],
  ];
  for (const [name, found] of table) test(name, async () => expect(await found()).toBeUndefined());

  const retyped: [name: string, retyped: (args: string[]) => string[]][] = [
    ["another command", ([, ...args]) => ["why", ...args]],
    ["one more argument", (args) => [...args, "--help"]],
    ["another option than the folder's", (args) => args.with(2, "--folder")],
    ["another option than the server's", (args) => args.with(4, "--address")],
  ];
  for (const [name, change] of retyped)
    test(name, async () => expect(await answer(on(token), { retyped: change })).toBeUndefined());

  const incomplete: [name: string, args: string[]][] = [
    ["no folder", ["key", "glm"]],
    ["no server", ["key", "glm", "--config-dir", "/nowhere"]],
    ["no ccc.json", ["key", "glm", "--config-dir", "/nowhere", "--server", "x"]],
    ["another order", ["key", "--config-dir", "/nowhere", "glm", "--server", "x"]],
    ["help", ["key", "--help"]],
  ];
  for (const [name, args] of incomplete) test(name, () => expect(plainKey(args, process.platform)).toBeUndefined());
});
