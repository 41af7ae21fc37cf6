import { describe, expect, test } from "bun:test";
import { run } from "../../../../src/cli/run.ts";
import type { World } from "../../../../src/world.ts";
import { fakeWorld, memoryKeychain } from "../../fakes.ts";
import { scriptedAsk } from "./scripted-ask.ts";

describe("remove", () => {
  const CONFIG = "/home/u/.claude/ccc.json";
  const GENERATED = "/home/u/.claude/ccc";
  const KEY = "sk-of-the-user-0123456789";
  const GLM = { env: { ANTHROPIC_BASE_URL: "https://glm.test", ANTHROPIC_AUTH_TOKEN: "keychain:glm" } };
  const KIMI = { env: { ANTHROPIC_BASE_URL: "https://kimi.test", ANTHROPIC_AUTH_TOKEN: "k" } };
  const BOTH = { glm: GLM, kimi: KIMI };

  async function remove(args: string[], parts: Partial<World> = {}, more: Record<string, string> = {}) {
    const keychain = memoryKeychain({ glm: KEY, kimi: KEY });
    const { world, said, files } = fakeWorld({
      argv: ["provider", "remove", ...args],
      content: { [CONFIG]: JSON.stringify({ providers: BOTH }), ...more },
      keychain,
      ...parts,
    });
    const exitCode = await run(world);
    const { providers } = JSON.parse(files.read(CONFIG) ?? "");
    return { exitCode, ...said, providers, keys: Object.keys(keychain.content), files };
  }

  const atTerminal = (answer: string): Partial<World> => ({
    isTerminal: () => true,
    ask: scriptedAsk({ [`Remove "glm" and its key from ${CONFIG}?`]: answer }).ask,
  });

  describe("ccc provider remove", () => {
    test("takes the key, the editor's link and the generated settings along, and says so", async () => {
      const own = { [`${GENERATED}/bin/ccc-glm`]: "", [`${GENERATED}/settings-glm.json`]: "" };
      const others = { [`${GENERATED}/bin/ccc-kimi`]: "", [`${GENERATED}/settings-kimi.json`]: "" };
      const found = await remove(["glm", "--yes"], {}, { ...own, ...others });
      expect(found).toMatchObject({
        exitCode: 0,
        stdout: "",
        stderr: `ccc: removed "glm" from ${CONFIG}\nccc: removed its key from the keychain\n`,
        keys: ["kimi"],
      });
      expect(found.providers).toEqual({ kimi: KIMI });
      expect(found.files.list(GENERATED)).toEqual(["bin", "settings-kimi.json"]);
      expect(found.files.list(`${GENERATED}/bin`)).toEqual(["ccc-kimi"]);
    });

    test("warns of a key that the keychain does not give up", async () => {
      const keychain = { ...memoryKeychain(), remove: async () => Promise.reject(new Error("locked")) };
      const { exitCode, stderr } = await remove(["glm", "--yes"], { keychain });
      expect(exitCode).toBe(0);
      expect(stderr).toContain('ccc: warning: its old key is still in the keychain, as "glm" of ccc: locked\n');
    });

    test("asks first, and Enter means no", async () => {
      expect(await remove(["glm"], atTerminal("yes"))).toMatchObject({ exitCode: 0, providers: { kimi: KIMI } });
      for (const answer of ["no", ""]) {
        const declined = await remove(["glm"], atTerminal(answer));
        expect(declined).toMatchObject({ exitCode: 130, providers: BOTH, keys: ["glm", "kimi"] });
        expect(declined.stderr).toContain("nothing was changed");
      }
    });

    test("removes nothing without a confirmation", async () => {
      const found = await remove(["glm"]);
      expect(found).toMatchObject({ exitCode: 2, providers: BOTH, keys: ["glm", "kimi"] });
      expect(found.stderr).toStartWith("ccc: not a terminal: pass --yes to remove it\n");
    });

    test("of the default, it says what plain ccc uses now", async () => {
      const message = (next: string) =>
        `it was the default: plain ccc now uses ${next}; to choose another: ccc default NAME`;
      const three = { work: KIMI, ...BOTH };
      const glm = { providers: three, default_provider: "glm" };
      for (const [name, config, wanted] of [
        ["glm", { ...glm, current_provider: "kimi" }, message("kimi")],
        ["glm", { ...glm, current_provider: "glm" }, message("work")],
        ["glm", glm, message("work")],
        ["kimi", glm, undefined],
        ["glm", { ...glm, providers: { glm: KIMI } }, undefined],
      ] as const) {
        const { stderr } = await remove([name, "--yes"], {}, { [CONFIG]: JSON.stringify(config) });
        if (wanted === undefined) expect(stderr).not.toContain("default");
        else expect(stderr).toContain(wanted);
      }
    });

    test("refuses a fallback of the agent, and no other", async () => {
      const config = { [CONFIG]: JSON.stringify({ providers: BOTH, fallback: ["glm"] }) };
      const refused = await remove(["glm", "--yes"], {}, config);
      expect(refused).toMatchObject({ exitCode: 1, providers: BOTH });
      expect(refused.stderr).toContain(`"glm" is a fallback of the agent: fallback in ${CONFIG} names it`);
      expect((await remove(["kimi", "--yes"], {}, config)).providers).toEqual({ glm: GLM });
    });

    test("refuses a reviewer, and no other", async () => {
      const reviewing = (supervisor: object) => ({ [CONFIG]: JSON.stringify({ providers: BOTH, supervisor }) });
      for (const [supervisor, words] of [
        [{ fallback: ["glm:some:model"] }, "a reviewer: supervisor.fallback"],
        [{ confirm: "glm:some:model" }, "a reviewer: supervisor.confirm"],
        [{ provider: "glm" }, "the reviewer: supervisor.provider"],
      ] as const) {
        const refused = await remove(["glm", "--yes"], {}, reviewing(supervisor));
        expect(refused).toMatchObject({ exitCode: 1, providers: BOTH, keys: ["glm", "kimi"] });
        expect(refused.stderr).toBe(
          `ccc: "glm" is ${words} in ${CONFIG} names it\nChoose another reviewer there first. Nothing was changed.\n`,
        );
        expect((await remove(["kimi", "--yes"], {}, reviewing(supervisor))).providers).toEqual({ glm: GLM });
      }
    });

    test("refuses the one that plain claude uses, and no other", async () => {
      const record = { version: 1, supervised: false, since: "", settings: "", original: null, states: [] };
      const used = { [`${GENERATED}/use.json`]: JSON.stringify({ ...record, provider: "glm" }) };
      const refused = await remove(["glm", "--yes"], {}, used);
      expect(refused).toMatchObject({ exitCode: 1, providers: BOTH, keys: ["glm", "kimi"] });
      expect(refused.stderr).toBe('ccc: plain claude uses "glm" (`ccc use`)\nUndo that first: ccc use --reset\n');
      expect((await remove(["kimi", "--yes"], {}, used)).providers).toEqual({ glm: GLM });
    });
  });
});

test("ccc provider, with or without ls, lists the providers", async () => {
  const listed = async (...argv: string[]) => {
    const content = { "/home/u/.claude/ccc.json": JSON.stringify({ providers: { glm: {}, kimi: {} } }) };
    const { world, said } = fakeWorld({ argv: ["provider", ...argv], content });
    return { exitCode: await run(world), ...said };
  };
  const list = await listed("list");
  expect(list).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("* glm") });
  expect(await listed()).toEqual(list);
  expect(await listed("ls")).toEqual(list);
  expect(await listed("--json")).toEqual(await listed("list", "--json"));
  expect((await listed("--help")).stdout).not.toMatch(/^ {2}(ls|set-key|rename) /m);
});

describe("rename", () => {
  const CONFIG = "/home/u/.claude/ccc.json";
  const GENERATED = "/home/u/.claude/ccc";

  async function rename(
    args: string[],
    config: object | string,
    parts: Partial<World> = {},
    more: Record<string, string> = {},
  ) {
    const text = typeof config === "string" ? config : JSON.stringify(config);
    const { world, said, files } = fakeWorld({
      argv: ["provider", "rename", ...args],
      content: { [CONFIG]: text, ...more },
      ...parts,
    });
    const exitCode = await run(world);
    return { exitCode, ...said, text: files.read(CONFIG) ?? "", files };
  }

  describe("ccc provider rename", () => {
    test("is ccc provider edit --rename", async () => {
      const content = { [CONFIG]: JSON.stringify({ providers: { glm: {} } }) };
      const { world, said, files } = fakeWorld({ argv: ["provider", "edit", "glm", "--rename", "work"], content });
      expect([await run(world), said.stderr]).toEqual([
        0,
        (await rename(["glm", "work"], content[CONFIG] ?? "")).stderr,
      ]);
      expect(JSON.parse(files.read(CONFIG) ?? "")).toEqual({ providers: { work: {} } });
    });

    test("takes along everything that names the provider, and keeps every other byte and the order", async () => {
      const before = `{
  "current_provider": "glm",
  "providers": {
    "glm": { "env": {"ANTHROPIC_MODEL":"glm"} },
    "glm2": {}
  },
  "supervisor": { "provider": "glm", "fallback": ["glm2", "glm:some:model", " glm "] },
  "folders": { "/a": "glm", "/b": { "provider": "glm", "only": true }, "/c": "glm2" }
}
`;
      const found = await rename(["glm", "work"], before);
      expect(found).toMatchObject({ exitCode: 0, stdout: "" });
      expect(JSON.parse(found.text)).toEqual({
        current_provider: "work",
        providers: { work: { env: { ANTHROPIC_MODEL: "glm" } }, glm2: {} },
        supervisor: { provider: "work", fallback: ["glm2", "work:some:model", "work"] },
        folders: { "/a": "work", "/b": { provider: "work", only: true }, "/c": "glm2" },
      });
      expect(found.text).toContain('    "work": { "env": {"ANTHROPIC_MODEL":"glm"} },\n    "glm2": {}\n');
      for (const place of ["current_provider", "supervisor.provider", "supervisor.fallback", "folders./a"])
        expect(found.stderr).toContain(place);
    });

    test("moves the key in the keychain, and keeps the entry if another provider uses it", async () => {
      const env = { ANTHROPIC_BASE_URL: "https://x.test", ANTHROPIC_AUTH_TOKEN: "keychain:glm" };
      const keychain = memoryKeychain({ glm: "the-key-0123456789" });
      const found = await rename(["glm", "work"], { providers: { glm: { env } } }, { keychain });
      expect(JSON.parse(found.text).providers.work.env.ANTHROPIC_AUTH_TOKEN).toBe("keychain:work");
      expect(keychain.content).toEqual({ work: "the-key-0123456789" });
      const shared = memoryKeychain({ glm: "the-key-0123456789" });
      await rename(["glm", "work"], { providers: { glm: { env }, other: { env } } }, { keychain: shared });
      expect(shared.content).toEqual({ glm: "the-key-0123456789", work: "the-key-0123456789" });
    });

    test("warns of an old key that the keychain does not give up", async () => {
      const providers = { glm: { env: { ANTHROPIC_AUTH_TOKEN: "keychain:glm" } } };
      const keychain = memoryKeychain({ glm: "the-key-0123456789" });
      const locked = { ...keychain, remove: async () => Promise.reject(new Error("locked")) };
      const { exitCode, stderr } = await rename(["glm", "work"], { providers }, { keychain: locked });
      expect(exitCode).toBe(0);
      expect(stderr).toContain('ccc: its key is now in the keychain entry "work" of ccc\n');
      expect(stderr).toContain("ccc: warning: its old key is still in the keychain");
    });

    test("says no more than what it did", async () => {
      const { stderr } = await rename(["glm", "work"], { current_provider: "glm", providers: { glm: {} } });
      expect(stderr).toBe(
        `ccc: renamed "glm" to "work" in ${CONFIG}, also in current_provider\n` +
          "ccc: to start it: ccc work; running sessions cannot get its key any more, so continue them: ccc work --continue\n",
      );
      expect((await rename(["glm", "work"], { providers: { glm: {} } })).stderr).toStartWith(
        `ccc: renamed "glm" to "work" in ${CONFIG}\n`,
      );
    });

    test("changes nothing if the keychain does not answer", async () => {
      const providers = { glm: { env: { ANTHROPIC_AUTH_TOKEN: "keychain:glm" } } };
      const keychain = { ...memoryKeychain(), get: async () => Promise.reject(new Error("locked")) };
      const found = await rename(["glm", "work"], { providers }, { keychain });
      expect(found).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("locked") });
      expect(JSON.parse(found.text)).toEqual({ providers });
    });

    test("removes its generated settings and its editor link, and reports the link", async () => {
      const link = `${GENERATED}/bin/ccc-glm`;
      const more = {
        [link]: "",
        [`${GENERATED}/settings-glm-plain.json`]: "",
        [`${GENERATED}/settings-glm2.json`]: "",
      };
      const found = await rename(["glm", "work"], { providers: { glm: {}, glm2: {} } }, {}, more);
      expect(found.files.list(GENERATED)).toEqual(["settings-glm2.json"]);
      expect(found.stderr).toContain(`your editor starts ${link}, which is gone`);
      expect(found.stderr).toContain("ccc provider editor work");
    });

    const record = {
      version: 1,
      provider: "glm",
      supervised: false,
      since: "",
      settings: "",
      original: null,
      states: [],
    };
    const mistakes: [mistake: string, args: string[], exitCode: number, message: string][] = [
      ["an unknown provider", ["gml", "work"], 2, 'did you mean "glm"?'],
      ["a name that exists", ["kimi", "glm"], 1, 'provider "glm" already exists'],
      ["a command of ccc", ["kimi", "doctor"], 2, '"doctor": this word is a command of ccc'],
      ["a command of claude", ["kimi", "mcp"], 2, "command of claude"],
      ["a name with a space", ["kimi", "a b"], 2, "may contain only letters"],
      ["the same name", ["kimi", "kimi"], 2, "already has that name"],
      ["a name whose files another provider has", ["kimi", "glm-plain"], 1, "would overwrite that of providers"],
      ["one that plain claude uses", ["glm", "work"], 1, "ccc use --reset"],
      ["no new name", ["kimi"], 2, "NEW-NAME"],
    ];
    test.each(mistakes)("refuses %s, and changes nothing", async (_, args, exitCode, message) => {
      const config = { providers: { glm: {}, kimi: {} } };
      const found = await rename(args, config, {}, { [`${GENERATED}/use.json`]: JSON.stringify(record) });
      expect(found).toMatchObject({ exitCode, stdout: "" });
      expect(found.stderr.toLowerCase()).toContain(message.toLowerCase());
      expect(JSON.parse(found.text)).toEqual(config);
    });

    test("a file with the provider twice is left alone", async () => {
      const twice = '{"providers": {"glm": {}, "glm": {"model": "m"}}}';
      const found = await rename(["glm", "work"], twice);
      expect(found).toMatchObject({ exitCode: 1, text: twice, stderr: expect.stringContaining("duplicate key") });
    });
  });
});

describe("list and show", () => {
  const KEY = "sk-0123456789abcdef";

  const providers = {
    glm: {
      env: {
        ANTHROPIC_BASE_URL: "https://api.z.ai/api/anthropic",
        ANTHROPIC_AUTH_TOKEN: KEY,
        ANTHROPIC_MODEL: "glm-4.7",
        CLAUDE_CODE_MAX_OUTPUT_TOKENS: "64000",
      },
    },
    unset: {
      env: {
        ANTHROPIC_BASE_URL: "https://user:word@x.test/?k=v",
        ANTHROPIC_AUTH_TOKEN: "${TOK}",
        ANTHROPIC_MODEL: "m",
        MY_API_KEY: `${KEY}-and-\${MORE}`,
      },
    },
    keyless: { env: { ANTHROPIC_BASE_URL: "https://k.test" } },
    login: { env: { CLAUDE_CODE_USE_VERTEX: "0" } },
    bedrock: { env: { CLAUDE_CODE_USE_BEDROCK: "1" } },
  };
  const content = { "/home/u/.claude/ccc.json": JSON.stringify({ current_provider: "glm", providers }) };

  async function said(argv: string[], width?: number) {
    const parts = width === undefined ? {} : { isTerminal: () => true, columns: () => width };
    const { world, said: texts } = fakeWorld({ argv, content, ...parts });
    expect(await run(world)).toBe(0);
    expect(texts.stdout + texts.stderr).not.toContain(KEY);
    return texts.stdout;
  }

  describe("provider list", () => {
    test("a provider that cannot be launched is still listed with server and model", async () => {
      expect(await said(["provider", "list"])).toBe(
        `  NAME           SERVER                          MODEL            KEY
* glm (current)  https://api.z.ai/api/anthropic  glm-4.7          ***cdef
  unset          https://***@x.test/?***         m                (TOK, MORE are not set)
  keyless        https://k.test                  (default model)  (no key)
  login          (Anthropic)                     (default model)  (no key: Claude login)
  bedrock        (AWS)                           (default model)  (no key: the cloud's own)
`,
      );
    });

    test("problems are few words in the table, and whole sentences after it", async () => {
      const one = { ANTHROPIC_BASE_URL: "https://x.test", ANTHROPIC_AUTH_TOKEN: "${TOK}" };
      const config = { providers: { ...providers, one: { env: one } } };
      const { world, said: texts } = fakeWorld({
        argv: ["provider", "list"],
        content: { "/home/u/.claude/ccc.json": JSON.stringify(config) },
      });
      expect(await run(world)).toBe(0);
      expect(texts.stdout).toMatch(/^ {2}one .* \(TOK is not set\)$/m);
      expect(texts.stderr.split("\n")).toEqual([
        expect.stringContaining("ccc: warning: providers.unset.env.ANTHROPIC_AUTH_TOKEN: ${TOK} is not set"),
        expect.stringContaining("ccc: warning: providers.keyless.env has an ANTHROPIC_BASE_URL"),
        expect.stringContaining("ccc: warning: providers.one.env.ANTHROPIC_AUTH_TOKEN: ${TOK} is not set"),
        "",
      ]);
    });

    test("--json has null for missing values", async () => {
      const [glm, unset, keyless, login] = JSON.parse(await said(["provider", "list", "--json"]));
      expect(glm).toEqual({
        name: "glm",
        current: true,
        pinned: false,
        reviewer: false,
        base_url: "https://api.z.ai/api/anthropic",
        model: "glm-4.7",
        key: "***cdef",
        env: { ...providers.glm.env, ANTHROPIC_AUTH_TOKEN: "***cdef" },
        reasons: { CLAUDE_CODE_MAX_OUTPUT_TOKENS: "the longest answer that the model allows" },
        defaults: [
          {
            name: "CLAUDE_CODE_ATTRIBUTION_HEADER",
            value: "0",
            reason: expect.stringContaining("prompt cache"),
            decided_by: null,
          },
        ],
        problem: null,
      });
      expect(unset).toMatchObject({ key: "${TOK}", env: { MY_API_KEY: "***ORE}" } });
      expect(unset.problem).toContain("${TOK} is not set");
      expect(keyless).toMatchObject({
        model: null,
        key: null,
        problem: expect.stringContaining("no ANTHROPIC_AUTH_TOKEN"),
      });
      expect(login).toMatchObject({ base_url: null, model: null, key: null, problem: null });
    });
  });

  describe("provider show", () => {
    test("shows everything once, and a number of tokens is not masked", async () => {
      expect(await said(["provider", "show"])).toBe(
        `glm (current)
  file                            /home/u/.claude/ccc.json
  server                          https://api.z.ai/api/anthropic
  key                             ***cdef (ANTHROPIC_AUTH_TOKEN)
  ANTHROPIC_MODEL                 glm-4.7
  CLAUDE_CODE_MAX_OUTPUT_TOKENS   64000 (the longest answer that the model allows)
  CLAUDE_CODE_ATTRIBUTION_HEADER  0 (set by ccc: without it every conversation begins with a different line, which defeats the server's prompt cache)
`,
      );
    });

    test("says who decided what ccc would have set, and nothing where there is nothing to set", async () => {
      const settings = { env: { CLAUDE_CODE_ATTRIBUTION_HEADER: "1" } };
      const shown = async (provider: string, parts: Parameters<typeof fakeWorld>[0]) => {
        const { world, said: texts } = fakeWorld({ argv: ["provider", "show", provider], ...parts });
        expect(await run(world)).toBe(0);
        return texts.stdout;
      };
      const inFile = { ...content, "/home/u/.claude/settings.json": JSON.stringify(settings) };
      expect(await shown("glm", { content: inFile })).toContain(
        "ATTRIBUTION_HEADER  1 (your own value, from /home/u/.claude/settings.json)",
      );
      expect(await shown("glm", { content, env: { HOME: "/home/u", ...settings.env } })).toContain(
        "ATTRIBUTION_HEADER  1 (your own value, from your shell)",
      );
      for (const provider of ["login", "bedrock", "keyless"]) {
        expect(await shown(provider, { content })).not.toContain("ATTRIBUTION_HEADER");
      }
    });

    test("says what takes the place of a key", async () => {
      expect(await said(["provider", "show", "login"])).toMatch(/^ {2}key +\(none: your Claude login\)$/m);
      expect(await said(["provider", "show", "bedrock"])).toMatch(/^ {2}key +\(none: the cloud's own\)$/m);
    });

    test("a problem is wrapped between words on a terminal", async () => {
      expect(await said(["provider", "show", "keyless"], 60)).toBe(
        `keyless
  file     /home/u/.claude/ccc.json
  server   https://k.test
  key      (none)
  problem  providers.keyless.env has an ANTHROPIC_BASE_URL
           but no ANTHROPIC_AUTH_TOKEN or ANTHROPIC_API_KEY;
           Claude Code would send your Anthropic login to
           that server
`,
      );
    });
  });

  describe("provider presets", () => {
    test("each has an address or a cloud, and models", async () => {
      const text = await said(["provider", "presets"]);
      expect(text).toMatch(/^anthropic .*\(Anthropic\) +\(Claude Code's default\)$/m);
      expect(text).toMatch(/^bedrock .*\(AWS\) +\S/m);
      expect(text).toMatch(/^vertex .*\(Google Cloud\) +\S/m);
      expect(text).toMatch(/^litellm .*\(your own address\) +\(your own\)$/m);
      expect(text).toMatch(/^ollama .*:11434 +\(your own\)$/m);
      expect(text).toMatch(/^NAME +PROVIDER +SERVER +MODELS$/m);
      expect(text).toMatch(/^glm .*anthropic +glm-[^ ]+, glm-[^ ]+$/m);
    });

    for (const width of [60, 80, 120])
      test(`breaks no line of its own at ${width}`, async () => {
        // A long address stays whole, so that it can be copied.
        for (const line of (await said(["provider", "presets"], width)).replace(/ *https:.*/g, "").split("\n"))
          expect(Bun.stringWidth(line)).toBeLessThanOrEqual(width);
      });

    test("a search finds some, and says so if it finds none", async () => {
      expect((await said(["provider", "presets", "月之暗面"])).split("\n")[1]).toStartWith("kimi ");
      expect((await said(["provider", "presets", "litellm"])).split("\n")).toHaveLength(3);
      const { world, said: texts } = fakeWorld({ argv: ["provider", "presets", "nobody"], content });
      expect(await run(world)).toBe(1);
      expect(texts).toMatchObject({
        stdout: "",
        stderr: expect.stringContaining("ccc provider add NAME --base-url URL"),
      });
    });

    test("--json has the same fields for all", async () => {
      const presets: Record<string, unknown>[] = JSON.parse(await said(["provider", "presets", "--json"]));
      const fields =
        "name label aliases base_url asks_base_url base_url_form token token_default asks models context_window compact_window env key_url source as_of note";
      for (const preset of presets) expect(Object.keys(preset)).toEqual(fields.split(" "));
      expect(presets.find(({ name }) => name === "bedrock")).toMatchObject({
        base_url: null,
        asks_base_url: false,
        models: { main: null },
        env: { CLAUDE_CODE_USE_BEDROCK: "1" },
      });
    });
  });
});
