import { describe, expect, test } from "bun:test";
import { run } from "../../../../src/cli/run.ts";
import type { Ask } from "../../../../src/terminal/dialog.ts";
import type { World } from "../../../../src/world.ts";
import { fakeWorld, memoryKeychain } from "../../fakes.ts";
import { scriptedAsk } from "./scripted-ask.ts";

const CONFIG = "/home/u/.claude/ccc.json";
const OLD = "sk-old-key-0123456789";
const NEW = "sk-new-key-0123456789";
const SERVER = { ANTHROPIC_BASE_URL: "https://glm.test" };
const GLM = { env: { ...SERVER, ANTHROPIC_AUTH_TOKEN: OLD, MY_OWN: "1" }, permissions: { deny: ["Bash"] } };

async function setKey(
  args: string[],
  glm: object = GLM,
  parts: Partial<World> = {},
  more: Record<string, string> = {},
) {
  const content = { [CONFIG]: JSON.stringify({ providers: { glm } }), ...more };
  const keychain = memoryKeychain(JSON.stringify(glm).includes("keychain:glm") ? { glm: OLD } : {});
  const argv = ["provider", "set-key", ...args];
  const { world, said, files } = fakeWorld({ argv, keychain, content, stdin: () => `${NEW}\n`, ...parts });
  const exitCode = await run(world);
  const { glm: after } = JSON.parse(files.read(CONFIG) ?? "").providers;
  return { exitCode, ...said, after, keychain: keychain.content, files };
}

describe("ccc provider set-key", () => {
  test.each([
    [["--token-stdin", "--store", "file"], NEW],
    [["--token-ref", "env:GLM_KEY"], "env:GLM_KEY"],
    [["--key", "--token-stdin"], "keychain:glm"],
  ])("is ccc provider edit with %j", async (args, value) => {
    const content = { [CONFIG]: JSON.stringify({ providers: { glm: GLM } }) };
    const argv = ["provider", "edit", "glm", ...args];
    const { world, files } = fakeWorld({ argv, keychain: memoryKeychain({}), content, stdin: () => `${NEW}\n` });
    expect(await run(world)).toBe(0);
    expect(JSON.parse(files.read(CONFIG) ?? "").providers.glm.env.ANTHROPIC_AUTH_TOKEN).toBe(value);
  });

  test.each([
    [["--rename", "work", "--key"], "--rename cannot be combined with another key"],
    [["--key"], "the key is missing"],
    [["--key", NEW], "unexpected argument. Never pass a key as an argument"],
  ])("ccc provider edit with %j is refused", async (args, message) => {
    const content = { [CONFIG]: JSON.stringify({ providers: { glm: GLM } }) };
    const { world, said, files } = fakeWorld({ argv: ["provider", "edit", "glm", ...args], content });
    expect([await run(world), files.read(CONFIG)]).toEqual([2, content[CONFIG]]);
    expect(said.stderr).toContain(message);
    expect(said.stderr).not.toContain(NEW);
  });

  test("changes the key and nothing else; no file keeps the old one", async () => {
    const copy = "/home/u/.claude/ccc/backups/ccc-2026.json";
    const found = await setKey(["glm", "--token-stdin", "--store", "file"], GLM, {}, { [copy]: `"${OLD}"` });
    expect(found).toMatchObject({
      exitCode: 0,
      stdout: "",
      after: { ...GLM, env: { ...GLM.env, ANTHROPIC_AUTH_TOKEN: NEW } },
    });
    expect(found.stderr).toContain('the key of "glm" (ANTHROPIC_AUTH_TOKEN) is now in ccc.json');
    expect(found.stderr).toContain("ccc validate glm");
    expect(found.stderr).not.toContain(NEW);
    expect(found.files.read(copy)).toBe('"***"');
  });

  test("puts it into the keychain where there is one, and takes it out again", async () => {
    const stored = await setKey(["glm", "--token-stdin"]);
    expect(stored).toMatchObject({ exitCode: 0, keychain: { glm: NEW } });
    expect(stored.after.env.ANTHROPIC_AUTH_TOKEN).toBe("keychain:glm");
    const inKeychain = { env: { ...SERVER, ANTHROPIC_API_KEY: "keychain:glm" } };
    const taken = await setKey(["glm", "--token-ref", "env:GLM_KEY"], inKeychain);
    expect(taken).toMatchObject({
      exitCode: 0,
      after: { env: { ...SERVER, ANTHROPIC_API_KEY: "env:GLM_KEY" } },
      keychain: {},
    });
    expect(taken.stderr).toContain("(ANTHROPIC_API_KEY) is now read from env:GLM_KEY\n");
    expect(taken.stderr).toContain("GLM_KEY is not set");
  });

  test("a command that prints the key runs only when the key is needed", async () => {
    const ran: string[] = [];
    const run: World["run"] = async ({ program: { args } }) => {
      ran.push(...args);
      return { exitCode: 1, ending: "exited", stderr: "" };
    };
    const { after, stderr } = await setKey(["glm", "--token-ref", "cmd:pass show glm"], GLM, { run });
    expect(after.env.ANTHROPIC_AUTH_TOKEN).toBe("cmd:pass show glm");
    expect(ran).toEqual([]);
    expect(stderr).not.toContain("has no key yet");
  });

  test("an old key that cannot be removed is reported", async () => {
    const keychain = { ...memoryKeychain({ glm: OLD }), remove: async () => Promise.reject(new Error("locked")) };
    const inKeychain = { env: { ...SERVER, ANTHROPIC_API_KEY: "keychain:glm" } };
    const found = await setKey(["glm", "--token-ref", "env:GLM_KEY"], inKeychain, { keychain });
    expect(found.exitCode).toBe(0);
    expect(found.stderr).toContain('its old key is still in the keychain, as "glm" of ccc: locked');
  });

  test("keeps the old key if the keychain refuses the new one", async () => {
    const keychain = { ...memoryKeychain(), set: async () => Promise.reject(new Error("locked")) };
    const found = await setKey(["glm", "--token-stdin"], GLM, { keychain });
    expect(found).toMatchObject({ exitCode: 1, after: GLM });
    expect(found.stderr).toContain("ccc provider edit glm --store file");
  });

  test("on a terminal, tests the key with the provider's own server and asks again", async () => {
    const sent: unknown[] = [];
    const asked = ["sk-wrong-0123456789", NEW];
    const ask: Ask = {
      secret: async () => asked.shift() ?? "",
      choose: async () => "again",
      text: async () => "",
      confirm: async () => false,
    };
    const fetch: World["fetch"] = async (url, { headers }) => {
      const bearer = new Headers(headers as Record<string, string>).get("authorization");
      sent.push([url, bearer]);
      return bearer === `Bearer ${NEW}`
        ? Response.json({ type: "message", content: [] })
        : Response.json({ error: { type: "authentication_error", message: "no" } }, { status: 401 });
    };
    const found = await setKey(["glm", "--store", "file"], GLM, { ask, fetch, isTerminal: () => true });
    expect(found).toMatchObject({ exitCode: 0, after: { env: { ANTHROPIC_AUTH_TOKEN: NEW } } });
    expect(found.stderr).toContain("https://glm.test rejects the key");
    expect(sent).toEqual([
      [expect.stringContaining("https://glm.test/v1/messages"), "Bearer sk-wrong-0123456789"],
      [expect.stringContaining("https://glm.test/v1/messages"), `Bearer ${NEW}`],
    ]);
  });

  test("a key that is refused can be saved anyway, or not at all; an empty one cannot", async () => {
    const refusing =
      (status: number): World["fetch"] =>
      () =>
        Promise.resolve(new Response("{}", { status }));
    const parts = (choice: string, status = 401) => {
      const { ask, said } = scriptedAsk({ "API key": ["", NEW], "What now?": choice });
      return { said, parts: { ask, fetch: refusing(status), isTerminal: () => true } };
    };
    const save = parts("save");
    expect(await setKey(["glm", "--store", "file"], GLM, save.parts)).toMatchObject({
      exitCode: 0,
      after: { env: { ANTHROPIC_AUTH_TOKEN: NEW } },
    });
    expect(save.said).toContain("again: enter the key again");
    expect(save.said.filter((line) => line.startsWith("rejected: "))).toHaveLength(1);
    const stop = parts("stop", 404);
    expect(await setKey(["glm"], GLM, stop.parts)).toMatchObject({ exitCode: 130, after: GLM, keychain: {} });
    expect(stop.said).toContain("again: enter a key and try again");
  });

  const mistakes: [
    mistake: string,
    args: string[],
    glm: object,
    parts: Partial<World>,
    code: number,
    message: string,
  ][] = [
    ["no key", ["glm"], GLM, {}, 2, "--token-stdin"],
    ["an unknown provider", ["gml", "--token-stdin"], GLM, {}, 2, 'did you mean "glm"?'],
    ["an empty stdin", ["glm", "--token-stdin"], GLM, { stdin: () => "\n" }, 2, "stdin is empty"],
    ["a key as a reference", ["glm", "--token-ref", NEW], GLM, {}, 2, "--token-ref takes env:NAME"],
    ["two sources", ["glm", "--token-stdin", "--token-ref", "env:K"], GLM, {}, 2, "cannot be combined"],
    ["nothing to store", ["glm", "--store", "file", "--token-ref", "env:K"], GLM, {}, 2, "no key to store"],
    ["a helper", ["glm", "--token-stdin"], { env: SERVER, apiKeyHelper: "pass" }, {}, 1, "comes from its apiKeyHelper"],
    [
      "two keys",
      ["glm", "--token-stdin"],
      { env: { ...SERVER, ANTHROPIC_AUTH_TOKEN: "a", ANTHROPIC_API_KEY: "b" } },
      {},
      1,
      "has two keys",
    ],
    ["a login", ["glm", "--token-stdin"], {}, {}, 1, "uses your Claude login"],
    [
      "a cloud",
      ["glm", "--token-stdin"],
      { env: { CLAUDE_CODE_USE_VERTEX: "1" } },
      {},
      1,
      "credentials of Google Cloud",
    ],
  ];
  test.each(mistakes)("refuses %s, and changes nothing", async (_, args, glm, parts, exitCode, message) => {
    const found = await setKey(args, glm, parts);
    expect(found.stderr).not.toContain(NEW);
    expect(found.stderr).toContain(message);
    expect(found).toMatchObject({ exitCode, stdout: "", after: glm });
  });
});
