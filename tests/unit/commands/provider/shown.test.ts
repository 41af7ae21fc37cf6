import { describe, expect, test } from "bun:test";
import { run } from "../../../../src/cli/run.ts";
import { fakeWorld } from "../../fakes.ts";

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
