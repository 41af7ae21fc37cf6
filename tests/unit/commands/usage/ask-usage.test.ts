import { describe, expect, test } from "bun:test";
import { askUsage } from "../../../../src/commands/usage/ask-usage.ts";
import type { UsageCause } from "../../../../src/commands/usage/usage-answer.ts";
import { USAGE_SOURCES, usageUrl } from "../../../../src/providers/usage/usage-sources.ts";
import type { Fetch } from "../../../../src/world.ts";
import { RECORDED, type RecordedHost } from "../../providers/usage/recorded-answers.ts";
import { usageServer } from "./usage-server.ts";

const KEY = "sk-a1b2c3d4e5f6g7h8";
const GLM = { ANTHROPIC_BASE_URL: "https://api.z.ai/api/anthropic", ANTHROPIC_AUTH_TOKEN: KEY };
const NOW = () => new Date("2026-08-13T12:00:00Z");

const ask = (env: Record<string, string>, fetch: Fetch, timeoutMs = 5_000, now = NOW) =>
  askUsage("glm", { env, apiKeyHelper: "" }, { fetch, now, version: "1.2.3" }, timeoutMs);

test("every provider is asked once, at its own host, with its key and nothing else of its environment", async () => {
  await using server = usageServer((host) => Response.json(RECORDED[host as RecordedHost].json));
  for (const source of USAGE_SOURCES) {
    const env = {
      ANTHROPIC_BASE_URL: `https://${source.host}${source.under ?? ""}/anthropic`,
      ANTHROPIC_API_KEY: KEY,
      ANTHROPIC_CUSTOM_HEADERS: "x-secret: other",
    };
    const now = () => new Date(RECORDED[source.host as RecordedHost].at);
    expect(await ask(env, server.fetch, 5_000, now)).toMatchObject({ status: "answered", cause: "answered" });
    expect(server.seen.splice(0)).toEqual([
      {
        method: "GET",
        url: usageUrl(source).slice("https://".length),
        headers: { accept: "application/json", authorization: `Bearer ${KEY}`, "user-agent": "ccc/1.2.3" },
      },
    ]);
  }
});

describe("no request is made", () => {
  const table: [what: string, env: Record<string, string>, cause: UsageCause, says: string][] = [
    [
      "a Claude login",
      {},
      "uses_login",
      "a Claude login has no quota that ccc could ask for: see /usage in Claude Code",
    ],
    [
      "a cloud",
      { CLAUDE_CODE_USE_BEDROCK: "1" },
      "other_route",
      "with CLAUDE_CODE_USE_BEDROCK a cloud does the billing",
    ],
    [
      "a key of Anthropic",
      { ANTHROPIC_API_KEY: KEY },
      "unknown_server",
      "ccc does not know how to ask https://api.anthropic.com",
    ],
    [
      "another server",
      { ...GLM, ANTHROPIC_BASE_URL: `https://u:${KEY}@llm.test/x?key=${KEY}` },
      "unknown_server",
      "ccc does not know how to ask https://llm.test",
    ],
    ["plain HTTP", { ...GLM, ANTHROPIC_BASE_URL: "http://api.z.ai/" }, "unknown_server", "how to ask http://api.z.ai"],
  ];
  test.each(table)("%s", async (_, env, cause, says) => {
    const answer = await ask(env, () => Promise.reject(new Error("asked")));
    expect(answer).toMatchObject({ status: "none", cause, detail: expect.stringContaining(says), figures: [] });
    expect(JSON.stringify(answer)).not.toContain(KEY);
  });
});

describe("an answer without figures", () => {
  const error = (status: number, message = "nope") => Response.json({ error: { message } }, { status });
  const table: [what: string, response: () => Response, cause: UsageCause, says: string][] = [
    ["401", () => error(401, `bad key ${KEY}`), "key_refused", 'rejects the key (status 401, "bad key ***")'],
    ["403", () => error(403), "key_refused", "rejects the key"],
    [
      "200, but 401 in words",
      () => Response.json({ code: 401, msg: "token expired" }),
      "key_refused",
      '("token expired")',
    ],
    ["404", () => new Response("", { status: 404 }), "gone", "is no longer there (status 404)"],
    ["405", () => error(405), "gone", "is no longer there (status 405"],
    ["410", () => error(410), "gone", "is no longer there (status 410"],
    ["406", () => error(406), "refused", "rejects the request (status 406"],
    ["411", () => error(411), "refused", "rejects the request (status 411"],
    [
      "300",
      () => new Response("", { status: 300 }),
      "redirected",
      "redirects to another address; the key was not sent",
    ],
    ["429", () => error(429), "rate_limited", "was asked too often"],
    ["500", () => error(500), "server_error", "has an internal error"],
    ["400", () => error(400), "refused", 'rejects the request (status 400, "nope")'],
    ["no plan", () => Response.json({ code: 500, msg: "no coding plan" }), "refused", 'answers "no coding plan"'],
    ["a page", () => new Response("<html>"), "not_understood", "could not be understood"],
    ["another form", () => Response.json({ code: 200, data: {} }), "not_understood", "data.limits is missing"],
    [
      "two megabytes",
      () => new Response(" ".repeat(2e6) + JSON.stringify(RECORDED["api.z.ai"].json)),
      "not_understood",
      "it has an unknown shape",
    ],
  ];
  test.each(table)("%s", async (_, response, cause, says) => {
    await using server = usageServer(response);
    const answer = await ask(GLM, server.fetch);
    expect(answer).toMatchObject({ status: "failed", cause, detail: expect.stringContaining(says), figures: [] });
    expect(answer.advice).toMatch(/^Wait|^Try again|^Look it up at https:|: ccc validate glm$/);
    expect(JSON.stringify(answer)).not.toContain(KEY);
  });

  test("a redirect is not followed", async () => {
    await using server = usageServer(() => Response.redirect("http://127.0.0.1:1/elsewhere?token=x", 302));
    expect(await ask(GLM, server.fetch)).toMatchObject({
      cause: "redirected",
      detail: expect.stringMatching(/redirects to http:\/\/127\.0\.0\.1:1\/elsewhere; the key was not sent there$/),
    });
    expect(server.seen).toHaveLength(1);
  });

  test("a server that does not answer in time is given up", async () => {
    await using server = usageServer(() => new Promise<Response>(() => {}));
    expect(await ask(GLM, server.fetch, 50)).toMatchObject({
      cause: "unreachable",
      detail: "https://api.z.ai/api/monitor/usage/quota/limit did not answer within 0.05 seconds",
    });
  });

  test("no network and an invalid key are different errors", async () => {
    const refused = Object.assign(new Error("no"), { code: "ENOTFOUND" });
    expect(await ask(GLM, () => Promise.reject(refused))).toMatchObject({ cause: "unreachable" });
    await using server = usageServer(() => error(500));
    expect(await ask({ ...GLM, ANTHROPIC_AUTH_TOKEN: "sk-“typographic”" }, server.fetch)).toMatchObject({
      cause: "configuration",
    });
  });
});
