import { describe, expect, test } from "bun:test";
import { type Answers, settleProvider } from "../../../../src/commands/provider/answers.ts";
import { newSettings } from "../../../../src/providers/presets.ts";
import type { Ask, Choice } from "../../../../src/terminal/dialog.ts";
import { SHORTEST_KEY } from "../../../../src/text/redact.ts";
import type { World } from "../../../../src/world.ts";
import { fakeWorld } from "../../fakes.ts";
import { scriptedAsk } from "./scripted-ask.ts";

/** A new provider at a terminal: each question is answered by a part of it. */
async function asked(
  given: Answers,
  answers: Parameters<typeof scriptedAsk>[0],
  existing: readonly string[] = [],
  parts: Partial<World> = {},
) {
  const { ask, said: questions } = scriptedAsk(answers);
  let choices: readonly Choice[] = [];
  const choose: Ask["choose"] = (question, options) => {
    choices = options;
    return ask.choose(question, options);
  };
  const fetch = async () => Response.json({ type: "message", content: [] });
  const { world, said } = fakeWorld({ isTerminal: () => true, fetch, ask: { ...ask, choose }, ...parts });
  const { name, provider, key, written } = await settleProvider(given, existing, world);
  const [stderr = ""] = said.stderr.split("│  testing it…");
  return { settled: { ...provider, name, key, written }, questions, choices, stderr };
}

const KEY = "API key";

describe("the questions of ccc provider add", () => {
  test("a local model: its name and its window", async () => {
    const { settled, questions } = await asked({ name: "ollama" }, { Model: "qwen3", Context: "65536" });
    expect(settled).toMatchObject({ model: "qwen3", contextWindow: "65536", fullPrompt: false });
    expect(questions).toHaveLength(2);
  });
  test("the window may be left empty", async () => {
    const { settled } = await asked({ name: "lmstudio" }, { Model: "m", Context: "" });
    expect(settled).toMatchObject({ model: "m", contextWindow: undefined });
  });
  test("a preset knows the window of its own models", async () => {
    const { settled, questions } = await asked({ name: "glm" }, { [KEY]: "a-key-of-mine" });
    expect(settled).toMatchObject({ key: "a-key-of-mine", fullPrompt: false });
    expect(questions).toHaveLength(1);
  });
  test("what a flag has said is not asked", async () => {
    const flags = { name: "glm", fullPrompt: true, model: "glm-4.7", contextWindow: "200000" };
    expect((await asked(flags, { [KEY]: "a-key-of-mine" })).settled).toMatchObject(flags);
  });
  test("nothing is asked if the key comes from a flag", async () => {
    expect((await asked({ name: "glm", reference: "env:K" }, {})).questions).toEqual([]);
    expect((await asked({ name: "glm", key: "k" }, {})).questions).toEqual([]);
  });
  test("Claude elsewhere has no such questions", async () => {
    expect((await asked({ name: "openrouter" }, { [KEY]: "a-key-of-mine" })).questions).toHaveLength(1);
    expect((await asked({ name: "anthropic-api" }, { [KEY]: "a-key-of-mine" })).questions).toHaveLength(1);
    const own = { name: "own", baseUrl: "https://llm.example.com" };
    expect((await asked(own, { Model: "", [KEY]: "a-key-of-mine" })).questions).toHaveLength(2);
  });
  test("an address with a part that the user fills in", async () => {
    const { settled } = await asked({ name: "qwen" }, { WorkspaceId: "ws-1", [KEY]: "a-key-of-mine" });
    expect(settled.baseUrl).toBe("https://ws-1.ap-southeast-1.maas.aliyuncs.com/apps/anthropic");
  });
  test("the list is searched by Chinese names, and the last entry by custom", async () => {
    const { choices } = await asked({ name: "mine" }, { Provider: "glm", [KEY]: "a-key-of-mine" });
    const found = (word: string) => choices.filter(({ words = "" }) => words.includes(word)).map(({ value }) => value);
    expect(found("智谱")).toEqual(["glm", "glm-cn"]);
    expect(found("custom")).toEqual(["litellm", "another server"]);
  });
  test.each([
    ["vertex", "Google", "example.com:api-project-0123456789"],
    ["bedrock", "AWS", "us-gov-west-1"],
  ])("%s needs no key, and refuses one", async (preset, question, answer) => {
    const pasted = ["sk-0123456789abcdef", "2f7c9e0b.dEfGhIjKlMnOpQrS", ""];
    const { settled, questions } = await asked({ preset, name: "mine" }, { [question]: [...pasted, answer] });
    expect(Object.values(settled.asked)).toContain(answer);
    expect(questions.filter((each) => each.startsWith("rejected: "))).toHaveLength(3);
  });
  test("a key where another answer belongs is refused, and not repeated", async () => {
    const pasted = ["sk-0123456789abcdef", "2f7c9e0b4a6d8c1e3f5a7b9c.dEfGhIjKlMnOpQrS", "eyJhbGciOiJIUzI1NiJ9"];
    const own = { baseUrl: "https://llm.example.com" };
    const answers = { Name: [...pasted, "mine"], Model: [...pasted, "m-1"], [KEY]: "a-key-of-mine", Context: "" };
    const { settled, questions } = await asked(own, answers);
    expect(settled).toMatchObject({ name: "mine", model: "m-1" });
    const refusals = questions.filter((each) => each.startsWith("rejected: "));
    expect(refusals).toEqual(Array(6).fill("rejected: this looks like a key: ccc asks for that later, and hides it"));
  });
  test("where to get a key, if the preset knows", async () => {
    const { stderr } = await asked({ name: "glm" }, { [KEY]: "a-key-of-mine" });
    expect(stderr).toMatch(/^│ {2}Get a key at https:\/\/\S+\n$/);
    const own = { name: "own", baseUrl: "https://llm.example.com" };
    expect((await asked(own, { Model: "", [KEY]: "a-key-of-mine" })).stderr).toBe("");
  });
  test("a key is needed, except by a server on this machine", async () => {
    const remote = { name: "own", baseUrl: "https://llm.example.com" };
    const { questions } = await asked(remote, { Model: "", [KEY]: ["", "two words", "a-key-of-mine"] });
    expect(questions.filter((each) => each.startsWith("rejected: "))).toHaveLength(2);
    expect(questions[1]).toBe("API key (hidden):");
    const local = await asked({ ...remote, baseUrl: "http://127.0.0.1:4000" }, { Model: "", [KEY]: "" });
    expect(local.questions[1]).toBe("API key (hidden, empty if the server needs none):");
    expect(local.settled).toMatchObject({ key: undefined, written: "none" });
    const wrong = { Model: "", [KEY]: ["two words", "a-key-of-mine"] };
    expect((await asked({ ...remote, baseUrl: "http://127.0.0.1:4000" }, wrong)).settled.key).toBe("a-key-of-mine");
  });
  test.each([
    ["mcp", '"mcp": that is a command of claude'],
    ["sk-0123456789abcdef", "the name looks like a key, which is never an argument"],
  ])("a name that no provider can have is refused before anything is asked: %s", async (name, message) => {
    await expect(asked({ name }, {})).rejects.toMatchObject({ message });
  });
  test("the name is the server's, unless it is taken or cannot be typed", async () => {
    const own = { baseUrl: "https://llm.example.com", key: "a-key-of-mine" };
    expect((await asked(own, { Model: "", Name: "" })).settled.name).toBe("llm");
    const { settled, questions } = await asked(own, { Model: "", Name: ["", "LLM", "use", "mcp", "mine"] }, ["llm"]);
    expect(settled.name).toBe("mine");
    expect(questions.filter((each) => each.startsWith("rejected: "))).toEqual([
      'rejected: provider "llm" already exists',
      'rejected: provider "llm" already exists',
      "rejected: this word is a command of ccc",
      "rejected: that is a command of claude",
    ]);
  });
});

describe("a new provider that does not work", () => {
  const own = { name: "own", baseUrl: "https://old.example.com" };

  /** A server that knows one model at one address. */
  function server({ models, status = 200 }: { models?: unknown; status?: number } = {}) {
    const requests: string[] = [];
    const fetch = async (url: string, { body }: BunFetchRequestInit) => {
      requests.push(body === undefined ? url : `${url} ${JSON.parse(String(body)).model}`);
      if (!url.startsWith("https://new.example.com/")) return new Response("gone", { status: 404 });
      if (body === undefined)
        return models === undefined ? new Response("", { status: 404 }) : Response.json(models, { status });
      if (JSON.parse(String(body)).model === "m-2") return Response.json({ type: "message", content: [] });
      const error = { type: "not_found_error", message: "model: not found" };
      return Response.json({ type: "error", error }, { status: 404 });
    };
    return { fetch, requests };
  }
  const first = { Model: ["m-1", "m-2"], [KEY]: "a-key-of-mine", Context: ["1000", "2000"], "Base URL": "" };

  test("gets another address, and another model of the server's own list", async () => {
    const { fetch, requests } = server({ models: { data: [{ id: "m-2" }, { id: "m-3" }, { id: 7 }, { id: "m-2" }] } });
    const answers = { ...first, "Base URL": "https://new.example.com/v1/messages", "What now?": ["address", "model"] };
    const { settled, questions } = await asked(own, answers, [], { fetch });
    expect(settled).toMatchObject({
      name: "own",
      baseUrl: "https://new.example.com",
      model: "m-2",
      contextWindow: "2000",
      key: "a-key-of-mine",
    });
    // What helps is the first choice.
    const choices = questions.flatMap((each, index) => (each === "What now?" ? [questions[index + 1]] : []));
    expect(choices).toEqual(["address: another address", "model: another model"]);
    expect(questions.filter((each) => /^m-|: another one$/.test(each))).toEqual([
      "m-2: m-2",
      "m-3: m-3",
      ": another one",
    ]);
    expect(requests.map((each) => each.replace("?beta=true", ""))).toEqual([
      "https://old.example.com/v1/messages m-1",
      "https://new.example.com/v1/messages m-1",
      "https://new.example.com/v1/models?limit=1000",
      "https://new.example.com/v1/messages m-2",
    ]);
  });

  test.each([
    ["no list", {}],
    ["a list that is refused", { models: { data: [{ id: "m-2" }] }, status: 403 }],
    ["something else", { models: "a page" }],
    ["an empty one", { models: { data: [] } }],
  ])("without a list of models, is asked for one: %s", async (_, given) => {
    const { fetch } = server(given);
    const there = { ...own, baseUrl: "https://new.example.com" };
    const { settled, questions } = await asked(there, { ...first, "What now?": "model" }, [], { fetch });
    expect(settled).toMatchObject({ model: "m-2", contextWindow: "2000" });
    expect(questions).not.toContain(": another one");
  });

  test("a model that is not on the list can be typed", async () => {
    const { fetch } = server({ models: { data: [{ id: "m-9" }] } });
    const there = { ...own, baseUrl: "https://new.example.com" };
    const answers = { ...first, Model: ["m-1", "", "m-2"], "What now?": "model" };
    expect((await asked(there, answers, [], { fetch })).settled.model).toBe("m-2");
  });

  test("another model for a preset that asks for one, and another address for one that has one", async () => {
    const { fetch } = server();
    const answers = { ...first, "Base URL": "https://new.example.com", "What now?": ["address", "model"] };
    const { settled } = await asked({ name: "litellm", baseUrl: "https://old.example.com" }, answers, [], { fetch });
    expect(settled).toMatchObject({ model: "m-2", asked: { ANTHROPIC_MODEL: "m-2" } });
    const glm = await asked({ name: "glm", model: "m-2" }, { ...answers, "What now?": "address" }, [], { fetch });
    expect(glm.settled).toMatchObject({ baseUrl: "https://new.example.com", model: "m-2" });
  });
});

describe("a new provider without a terminal", () => {
  const KEY = "sk-0123456789abcdef";

  const settled = (given: Answers, env: Record<string, string> = {}) =>
    settleProvider(given, [], fakeWorld({ env, isTerminal: () => false }).world);

  /** The entry that ccc.json gets, without what it remembers of its preset. */
  async function entry(given: Answers, env: Record<string, string> = {}) {
    const { name, provider, key, written } = await settled(given, env);
    const { preset: _, ...settings } = newSettings(provider, key ?? written);
    return { [name]: settings };
  }

  test.each([
    ["a provider remembers the preset that it is made from", { name: "glm", key: KEY }, "glm"],
    ["one without a preset remembers none", { name: "mine", baseUrl: "https://llm.example.com", key: KEY }, undefined],
  ])("%s", async (_, given, name) => {
    const { provider, key } = await settled(given);
    expect(newSettings(provider, key).preset?.name).toBe(name);
  });

  test.each([
    ["https://api.deepseek.com/anthropic", "deepseek"],
    ["https://www.example.org", "example"],
    ["https://ai.example.net", "example"],
    ["https://z.ai", "z.ai"],
    ["https://gateway.eu.llm-hub.com", "llm-hub"],
    ["http://localhost:4000", "local"],
    ["http://127.0.0.1:8000", "local"],
    ["http://[::1]:8000", "local"],
  ])("without a name, %s is called %s", async (baseUrl, name) =>
    expect((await settled({ baseUrl, key: KEY })).name).toBe(name),
  );

  test("a preset by its own name, with its models", async () => {
    const { glm } = await entry({ name: "glm", key: KEY });
    expect(glm?.env).toMatchObject({
      ANTHROPIC_BASE_URL: "https://api.z.ai/api/anthropic",
      ANTHROPIC_AUTH_TOKEN: KEY,
      ANTHROPIC_DEFAULT_SONNET_MODEL: expect.any(String),
    });
  });
  test("a preset under another name", async () => {
    expect(Object.keys(await entry({ name: "work", preset: "kimi", reference: "env:K" }))).toEqual(["work"]);
  });
  test("a server of the user's own, and a model for every role", async () => {
    expect(await entry({ baseUrl: "https://llm.example.com/x/", model: "m", reference: "file:k" })).toEqual({
      llm: {
        env: {
          ANTHROPIC_BASE_URL: "https://llm.example.com/x",
          ANTHROPIC_AUTH_TOKEN: "file:k",
          ANTHROPIC_MODEL: "m",
          ANTHROPIC_DEFAULT_OPUS_MODEL: "m",
          ANTHROPIC_DEFAULT_SONNET_MODEL: "m",
          ANTHROPIC_DEFAULT_HAIKU_MODEL: "m",
          ANTHROPIC_DEFAULT_FABLE_MODEL: "m",
          ENABLE_TOOL_SEARCH: "false",
          CLAUDE_CODE_SUBAGENT_MODEL: "m",
        },
      },
    });
  });
  test("an address for a preset's name keeps the preset's models", async () => {
    const { kimi } = await entry({ name: "kimi", baseUrl: "https://llm.example.com", key: KEY });
    const { work } = await entry({ name: "work", preset: "kimi", baseUrl: "https://llm.example.com", key: KEY });
    expect(kimi).toEqual(work);
    expect(kimi?.env).toMatchObject({ ANTHROPIC_BASE_URL: "https://llm.example.com" });
    expect(kimi?.env?.ANTHROPIC_DEFAULT_OPUS_MODEL).toMatch(/^kimi/);
  });
  test("one that uses a login has none for an address", async () => {
    const env = { ANTHROPIC_BASE_URL: "https://llm.example.com", ANTHROPIC_AUTH_TOKEN: KEY };
    expect(await entry({ name: "anthropic", baseUrl: "https://llm.example.com", key: KEY })).toEqual({
      anthropic: { env },
    });
  });
  test.each([
    ["https://llm.example.com/v1/messages", "https://llm.example.com"],
    ["https://llm.example.com/anthropic/v1/messages/", "https://llm.example.com/anthropic"],
    ["https://llm.example.com/x//", "https://llm.example.com/x"],
    ["https://llm.example.com/v1", "https://llm.example.com/v1"],
  ])("the address %s becomes %s", async (given, baseUrl) => {
    const { own } = await entry({ name: "own", baseUrl: given, key: KEY });
    expect(own?.env).toMatchObject({ ANTHROPIC_BASE_URL: baseUrl });
  });
  describe("a model", () => {
    const env = async (given: Answers) => Object.values(await entry({ reference: "env:K", ...given }))[0]?.env ?? {};
    const own = { baseUrl: "https://llm.example.com" };
    const table: [what: string, given: Answers, expected: Record<string, string | undefined>][] = [
      [
        "that is Claude keeps tool search",
        { ...own, model: "anthropic/claude-sonnet-5" },
        { ENABLE_TOOL_SEARCH: undefined },
      ],
      ["that is not named keeps tool search", own, { ENABLE_TOOL_SEARCH: undefined }],
      [
        "at Anthropic's own server is Claude whatever its name",
        { preset: "anthropic-api", model: "next" },
        { ENABLE_TOOL_SEARCH: undefined },
      ],
      [
        "in a cloud is Claude whatever its name",
        { preset: "bedrock", model: "arn:x", reference: undefined, asked: { AWS_REGION: "r" } },
        { ENABLE_TOOL_SEARCH: undefined },
      ],
      [
        "of one's own replaces what a preset knows of its own",
        { preset: "glm", model: "glm-4.7" },
        {
          CLAUDE_CODE_AUTO_COMPACT_WINDOW: undefined,
          ANTHROPIC_DEFAULT_FABLE_MODEL: "glm-4.7",
          ENABLE_TOOL_SEARCH: "false",
        },
      ],
      ["may get the full system prompt", { ...own, fullPrompt: true }, { CLAUDE_CODE_SIMPLE_SYSTEM_PROMPT: "0" }],
      ["gets the short one otherwise", { preset: "glm" }, { CLAUDE_CODE_SIMPLE_SYSTEM_PROMPT: undefined }],
    ];
    for (const [what, given, expected] of table)
      test(what, async () => {
        const found = await env(given);
        for (const [name, value] of Object.entries(expected)) expect([name, found[name]]).toEqual([name, value]);
      });
  });
  test("a key goes into x-api-key on request", async () => {
    const asApiKey = true;
    expect((await entry({ name: "glm", key: KEY, asApiKey })).glm?.env).toMatchObject({ ANTHROPIC_API_KEY: KEY });
    expect((await entry({ name: "glm", key: KEY, asApiKey })).glm?.env).not.toContainKey("ANTHROPIC_AUTH_TOKEN");
    expect((await entry({ baseUrl: "http://127.0.0.1:8000", asApiKey })).local?.env).toMatchObject({
      ANTHROPIC_API_KEY: "none",
    });
    await expect(settled({ name: "anthropic", key: KEY, asApiKey })).rejects.toThrow("takes no key");
  });
  test("for an address with a part that the user fills in, that part is enough", async () => {
    const given = { preset: "qwen", reference: "env:K" };
    const whole = "https://ws-1.ap-southeast-1.maas.aliyuncs.com/apps/anthropic";
    expect((await entry({ ...given, baseUrl: "ws-1" })).qwen?.env).toMatchObject({ ANTHROPIC_BASE_URL: whole });
    expect((await entry({ name: "qwen", reference: "env:K", baseUrl: "ws-1" })).qwen?.env).toMatchObject({
      ANTHROPIC_BASE_URL: whole,
      ANTHROPIC_DEFAULT_OPUS_MODEL: "qwen3.7-max",
    });
    expect((await entry({ ...given, baseUrl: whole })).qwen?.env).toMatchObject({ ANTHROPIC_BASE_URL: whole });
    await expect(settled(given)).rejects.toThrow("for example https://{WorkspaceId}.");
  });
  test("a server on this machine needs no key", async () => {
    expect(await entry({ baseUrl: "http://127.0.0.1:8000" })).toEqual({
      local: { env: { ANTHROPIC_BASE_URL: "http://127.0.0.1:8000", ANTHROPIC_AUTH_TOKEN: "none" } },
    });
  });
  test("a login needs no key and no server", async () => {
    expect(await entry({ name: "anthropic" })).toEqual({ anthropic: {} });
  });
  test("variables that only the user knows come from the environment", async () => {
    expect((await entry({ name: "bedrock" }, { AWS_REGION: "eu-central-1" })).bedrock?.env).toMatchObject({
      AWS_REGION: "eu-central-1",
      CLAUDE_CODE_USE_BEDROCK: "1",
    });
  });

  test.each<[string, Answers, string]>([
    ["nothing", {}, "--preset or --base-url is missing"],
    ["an unknown name", { name: "mine" }, 'unknown preset "mine"'],
    ["a near miss", { preset: "gml" }, 'did you mean "glm"?'],
    ["a model", { preset: "kimi-k2-turbo" }, 'did you mean "kimi"?'],
    ["a company's name", { name: "豆包" }, 'did you mean "doubao"?'],
    ["a window in words", { name: "glm", key: KEY, contextWindow: "200k" }, "--context-window takes a number"],
    ["no key", { name: "glm" }, "the key is missing"],
    ["no address", { preset: "litellm", model: "m", key: KEY }, "--base-url is missing"],
    ["no model", { preset: "ollama" }, "--model is missing"],
    ["no region", { name: "bedrock" }, "AWS_REGION"],
    ["a key for a login", { name: "anthropic", key: KEY }, "takes no key"],
    ["an invalid reference", { name: "glm", reference: "pass show glm" }, "--token-ref takes"],
    ["a key with a space", { name: "glm", key: "a b" }, "no spaces"],
    ["a key that is a reference", { name: "glm", key: "cmd:x" }, "--token-ref"],
    ["a key that is a variable", { name: "glm", key: "${X}" }, "--token-ref env:NAME"],
    ["no URL", { name: "x", baseUrl: "nowhere", key: KEY }, "must begin with https://"],
    ["a user name in a URL", { name: "x", baseUrl: "https://u@h", key: KEY }, "must not contain a user name"],
    ["a password alone", { name: "x", baseUrl: "https://:p@h", key: KEY }, "must not contain a user name"],
    ["a space in a URL", { name: "x", baseUrl: "https://h/a b", key: KEY }, "must not contain ?, # or spaces"],
    ["a fragment", { name: "x", baseUrl: "https://h/#a", key: KEY }, "must not contain ?, #"],
    [
      "no key for a gateway, even here",
      { preset: "litellm", model: "m", baseUrl: "http://127.0.0.1:4000" },
      "key is missing",
    ],
    ["a password in a URL", { name: "x", baseUrl: "https://u:p@h", key: KEY }, "password"],
    ["a key over http", { name: "x", baseUrl: "http://example.com", key: KEY }, "https://"],
    ["a server that only looks local", { name: "x", baseUrl: "http://127.0.0.1.evil.example" }, "https://"],
    ["a query", { name: "x", baseUrl: "https://h/?a=b", key: KEY }, "must not contain ?, #"],
    ["a command of claude's", { name: "mcp", preset: "glm", key: KEY }, "a command of claude"],
    ["an invisible character", { name: "glm", key: "sk-\u200b0123" }, "no spaces"],
    ["a command's name", { name: "doctor", preset: "glm", key: KEY }, "is a command of ccc"],
    ["a name that cannot be typed", { name: "a b", preset: "glm", key: KEY }, "letters, digits"],
  ])("%s is a mistake", async (_, given, message) => {
    const refused = settled(given);
    await expect(refused).rejects.toThrow(message);
    await expect(refused).rejects.toMatchObject({ exitCode: 2 });
  });

  test("a name that looks like a key is not repeated", async () => {
    const refused = settled({ name: "sk-0123456789abcdef", preset: "glm", key: KEY });
    await expect(refused).rejects.toThrow(/^the name looks like a key, which is never an argument$/);
    const name = "my-company-gateway-production-2026";
    expect((await settled({ name, preset: "glm", key: KEY })).name).toBe(name);
  });

  test("an unknown preset that may be a key is not repeated", async () => {
    const shown = "k".repeat(SHORTEST_KEY - 1);
    await expect(settled({ preset: shown })).rejects.toThrow(`unknown preset "${shown}"`);
    await expect(settled({ preset: `${shown}k` })).rejects.toThrow(/^unknown preset$/);
  });
});
