import { expect, test } from "bun:test";
import { unreachable } from "../../../../src/commands/validate/unreachable.ts";

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
])("%s, %s: the advice blames an address only if the user may have mistyped it", (base, code, advice) => {
  const error = Object.assign(new Error("failed"), { code });
  expect(unreachable(error, base, 1_000)).toMatchObject({ cause: "unreachable", advice });
});
