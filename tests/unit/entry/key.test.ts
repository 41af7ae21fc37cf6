import { describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { version } from "../../../package.json" with { type: "json" };
import { run } from "../../../src/cli/run.ts";
import { checkConfig } from "../../../src/config/check.ts";
import { readConfig } from "../../../src/config/load.ts";
import { cccPaths } from "../../../src/config/paths.ts";
import { plainKey } from "../../../src/entry/key.ts";
import { keyCommandLine } from "../../../src/providers/identity.ts";
import { fakeWorld } from "../fakes.ts";

const SERVER = "https://glm.test";

/** The answer to the command of a session on this server. */
async function answer(
  provider: object,
  { server = SERVER, name = "glm", shared = {}, platform = process.platform, retyped = (args: string[]) => args } = {},
) {
  const folder = await mkdtemp(join(tmpdir(), "ccc-plain-key-"));
  await write(folder, JSON.stringify({ settings: shared, providers: { glm: provider } }));
  const args = keyCommandLine("ccc", name, folder, server).split(" ").slice(1);
  const found = plainKey(retyped(args), platform);
  await rm(folder, { recursive: true });
  return found;
}

/** Writes a ccc.json, with the stamp that a launch leaves if it is valid. */
async function write(folder: string, json: string) {
  const paths = cccPaths({ env: { CCC_CONFIG_DIR: folder }, platform: "linux" });
  await Bun.write(paths.config, json);
  const { world } = fakeWorld({ content: { [paths.config]: json } });
  try {
    const { stamp } = readConfig({ ...world, version }, paths, checkConfig);
    await Bun.write(paths.checked, stamp);
  } catch {
    await rm(paths.checked, { force: true });
  }
}

const on = (env: object, more: object = {}) => ({ env: { ANTHROPIC_BASE_URL: SERVER, ...env }, ...more });

describe("a key that is stored literally in ccc.json is answered at once", () => {
  const table: [name: string, provider: object, key: string][] = [
    ["a token", on({ ANTHROPIC_AUTH_TOKEN: "t" }), "t"],
    ["an API key", on({ ANTHROPIC_API_KEY: "k", ANTHROPIC_AUTH_TOKEN: "" }), "k"],
    ["a token before an API key", on({ ANTHROPIC_API_KEY: "k", ANTHROPIC_AUTH_TOKEN: "t" }), "t"],
    ["a token with a newline after it", on({ ANTHROPIC_AUTH_TOKEN: "t\n" }), "t"],
  ];
  for (const [name, provider, key] of table) test(name, async () => expect(await answer(provider)).toBe(key));
});

describe("everything else is left to the whole command", () => {
  for (const kind of ["env:", "file:", "cmd:", "keychain:"])
    test(`a key that begins with ${kind}`, async () =>
      expect(await answer(on({ ANTHROPIC_AUTH_TOKEN: `${kind}x` }))).toBeUndefined());
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
    ["a ccc.json with a mistake elsewhere", () => answer(on(token), { shared: { env: { A: [] } } })],
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

describe("the quick answer", () => {
  // Most files are valid, and many have a key that is answered at once: only those are compared.
  const often = (weight: number, ...values: unknown[]) => ({ weight, arbitrary: fc.constantFrom(...values) });
  const references = ["${K}", "env:K", "file:/key", "cmd:print", "keychain:x"];
  const value = fc.oneof(
    often(16, "k", " k\n", "k", "", " "),
    often(4, ...references, "env", "a:b", SERVER),
    { weight: 4, arbitrary: fc.string({ maxLength: 8 }) },
    often(1, 5, true, null, ["k"]),
  );
  const env = fc.record(
    {
      ANTHROPIC_BASE_URL: fc.oneof(often(9, SERVER, ` ${SERVER}\n`), { weight: 1, arbitrary: value }),
      ANTHROPIC_AUTH_TOKEN: value,
      ANTHROPIC_API_KEY: value,
      ANTHROPIC_MODEL: value,
    },
    { requiredKeys: [] },
  );
  const settings = fc.oneof(
    {
      weight: 24,
      arbitrary: fc.record({ env, apiKeyHelper: fc.constantFrom("", "", "print") }, { requiredKeys: ["env"] }),
    },
    often(1, null, [], "glm", 5),
  );
  const config = fc.record(
    {
      settings,
      providers: fc.oneof(
        { weight: 9, arbitrary: fc.record({ glm: settings, kimi: settings }, { requiredKeys: ["glm"] }) },
        { weight: 1, arbitrary: fc.record({ kimi: settings }) },
      ),
    },
    { requiredKeys: ["providers"] },
  );
  const text = fc
    .tuple(fc.constantFrom("", "", "\uFEFF"), config, fc.oneof(often(9, ""), often(1, "// x", ",")))
    .map(([before, json, after]) => `${before}${JSON.stringify(json)}${after}`);

  test("property: for every ccc.json it is none, or what ccc key prints", async () => {
    const folder = await mkdtemp(join(tmpdir(), "ccc-key-"));
    let answered = 0;
    await fc.assert(
      fc.asyncProperty(text, async (json) => {
        await write(folder, json);
        const argv = keyCommandLine("ccc", "glm", folder, SERVER).split(" ").slice(1);
        const quick = plainKey(argv, process.platform);
        if (quick === undefined) return;
        answered++;
        const { world, said } = fakeWorld({ argv, content: { [join(folder, "ccc.json")]: json } });
        expect(await run(world)).toBe(0);
        expect(said.stdout).toBe(`${quick}\n`);
      }),
      { numRuns: 500 },
    );
    // About a hundred. With few, the property would say little.
    expect(answered).toBeGreaterThan(20);
    await rm(folder, { recursive: true });
  });
});
