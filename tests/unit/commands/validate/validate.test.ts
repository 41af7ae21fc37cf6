import { describe, expect, test } from "bun:test";
import {
  askServer,
  type Cause,
  type Validation,
  validateProvider,
} from "../../../../src/commands/validate/validate.ts";
import { PRESETS } from "../../../../src/providers/preset-list.ts";
import type { Fetch } from "../../../../src/world.ts";

describe("an answer in pieces", () => {
  /** What is read of an answer that arrives in these pieces, and perhaps never ends. */
  async function body(pieces: readonly Uint8Array[], ends: boolean): Promise<string> {
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => {
        for (const piece of pieces) controller.enqueue(piece);
        if (ends) controller.close();
      },
    });
    const request = { url: "https://x.test/v1/messages", headers: {} };
    const { answer } = await askServer(request, {}, async () => new Response(stream), { timeoutMs: 1000 });
    return answer?.body ?? "";
  }

  const bytes = (text: string) => new TextEncoder().encode(text);

  test("a character that arrives in two pieces is one", async () => {
    const text = bytes("余额不足");
    expect(await body([text.slice(0, 4), text.slice(4)], true)).toBe("余额不足");
  });

  test("an answer that never ends is read as far as necessary", async () => {
    expect(await body([bytes("a".repeat(65_000)), bytes("b".repeat(536))], false)).toEndWith("b");
  });
});

describe("the judgement of an answer", () => {
  const KEY = "sk-a1b2c3d4e5f6g7h8";
  const message = { id: "m", type: "message", role: "assistant", content: [], stop_reason: "max_tokens" };
  const anthropic = (type: string, text: string) => ({ type: "error", error: { type, message: text } });
  const openai = (text: string, code?: string) => ({ error: { message: text, type: "invalid_request_error", code } });

  const ENV = { ANTHROPIC_BASE_URL: "https://api.x.ai", ANTHROPIC_AUTH_TOKEN: KEY, ANTHROPIC_MODEL: "glm-4.7" };

  function judged(status: number, body: unknown, location = ""): Promise<Validation> {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const fetch = async () => new Response(text, { status, headers: { location } });
    return validateProvider({ env: ENV, apiKeyHelper: "" }, fetch);
  }

  const table: [name: string, status: number, body: unknown, expected: Validation["status"], cause: Cause][] = [
    ["a message", 200, message, "valid", "answered"],
    ["a stream", 200, 'event: message_start\ndata: {"type":"message_start"}\n\n', "valid", "answered"],
    ["a stream without names", 200, 'data: {"type":"message_start"}\n\n', "valid", "answered"],
    ["a completion of OpenAI's", 200, { object: "chat.completion", choices: [] }, "invalid", "not_anthropic"],
    ["a stream of OpenAI's", 200, 'data: {"object":"chat.completion.chunk"}', "invalid", "not_anthropic"],
    ["choices alone, as OpenAI's", 200, { choices: [] }, "invalid", "not_anthropic"],
    ["a message without content", 200, { type: "message" }, "invalid", "not_anthropic"],
    ["content that is no message", 200, { content: [] }, "invalid", "not_anthropic"],
    ["a page", 200, "<!DOCTYPE html><html></html>", "invalid", "not_anthropic"],
    ["nothing", 200, "", "invalid", "not_anthropic"],
    ["some other JSON", 200, { hello: "world" }, "invalid", "not_anthropic"],
    ["a list", 200, [1], "invalid", "not_anthropic"],
    ["an error without a type in a 200", 200, { message: "hello there" }, "invalid", "not_anthropic"],
    ["a refusal in a 200", 200, { code: 401, msg: "expired", success: false }, "invalid", "key_refused"],
    ["a bad request in a 200", 200, { code: 400, msg: "bad" }, "invalid", "request_refused"],
    ["a number that is no status in a 200", 200, { code: 600, msg: "bad" }, "invalid", "not_anthropic"],
    ["a refusal in words in a 200", 200, { code: 1001, msg: "Authentication missing" }, "invalid", "key_refused"],
    ["an error of Anthropic's in a 200", 200, anthropic("authentication_error", "no"), "invalid", "key_refused"],
    ["401", 401, anthropic("authentication_error", "invalid x-api-key"), "invalid", "key_refused"],
    ["401 without a word", 401, "", "invalid", "key_refused"],
    ["401 of a server that is not Anthropic's", 401, openai("Incorrect API key"), "invalid", "key_refused"],
    ["401 with a page", 401, "<html>", "invalid", "key_refused"],
    ["403", 403, anthropic("permission_error", "not for you"), "invalid", "key_refused"],
    ["403 with a page, of a firewall", 403, "<html>blocked</html>", "invalid", "not_anthropic"],
    ["402", 402, { error: { message: "Insufficient Balance" } }, "invalid", "out_of_credit"],
    [
      "400 about credit",
      400,
      anthropic("invalid_request_error", "Your credit balance is too low"),
      "invalid",
      "out_of_credit",
    ],
    [
      "429 about credit",
      429,
      { error: { code: "1113", message: "Insufficient balance or no resource package" } },
      "invalid",
      "out_of_credit",
    ],
    ["429", 429, anthropic("rate_limit_error", "slow down"), "valid", "rate_limited"],
    ["429 without a word", 429, "", "valid", "rate_limited"],
    ["404 about the model", 404, anthropic("not_found_error", "model: glm-4.7"), "invalid", "model_unknown"],
    [
      "404 about a model, in OpenAI's format",
      404,
      openai("The model does not exist", "model_not_found"),
      "invalid",
      "model_unknown",
    ],
    ["404 about a model, by its type alone", 404, openai("Sorry", "model_not_found"), "invalid", "model_unknown"],
    ["422 about the model", 422, openai("Unknown model glm-4.7"), "invalid", "model_unknown"],
    ["500 that mentions the model", 500, anthropic("api_error", "Model not available"), "invalid", "server_error"],
    [
      "400 about the model",
      400,
      anthropic("invalid_request_error", "Unknown model glm-4.7"),
      "invalid",
      "model_unknown",
    ],
    [
      "400 about the model, in Chinese",
      400,
      { error: { code: "1211", message: "模型不存在" } },
      "invalid",
      "model_unknown",
    ],
    [
      "400 that only mentions a model",
      400,
      anthropic("invalid_request_error", "this model wants max_tokens > 1"),
      "invalid",
      "request_refused",
    ],
    ["404 that only says so", 404, anthropic("not_found_error", "Not found"), "invalid", "wrong_path"],
    ["404 without a word", 404, "", "invalid", "wrong_path"],
    ["404 with a page", 404, "<html>404</html>", "invalid", "wrong_path"],
    ["404 in plain text", 404, "404 page not found", "invalid", "wrong_path"],
    ["404 of a web framework", 404, { detail: "Not Found" }, "invalid", "wrong_path"],
    ["405", 405, { detail: "Method Not Allowed" }, "invalid", "wrong_path"],
    [
      "400 about something else",
      400,
      anthropic("invalid_request_error", "max_tokens: too small"),
      "invalid",
      "request_refused",
    ],
    ["400 without a word", 400, "", "invalid", "not_anthropic"],
    ["407", 407, "", "invalid", "unreachable"],
    ["500", 500, anthropic("api_error", "oops"), "invalid", "server_error"],
    ["502 with a page", 502, "<html>Bad Gateway</html>", "invalid", "server_error"],
    ["529", 529, anthropic("overloaded_error", "Overloaded"), "invalid", "server_error"],
    ["300", 300, message, "invalid", "redirected"],
    ["301", 301, "", "invalid", "redirected"],
    ["307", 307, message, "invalid", "redirected"],
  ];

  describe("an answer means", () => {
    for (const [name, status, body, expected, cause] of table) {
      test(`${cause}: ${name}`, async () => {
        const found = await judged(status, body);
        expect(found).toMatchObject({ status: expected, cause });
        expect(found.detail).toContain("http");
        expect(found.advice === "").toBe(cause === "answered");
      });
    }
  });

  test("the detail quotes the server", async () => {
    expect((await judged(401, anthropic("authentication_error", "invalid x-api-key"))).detail).toBe(
      'https://api.x.ai rejects the key (status 401, "invalid x-api-key")',
    );
  });

  test("a redirect to another server says that Claude Code would send the key there", async () => {
    const elsewhere = await judged(307, "", "https://elsewhere/login");
    expect(elsewhere.detail).toBe(
      "https://api.x.ai redirects to https://elsewhere/login (status 307), another server. ccc did not send your key there; Claude Code would",
    );
    expect(elsewhere.advice).toContain("do not start this provider");
    for (const location of ["/v2/messages", "https://api.x.ai/v2"]) {
      const found = await judged(308, "", location);
      expect(found).toMatchObject({ status: "invalid", cause: "redirected" });
      expect(found.detail).toEndWith("the key was not sent there");
    }
    for (const location of ["https://api.x.ai:8443/", "//elsewhere/v1", ""])
      expect((await judged(308, "", location)).detail).toContain(
        location === "" ? "another address" : "another server",
      );
  });

  test("the detail says what answers instead of a model", async () => {
    const table: [body: unknown, what: string][] = [
      [{ object: "chat.completion" }, "answers in OpenAI's format"],
      [{ choices: [] }, "answers in OpenAI's format"],
      ['data: {"object":"chat.completion.chunk"}', "answers in OpenAI's format"],
      ["<html>", "answers with a web page (status 200)"],
      [{ hello: "world" }, "answers with something other than a model's message (status 200)"],
    ];
    for (const [body, what] of table) expect((await judged(200, body)).detail).toContain(what);
  });

  describe("nothing of a key that a server repeats is shown", () => {
    const repeated = [
      KEY,
      `Bearer ${KEY}`,
      `key=${KEY},`,
      KEY.slice(0, 9),
      KEY.slice(-8),
      KEY.slice(-6),
      `"${KEY.slice(2, 10)}***"`,
    ];
    for (const text of repeated) {
      test(text.replaceAll(KEY, "KEY"), async () => {
        const { detail } = await judged(401, anthropic("authentication_error", `wrong: ${text} is no key`));
        expect(detail).toContain("wrong: ");
        expect(detail).toContain("is no key");
        for (let at = 0; at + 6 <= KEY.length; at++) expect(detail).not.toContain(KEY.slice(at, at + 6));
      });
    }
    test("nor in the address that it redirects to", async () => {
      expect((await judged(302, "", `https://x/${KEY}`)).detail).not.toContain(KEY);
    });
  });

  test("a server's message cannot control or flood the terminal", async () => {
    const { detail } = await judged(400, anthropic("x", `\u001b[31mred\u0007\n\u202eline two${" very".repeat(500)}`));
    expect(detail).toContain('"red line two very very');
    expect(detail).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(detail.length).toBeLessThan(400);
  });

  test("a message is cut only if it is too long", async () => {
    const said = async (length: number) => (await judged(400, anthropic("x", "y".repeat(length)))).detail;
    expect(await said(300)).toContain(`"${"y".repeat(300)}"`);
    expect(await said(301)).toContain(`"${"y".repeat(300)}…"`);
  });
});

describe("a server that does not answer", () => {
  const CONNECTION = "Check your connection. If HTTPS_PROXY is set, the proxy may be the one that is down.";

  test.each([
    ["https://api.z.ai/api/anthropic", "ENOTFOUND", CONNECTION],
    ["https://api.z.ai/api/monitor/usage/quota/limit", "ECONNREFUSED", CONNECTION],
    ["https://api.kimi.ai/coding/v1/usages", "ECONNRESET", CONNECTION],
    ["https://api.deepseek.com/anthropic", "EHOSTUNREACH", CONNECTION],
    ["https://api.z.ia/api/anthropic", "ENOTFOUND", "Check the spelling and your connection."],
    ["https://llm.test", "EAI_AGAIN", "Check the spelling and your connection."],
    ["https://llm.test", "DNSException", "Check the spelling and your connection."],
    ["https://llm.test", "EHOSTUNREACH", "Check the address and your connection."],
    ["https://llm.test:1", "ECONNRESET", "Check the port and your proxy."],
    ["http://localhost:11434", "ECONNREFUSED", expect.stringMatching(/^Start that server/)],
    ["http://api.z.ai", "ECONNREFUSED", expect.stringMatching(/^Start that server/)],
  ])("%s, %s: the advice blames an address only if the user may have mistyped it", async (base, code, advice) => {
    const error = Object.assign(new Error("failed"), { code });
    const env = { ANTHROPIC_BASE_URL: base, ANTHROPIC_AUTH_TOKEN: "k" };
    const found = await validateProvider({ env, apiKeyHelper: "" }, () => Promise.reject(error));
    expect(found).toMatchObject({ cause: "unreachable", advice });
  });
});

describe("validate", () => {
  const KEY = "sk-a1b2c3d4e5f6g7h8";
  const base = { ANTHROPIC_BASE_URL: "https://u:p@x.test/anthropic/", ANTHROPIC_AUTH_TOKEN: KEY };

  /** What is asked with these variables. */
  async function asked(env: Record<string, string>) {
    const calls: { url: string; init: Parameters<Fetch>[1] }[] = [];
    const fetch: Fetch = async (url, init) => {
      calls.push({ url, init });
      return Response.json({ type: "message", content: [] });
    };
    const verdict = await validateProvider({ env, apiKeyHelper: "" }, fetch);
    const [call] = calls;
    const headers = Object.fromEntries(new Headers(call?.init.headers));
    return {
      verdict,
      calls,
      url: call?.url,
      headers,
      body: JSON.parse(String(call?.init.body ?? "{}")),
      init: call?.init,
    };
  }

  describe("the request", () => {
    test("is like Claude Code's, but as small as possible", async () => {
      const { url, headers, body, init, verdict } = await asked({ ...base, ANTHROPIC_MODEL: "glm-4.7[1m]" });
      expect(url).toBe("https://u:p@x.test/anthropic/v1/messages?beta=true");
      expect(headers).toMatchObject({
        authorization: `Bearer ${KEY}`,
        "anthropic-version": "2023-06-01",
        "user-agent": expect.stringMatching(/^claude-cli\/\d/),
      });
      expect(headers).not.toHaveProperty("x-api-key");
      expect(body).toEqual({ model: "glm-4.7", max_tokens: 1, messages: [{ role: "user", content: "hi" }] });
      expect(init).toMatchObject({ method: "POST", redirect: "manual" });
      expect(verdict.detail).toBe("https://***@x.test/anthropic answered as glm-4.7");
    });
    test("has an API key in its own header, and goes to Anthropic if no address is set", async () => {
      const { url, headers } = await asked({ ANTHROPIC_API_KEY: KEY });
      expect(url).toBe("https://api.anthropic.com/v1/messages?beta=true");
      expect(headers["x-api-key"]).toBe(KEY);
      expect(headers).not.toHaveProperty("authorization");
    });
    test("has the provider's own headers, betas and proxy", async () => {
      const { headers, init } = await asked({
        ...base,
        ANTHROPIC_CUSTOM_HEADERS: "X-Team: a:b\nx-other:c",
        ANTHROPIC_BETAS: "my-beta",
        HTTPS_PROXY: "http://proxy.test",
      });
      expect(headers).toMatchObject({ "x-team": "a:b", "x-other": "c" });
      expect(headers["anthropic-beta"]).toEndWith(",my-beta");
      expect(init).toMatchObject({ proxy: "http://proxy.test" });
    });
  });

  describe("the model", () => {
    const models: [env: Record<string, string>, model: string][] = [
      [{ ANTHROPIC_MODEL: "main", ANTHROPIC_DEFAULT_OPUS_MODEL: "o" }, "main"],
      [{ ANTHROPIC_DEFAULT_OPUS_MODEL: "o[1m]", ANTHROPIC_DEFAULT_SONNET_MODEL: "s" }, "o"],
      [{ ANTHROPIC_DEFAULT_SONNET_MODEL: "s" }, "s"],
      [{ ANTHROPIC_MODEL: "haiku", ANTHROPIC_DEFAULT_HAIKU_MODEL: "h" }, "h"],
      [{ ANTHROPIC_MODEL: "opusplan", ANTHROPIC_DEFAULT_SONNET_MODEL: "s" }, "s"],
    ];
    for (const [env, model] of models) {
      test(`of ${JSON.stringify(env)} is ${model}`, async () => {
        expect((await asked({ ...base, ...env })).body.model).toBe(model);
      });
    }
    test("is Anthropic's default if a role has no model, or none is set", async () => {
      expect((await asked({ ...base, ANTHROPIC_MODEL: "sonnet" })).body.model).toStartWith("claude-sonnet-");
      expect((await asked(base)).body.model).toStartWith("claude-opus-");
    });
    test("of a known address without a model is the preset's", async () => {
      const preset = PRESETS.find(({ baseUrl, models }) => baseUrl !== undefined && models?.main !== undefined);
      const { body } = await asked({ ANTHROPIC_BASE_URL: preset?.baseUrl ?? "", ANTHROPIC_AUTH_TOKEN: KEY });
      expect(body.model).toBe(preset?.models?.main?.replace("[1m]", ""));
    });
  });

  describe("no request is made", () => {
    const others: [name: string, env: Record<string, string>, cause: string][] = [
      ["of a login", {}, "uses_login"],
      ["of a subscription's token", { CLAUDE_CODE_OAUTH_TOKEN: KEY }, "uses_login"],
      ["of Bedrock", { CLAUDE_CODE_USE_BEDROCK: "1", ANTHROPIC_API_KEY: KEY }, "other_route"],
      ["of Vertex", { CLAUDE_CODE_USE_VERTEX: "1" }, "other_route"],
      ["of a cloud that ccc does not know", { ...base, CLAUDE_CODE_USE_TOMORROWS_CLOUD: "1" }, "other_route"],
      ["through a socket", { ...base, ANTHROPIC_UNIX_SOCKET: "/x" }, "other_route"],
    ];
    for (const [name, env, cause] of others) {
      test(name, async () => {
        const { verdict, calls } = await asked(env);
        expect(verdict).toMatchObject({ status: "unchecked", cause, advice: "" });
        expect(calls).toBeEmpty();
      });
    }
    for (const env of [{ CLAUDE_CODE_USE_POWERSHELL_TOOL: "1" }, { CLAUDE_CODE_USE_BEDROCK: "0" }])
      test(`but ${JSON.stringify(env)} does not bypass the API`, async () => {
        expect((await asked({ ...base, ...env })).calls).toHaveLength(1);
      });
  });

  describe("no answer", () => {
    const failures: [error: object, says: string][] = [
      [{ name: "TimeoutError" }, "did not answer within 15 seconds"],
      [{ code: "ECONNREFUSED" }, "nothing is listening there"],
      [{ code: "ENOTFOUND" }, "cannot be found (DNS)"],
      [{ code: "EPROTO" }, "does not speak TLS"],
      [{ code: "DEPTH_ZERO_SELF_SIGNED_CERT" }, "an untrusted certificate (DEPTH_ZERO_SELF_SIGNED_CERT)"],
      [{ code: "ERR_TLS_CERT_ALTNAME_INVALID" }, "an untrusted certificate"],
      [{ code: "ERR_PROXY_TUNNEL" }, "is blocked by the proxy"],
      [{ code: "ECONNRESET" }, "closed the connection"],
      [{ code: "EHOSTUNREACH" }, "could not be reached (EHOSTUNREACH)"],
    ];
    for (const [error, says] of failures) {
      test(says, async () => {
        const fetch = () =>
          Promise.reject(Object.assign(new Error(`fetching ${base.ANTHROPIC_BASE_URL} ${KEY}`), error));
        const verdict = await validateProvider({ env: base, apiKeyHelper: "" }, fetch);
        expect(verdict).toMatchObject({
          status: "invalid",
          cause: "unreachable",
          detail: expect.stringContaining(says),
        });
        expect(JSON.stringify(verdict)).not.toMatch(/u:p|sk-a1/);
      });
    }
    test("an address of a preset is not blamed on its spelling", async () => {
      const fetch = () => Promise.reject(Object.assign(new Error(), { code: "ENOTFOUND" }));
      const advice = async (url: string) =>
        (await validateProvider({ env: { ...base, ANTHROPIC_BASE_URL: url }, apiKeyHelper: "" }, fetch)).advice;
      expect(await advice("https://api.z.ai/api/anthropic")).toStartWith("Check your connection.");
      expect(await advice("https://api.zz.ai/api/anthropic")).toStartWith("Check the spelling and");
    });
    test("is blamed on a key that cannot be sent", async () => {
      const env = { ...base, ANTHROPIC_AUTH_TOKEN: "“sk-a1b2”" };
      const verdict = await validateProvider({ env, apiKeyHelper: "" }, async (url, init) => {
        new Request(url, init);
        return new Response();
      });
      expect(verdict).toMatchObject({ cause: "configuration", detail: expect.stringContaining("typographic quotes") });
    });
  });
});
