import { describe, expect, test } from "bun:test";
import { run } from "../../../../src/cli/run.ts";
import { deepValidate, MOST_REQUESTS } from "../../../../src/commands/validate/command.ts";
import type { World } from "../../../../src/world.ts";
import { fakeWorld } from "../../fakes.ts";
import {
  type Asked,
  call,
  isAfterResult,
  isReference,
  isToolCall,
  type Objection,
  refusal,
  say,
  scriptedServer,
} from "./scripted-server.ts";

describe("command", () => {
  const provider = (name: string, more: object = {}) => ({
    env: {
      ANTHROPIC_BASE_URL: `https://${name}.test`,
      ANTHROPIC_AUTH_TOKEN: `key-of-${name}`,
      ANTHROPIC_MODEL: "m",
      ...more,
    },
  });
  const PROVIDERS = {
    glm: provider("glm"),
    refused: provider("refused"),
    unset: provider("unset", { ANTHROPIC_AUTH_TOKEN: "env:NO_SUCH_KEY" }),
    login: {},
  };
  const OK = "✓ glm  https://glm.test answered as m\n";
  const CHECK_KEY =
    "Check that the key is complete, not expired, and made for this address: keys are often bound to a region or plan.";

  const refusing: Objection = (_, headers) =>
    headers.get("authorization") === "Bearer key-of-refused" ? refusal("no", 401) : undefined;

  async function validate(args: string[], parts: Partial<World> = {}, config: object = { providers: PROVIDERS }) {
    const { fetch, asked } = scriptedServer(refusing);
    const content = { "/home/u/.claude/ccc.json": JSON.stringify(config) };
    const { world, said } = fakeWorld({ argv: ["validate", ...args], content, fetch, ...parts });
    return { exitCode: await run(world), ...said, asked };
  }

  describe("ccc validate", () => {
    test("sends one request, for the current provider", async () => {
      const { asked, ...said } = await validate([]);
      expect(said).toEqual({ exitCode: 0, stdout: OK, stderr: "" });
      expect(asked).toHaveLength(1);
    });

    test("says what is wrong and what helps, with exit code 1", async () => {
      expect(await validate(["refused"])).toMatchObject({
        exitCode: 1,
        stdout: `✗ refused  https://refused.test rejects the key (status 401, "no")\n           ${CHECK_KEY}\n`,
      });
    });

    test("--all goes through ccc.json in its order", async () => {
      const { exitCode, stdout } = await validate(["--all"]);
      expect(exitCode).toBe(1);
      expect(stdout.match(/^[✓✗-] \w+ +/gm)).toEqual(["✓ glm      ", "✗ refused  ", "✗ unset    ", "- login    "]);
      expect(stdout).toContain("NO_SUCH_KEY is not set");
    });

    test("--json prints nothing but JSON", async () => {
      const { exitCode, stdout } = await validate(["--all", "--json"]);
      const { ok, providers } = JSON.parse(stdout);
      expect({ exitCode, ok }).toEqual({ exitCode: 1, ok: false });
      expect(providers.map(({ name, status, cause }: Record<string, string>) => [name, status, cause])).toEqual([
        ["glm", "valid", "answered"],
        ["refused", "invalid", "key_refused"],
        ["unset", "invalid", "configuration"],
        ["login", "unchecked", "uses_login"],
      ]);
      expect(providers[2]).not.toHaveProperty("checks");
      const fine = await validate(["glm", "--json"]);
      expect([fine.exitCode, JSON.parse(fine.stdout).ok]).toEqual([0, true]);
    });

    test("--deep announces what it costs, and shows each check", async () => {
      const { exitCode, stdout, stderr, asked } = await validate(["--deep"]);
      expect({ exitCode, stderr }).toEqual({
        exitCode: 0,
        stderr: "ccc: asking glm: at most 16 small requests each\n",
      });
      expect(stdout).toStartWith(`${OK}  ✓ model`);
      expect(stdout).toEndWith("  5 requests, 428 tokens counted by the server\n");
      expect(asked).toHaveLength(5);
    });

    test("--deep shows the advice below each check", async () => {
      const { fetch } = scriptedServer(({ tools }) => (tools === undefined ? undefined : refusal("no tools")));
      const { exitCode, stdout } = await validate(["--deep"], { fetch });
      expect(exitCode).toBe(1);
      expect(stdout).toContain('\n  ✗ tool call       https://glm.test rejects the request (status 400, "no tools")\n');
      expect(stdout).toContain(`\n${" ".repeat(20)}Choose a model that can call tools`);
    });

    test("--deep ends where there is nothing more to ask", async () => {
      expect((await validate(["--deep", "refused"])).stdout).toEndWith(`${CHECK_KEY}\n  1 request\n`);
      expect((await validate(["--deep", "unset"])).stdout).not.toContain("request");
      const { providers } = JSON.parse((await validate(["--deep", "--json", "unset"])).stdout);
      expect(providers[0]).toMatchObject({ cause: "configuration", checks: [], requests: 0 });
    });

    test("waits longer with --deep, or as long as --timeout says", async () => {
      const fetch = () => Promise.reject(Object.assign(new Error(), { name: "TimeoutError" }));
      for (const [args, seconds] of [
        [[], 15],
        [["--deep"], 60],
        [["--timeout", "3"], 3],
      ] as const)
        expect((await validate([...args], { fetch })).stdout).toContain(`did not answer within ${seconds} seconds`);
    });
  });

  describe("the key is sent as in a launch, in both headers:", () => {
    async function headers(of: object, shared: object = {}) {
      let sent = new Headers();
      const fetch: World["fetch"] = async (_, init) => {
        sent = new Headers(init.headers as Record<string, string>);
        return Response.json({ type: "message", content: [] });
      };
      const helper: World["run"] = async ({ program: { args }, onLine }) => {
        const isWorking = args.join(" ").includes("print-key");
        if (isWorking) onLine?.(new TextEncoder().encode("key-of-the-helper"));
        return { exitCode: isWorking ? 0 : 1, ending: "exited", stderr: "" };
      };
      const said = await validate([], { fetch, run: helper }, { settings: shared, providers: { glm: of } });
      return { ...said, sent: [sent.get("authorization"), sent.get("x-api-key")] };
    }
    const url = { ANTHROPIC_BASE_URL: "https://glm.test" };

    test("a token, an API key, or one of each", async () => {
      const token = { ANTHROPIC_AUTH_TOKEN: "a-token-of-glm" };
      const key = { ANTHROPIC_API_KEY: "an-api-key-of-glm" };
      const both = ["Bearer a-token-of-glm", "an-api-key-of-glm"];
      expect((await headers({ env: { ...url, ...token } })).sent).toEqual(["Bearer a-token-of-glm", "a-token-of-glm"]);
      expect((await headers({ env: { ...url, ...key } })).sent).toEqual([
        "Bearer an-api-key-of-glm",
        "an-api-key-of-glm",
      ]);
      expect((await headers({ env: { ...url, ...token, ...key } })).sent).toEqual(both);
    });

    test("what a helper prints; one that fails is named with its place", async () => {
      const printed = ["Bearer key-of-the-helper", "key-of-the-helper"];
      expect((await headers({ env: url, apiKeyHelper: "print-key" })).sent).toEqual(printed);
      expect((await headers({ env: url }, { apiKeyHelper: "print-key" })).sent).toEqual(printed);
      const own = await headers({ env: url, apiKeyHelper: "fail" });
      expect(own).toMatchObject({ exitCode: 1, stdout: expect.stringContaining("providers.glm.apiKeyHelper") });
      const shared = await headers({ env: url }, { apiKeyHelper: "fail" });
      expect(shared).toMatchObject({ exitCode: 1, stdout: expect.stringContaining("settings.apiKeyHelper") });
    });
  });
});

describe("a model that the server does not know", () => {
  const URL = "https://api.z.ai/api/anthropic";
  const OPUS = "ANTHROPIC_DEFAULT_OPUS_MODEL";
  const preset = {
    name: "glm",
    as_of: "2026-01-01",
    env: { ANTHROPIC_BASE_URL: URL, [OPUS]: "glm-4" },
  };
  const TO_UPDATE = "Its preset now has other models: ccc provider update glm";

  async function advice(args: readonly string[], entry: object, fetch: World["fetch"]): Promise<string> {
    const env = { ANTHROPIC_BASE_URL: URL, ANTHROPIC_AUTH_TOKEN: "key-of-glm", [OPUS]: "glm-4" };
    const content = { "/home/u/.claude/ccc.json": JSON.stringify({ providers: { glm: { env, ...entry } } }) };
    const { world, said } = fakeWorld({ argv: ["validate", "--json", ...args], content, fetch });
    await run(world);
    return JSON.parse(said.stdout).providers[0].advice;
  }
  const unknown: World["fetch"] = async () => refusal("Unknown model glm-4");

  test("its preset is named if that has newer ones", async () => {
    expect(await advice([], { preset }, unknown)).toBe(TO_UPDATE);
    expect(await advice([], { env: {} }, unknown)).not.toBe(TO_UPDATE);
    expect(await advice([], { preset }, async () => refusal("no", 401))).not.toBe(TO_UPDATE);
  });

  test("also if it is one of several that --deep asks for", async () => {
    const env = {
      ANTHROPIC_BASE_URL: URL,
      ANTHROPIC_AUTH_TOKEN: "key-of-glm",
      [OPUS]: "glm-4",
      ANTHROPIC_DEFAULT_HAIKU_MODEL: "glm-small",
    };
    const { fetch } = scriptedServer(({ model }) =>
      model === "glm-small" ? refusal("Unknown model glm-small") : undefined,
    );
    expect(await advice(["--deep"], { env, preset }, fetch)).toBe(TO_UPDATE);
    const { fetch: without } = scriptedServer(({ stream }) => (stream ? refusal("no streams") : undefined));
    expect(await advice(["--deep"], { env, preset }, without)).not.toBe(TO_UPDATE);
  });
});

describe("ccc validate --deep", () => {
  const KEY = "sk-a1b2c3d4e5f6g7h8";
  const ENV = { ANTHROPIC_BASE_URL: "https://x.test", ANTHROPIC_AUTH_TOKEN: KEY, ANTHROPIC_MODEL: "big[1m]" };

  async function deep(objection: Objection | undefined, env: Record<string, string> = {}) {
    const { fetch, asked } = scriptedServer(objection);
    const found = await deepValidate({ env: { ...ENV, ...env }, apiKeyHelper: "" }, fetch, 1000);
    expect(found.requests).toBe(asked.length);
    expect(JSON.stringify(found)).not.toContain(KEY.slice(3, 12));
    const signs = { valid: "✓", invalid: "✗", unchecked: "-" };
    const line = found.checks.map(({ check, status }) => `${signs[status]} ${check}`).join(", ");
    const check = (name: string) => found.checks.find((each) => each.check === name);
    return { ...found, line, asked, check };
  }

  const ALL = "✓ model, ✓ streaming, ✓ tool_call, ✓ tool_result, ✓ tool_reference";

  test("a server that can do everything: five small requests, and what they cost", async () => {
    const found = await deep(undefined);
    expect(found).toMatchObject({ status: "valid", cause: "answered", line: ALL, requests: 5 });
    expect(found.tokens).toEqual({ input: 400, output: 28 });
    expect(new Set(found.asked.map(({ model }) => model))).toEqual(new Set(["big"]));
  });

  describe("the requests are Claude Code's", () => {
    const streamed = async (env: Record<string, string> = {}) =>
      (await deep(undefined, env)).asked.filter(({ stream }) => stream);
    test("with its fields and system messages, and the model's own call before the result", async () => {
      const [first, , result] = await streamed();
      expect(first).toMatchObject({ max_tokens: 32_000, thinking: { type: "adaptive" }, output_config: {} });
      expect(first?.context_management).toBeDefined();
      expect(first?.messages.map(({ role }) => role)).toEqual(["user", "system"]);
      expect(result?.messages[1]).toEqual({
        role: "assistant",
        content: [{ type: "tool_use", id: "call_1", name: "report_word", input: { word: "ready" } }],
      });
    });
    const table: [env: Record<string, string>, field: keyof Asked, value: unknown][] = [
      [{ CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS: "1" }, "context_management", undefined],
      [{ MAX_THINKING_TOKENS: "0" }, "thinking", undefined],
      [{ CLAUDE_CODE_EFFORT_LEVEL: "auto" }, "output_config", undefined],
      [{ CLAUDE_CODE_MAX_OUTPUT_TOKENS: "4000" }, "max_tokens", 4000],
    ];
    test.each(table)("with %o, %s is %o", async (env, field, value) => {
      for (const body of await streamed(env)) expect(body[field]).toEqual(value);
    });
  });

  describe("what is missing, and what helps", () => {
    const none = (body: Asked) => body.stream !== true;
    const withSystem = ({ messages }: Asked) => messages.some(({ role }) => role === "system");
    const table: [what: string, objection: Objection, line: string, check: string, says: string, helps: string][] = [
      [
        "no streaming",
        (body) =>
          none(body) || isToolCall(body) || isAfterResult(body)
            ? undefined
            : Response.json({ type: "message", content: [], usage: {} }),
        "✓ model, ✗ streaming, ✓ tool_call, ✓ tool_result, ✓ tool_reference",
        "streaming",
        "in one piece",
        "a gateway such as LiteLLM",
      ],
      [
        "a stream that is cut off",
        (body) => (none(body) || isToolCall(body) || isAfterResult(body) ? undefined : say("o", 3)),
        "✓ model, ✗ streaming, ✓ tool_call, ✓ tool_result, ✓ tool_reference",
        "streaming",
        "breaks off",
        "A proxy or gateway",
      ],
      [
        "a stream that ends in an error",
        (body) =>
          none(body) || isToolCall(body) || isAfterResult(body)
            ? undefined
            : new Response(
                `data: {"type":"message_start"}\n\ndata: {"type":"error","error":{"message":"no ${KEY}"}}\n\n`,
              ),
        "✓ model, ✗ streaming, ✓ tool_call, ✓ tool_result, ✓ tool_reference",
        "streaming",
        "breaks off: no ***",
        "A proxy or gateway",
      ],
      [
        "no beta fields",
        ({ context_management }) => (context_management ? refusal("unknown field context_management") : undefined),
        "✓ model, ✗ streaming, ✓ tool_call, ✓ tool_result, ✓ tool_reference",
        "streaming",
        "works without beta features",
        'Set "CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS": "1"',
      ],
      [
        "no thinking",
        ({ thinking }) => (thinking ? refusal("thinking is not supported by this model") : undefined),
        "✓ model, ✗ streaming, ✓ tool_call, ✓ tool_result, ✓ tool_reference",
        "streaming",
        "works without the field thinking",
        'Set "MAX_THINKING_TOKENS": "0"',
      ],
      [
        "no effort",
        ({ output_config }) => (output_config ? new Response("", { status: 500 }) : undefined),
        "✓ model, ✗ streaming, ✓ tool_call, ✓ tool_result, ✓ tool_reference",
        "streaming",
        "works without the field output_config",
        'Set "CLAUDE_CODE_EFFORT_LEVEL": "auto"',
      ],
      [
        "short answers",
        ({ max_tokens }) => (max_tokens > 8192 ? refusal("max_tokens must be at most 8192") : undefined),
        "✓ model, ✗ streaming, ✓ tool_call, ✓ tool_result, ✓ tool_reference",
        "streaming",
        "works without answers of up to 32,000 tokens",
        'Set "CLAUDE_CODE_MAX_OUTPUT_TOKENS": "8192"',
      ],
      [
        "no system messages",
        (body) => (withSystem(body) ? refusal("messages.1.role: Input should be user or assistant") : undefined),
        "✓ model, ✗ streaming, ✓ tool_call, ✓ tool_result, ✓ tool_reference",
        "streaming",
        "works without system messages",
        "Claude Code has no setting for that",
      ],
      [
        "no system messages, in words that Claude Code understands",
        (body) => (withSystem(body) ? refusal('messages: Unexpected role "system"') : undefined),
        ALL,
        "streaming",
        "adapts to that by itself",
        "",
      ],
      [
        "nothing at all but the plainest request",
        (body) => (none(body) ? undefined : refusal(`not today, ${KEY}`)),
        "✓ model, ✗ streaming, ✗ tool_call, - tool_result, - tool_reference",
        "streaming",
        "not today",
        "Look up that message",
      ],
      [
        "a model that calls no tools",
        (body) => (isToolCall(body) ? say("I cannot do that.") : undefined),
        "✓ model, ✓ streaming, ✗ tool_call, - tool_result, - tool_reference",
        "tool_call",
        "without calling the tool",
        "Choose a model that can call tools",
      ],
      [
        "an answer that is too short for a call",
        (body) => (isToolCall(body) ? say("Let me th", 99, "max_tokens") : undefined),
        "✓ model, ✓ streaming, ✗ tool_call, - tool_result, - tool_reference",
        "tool_call",
        "it has reached its limit of tokens",
        "Choose a model that can call tools",
      ],
      [
        "a call of a tool that there is not",
        (body) => (isToolCall(body) ? call('{"word":"ready"}', "other_tool") : undefined),
        "✓ model, ✓ streaming, ✗ tool_call, - tool_result, - tool_reference",
        "tool_call",
        "without calling the tool",
        "Choose a model that can call tools",
      ],
      [
        "a call as text",
        (body) => (isToolCall(body) ? say('<tool>report_word {"word":"ready"}</tool>') : undefined),
        "✓ model, ✓ streaming, ✗ tool_call, - tool_result, - tool_reference",
        "tool_call",
        "as text",
        "--enable-auto-tool-choice",
      ],
      [
        "a garbled call",
        (body) => (isToolCall(body) ? call('{"word":') : undefined),
        "✓ model, ✓ streaming, ✗ tool_call, - tool_result, - tool_reference",
        "tool_call",
        "garbled",
        "parser for tool calls",
      ],
      [
        "tools are refused",
        (body) => (isToolCall(body) ? refusal("The tool call is not supported.") : undefined),
        "✓ model, ✓ streaming, ✗ tool_call, - tool_result, - tool_reference",
        "tool_call",
        "is not supported",
        "Choose a model that can call tools",
      ],
      [
        "tool results are refused",
        (body) => (isAfterResult(body) && !isReference(body) ? refusal("unknown block tool_result") : undefined),
        "✓ model, ✓ streaming, ✓ tool_call, ✗ tool_result, ✓ tool_reference",
        "tool_result",
        "unknown block",
        "a gateway such as LiteLLM",
      ],
      [
        "an answer to a tool result that breaks off",
        (body) =>
          isAfterResult(body) && !isReference(body)
            ? new Response(
                'data: {"type":"message_start"}\n\ndata: {"type":"error","error":{"message":"overloaded"}}\n\n',
              )
            : undefined,
        "✓ model, ✓ streaming, ✓ tool_call, ✗ tool_result, ✓ tool_reference",
        "tool_result",
        "the answer to a tool result breaks off: overloaded",
        "a gateway such as LiteLLM",
      ],
      [
        "a redirect instead of a stream",
        (body) =>
          none(body) || isToolCall(body) || isAfterResult(body)
            ? undefined
            : new Response(say("ok").body, { status: 300 }),
        "✓ model, ✗ streaming, ✓ tool_call, ✓ tool_result, ✓ tool_reference",
        "streaming",
        "redirects to another address",
        "If you trust that address",
      ],
      [
        "a key that no longer counts at the end",
        (body) => (isReference(body) ? refusal("expired", 401) : undefined),
        "✓ model, ✓ streaming, ✓ tool_call, ✓ tool_result, ✗ tool_reference",
        "tool_reference",
        "rejects the key",
        "Check that the key is complete",
      ],
      [
        "tool_reference is refused",
        (body) => (isReference(body) ? refusal("unknown block tool_reference") : undefined),
        "✓ model, ✓ streaming, ✓ tool_call, ✓ tool_result, ✗ tool_reference",
        "tool_reference",
        "unknown block",
        'Set "ENABLE_TOOL_SEARCH": "false"',
      ],
      [
        "tool_reference breaks the server",
        (body) => (isReference(body) ? new Response("Traceback", { status: 500 }) : undefined),
        "✓ model, ✓ streaming, ✓ tool_call, ✓ tool_result, ✗ tool_reference",
        "tool_reference",
        "status 500",
        'Set "ENABLE_TOOL_SEARCH": "false"',
      ],
      [
        "tool_reference is ignored",
        (body) => (isReference(body) ? say("Which tool?") : undefined),
        "✓ model, ✓ streaming, ✓ tool_call, ✓ tool_result, ✗ tool_reference",
        "tool_reference",
        "does not find a tool",
        'Set "ENABLE_TOOL_SEARCH": "false"',
      ],
    ];
    for (const [what, objection, line, name, says, helps] of table)
      test(what, async () => {
        const found = await deep(objection);
        expect(found.line).toBe(line);
        expect(found.check(name)?.detail).toContain(says);
        expect(found.check(name)?.advice).toContain(helps);
        const setting = /Set "(\w+)": "(\w+)"/.exec(helps);
        expect(found.check(name)?.setting).toBe(setting === null ? null : `${setting[1]}=${setting[2]}`);
        expect(found.cause).toBe(line.includes("✗") ? "incomplete" : "answered");
      });
  });

  describe("models", () => {
    test("every one that the provider names is asked once, with the roles that it has", async () => {
      const found = await deep(undefined, {
        ANTHROPIC_DEFAULT_OPUS_MODEL: "big[1m]",
        ANTHROPIC_DEFAULT_SONNET_MODEL: "middle",
        ANTHROPIC_DEFAULT_HAIKU_MODEL: "small",
        ANTHROPIC_DEFAULT_FABLE_MODEL: "story",
        CLAUDE_CODE_SUBAGENT_MODEL: "small",
      });
      expect(found.checks.filter(({ check }) => check === "model").map(({ detail }) => detail)).toEqual([
        "big (main, opus)",
        "middle (sonnet)",
        "small (haiku, subagents)",
        "story (fable)",
      ]);
      expect(found.requests).toBe(8);
    });
    test("one that the server lacks is named with its variables", async () => {
      const found = await deep(({ model }) => (model === "old" ? refusal("model not found: old", 404) : undefined), {
        ANTHROPIC_DEFAULT_HAIKU_MODEL: "old",
        CLAUDE_CODE_SUBAGENT_MODEL: "old",
      });
      expect(found.detail).toEndWith("but lacks: model");
      expect(found.checks[1]).toMatchObject({
        status: "invalid",
        advice: "Set ANTHROPIC_DEFAULT_HAIKU_MODEL, CLAUDE_CODE_SUBAGENT_MODEL to a model from the provider's list.",
      });
    });
  });

  describe("no request is made that cannot help", () => {
    test("for tool_reference, if tool search is off", async () => {
      const found = await deep(undefined, { ENABLE_TOOL_SEARCH: "false" });
      expect(found).toMatchObject({ status: "valid", requests: 4 });
      expect(found.check("tool_reference")).toMatchObject({
        status: "unchecked",
        detail: expect.stringContaining("=false"),
      });
    });
    test("with a setting that the provider has already", async () => {
      const refuses: Objection = ({ stream }) => (stream ? refusal("no") : undefined);
      const all = await deep(refuses);
      const fewer = await deep(refuses, { MAX_THINKING_TOKENS: "0", CLAUDE_CODE_EFFORT_LEVEL: "auto" });
      expect(all.requests - fewer.requests).toBe(2);
    });
    test("after the first request fails", async () => {
      expect(await deep(() => refusal("no credit", 402))).toMatchObject({
        cause: "out_of_credit",
        requests: 1,
        line: "",
      });
      expect(await deep(() => new Response("", { status: 429 }))).toMatchObject({ status: "valid", requests: 1 });
    });
    test("after the quota is used up", async () => {
      const found = await deep(({ stream }) => (stream ? new Response("", { status: 429 }) : undefined));
      expect(found).toMatchObject({ status: "valid", requests: 2 });
      expect(found.line).toBe("✓ model, - streaming, - tool_call, - tool_result, - tool_reference");
    });
    test("beyond the announced number", async () => {
      const models = ["OPUS", "SONNET", "HAIKU", "FABLE"].map(
        (role) => [`ANTHROPIC_DEFAULT_${role}_MODEL`, role] as const,
      );
      const more = { ANTHROPIC_SMALL_FAST_MODEL: "s", CLAUDE_CODE_SUBAGENT_MODEL: "a" };
      // The last way out is the right one.
      const refuses: Objection = ({ stream, messages }) =>
        stream && messages.some(({ role }) => role === "system") ? refusal("no") : undefined;
      const found = await deep(refuses, { ...Object.fromEntries(models), ...more });
      expect(found.requests).toBeLessThanOrEqual(MOST_REQUESTS);
      expect(found.requests).toBeGreaterThan(MOST_REQUESTS - 3);
    });
  });
});
