import { describe, expect, test } from "bun:test";
import { validateProvider } from "../../../../src/commands/validate/validate.ts";
import { PRESETS } from "../../../../src/providers/presets.ts";
import type { Fetch } from "../../../../src/world.ts";

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
    ["of a cloud to come", { ...base, CLAUDE_CODE_USE_TOMORROWS_CLOUD: "1" }, "other_route"],
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
      const fetch = () => Promise.reject(Object.assign(new Error(`fetching ${base.ANTHROPIC_BASE_URL} ${KEY}`), error));
      const verdict = await validateProvider({ env: base, apiKeyHelper: "" }, fetch);
      expect(verdict).toMatchObject({ status: "invalid", cause: "unreachable", detail: expect.stringContaining(says) });
      expect(JSON.stringify(verdict)).not.toMatch(/u:p|sk-a1/);
    });
  }
  test("an address of a preset is not misspelt", async () => {
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
