import { describe, expect, test } from "bun:test";
import type { Layer } from "../../../src/claude/layers.ts";
import type { Settings } from "../../../src/claude/settings.ts";
import { type ProviderSituation, providerLaunch } from "../../../src/providers/provider-launch.ts";

const SERVER = { ANTHROPIC_BASE_URL: "https://glm.test" };
const TOKEN = { ANTHROPIC_AUTH_TOKEN: "t" };

function launch(own: Settings, parts: Partial<ProviderSituation> = {}, shared: Settings = {}) {
  return providerLaunch({
    loaded: { config: { settings: shared }, providers: new Map([["glm", own]]) },
    provider: "glm",
    env: { SET: "value" },
    managed: [],
    hasStoredKey: false,
    keyCommand: () => "ccc key glm",
    ...parts,
  });
}

const policy = (env: Layer["env"], apiKeyHelper?: string): Partial<ProviderSituation> => ({
  managed: [{ path: "/policy.json", scope: "managed", env, apiKeyHelper, forbidsHooks: false }],
});

describe("Claude Code gets", () => {
  const both = { ...SERVER, ...TOKEN };
  const stored = { hasStoredKey: true };
  const table: [situation: string, found: ReturnType<typeof launch>, env: object, helper: string, marks: string][] = [
    ["a server and a token", launch({ env: both }), both, "", ""],
    ["a value of the environment", launch({ env: { ...both, A: "${SET}" } }), { ...both, A: "value" }, "", ""],
    ["a shared token", launch({ env: SERVER }, {}, { env: TOKEN }), both, "", ""],
    ["its own helper", launch({ env: SERVER, apiKeyHelper: "own" }, {}, { env: TOKEN }), SERVER, "own", ""],
    [
      "a command for a reference",
      launch({ env: { ...SERVER, ANTHROPIC_API_KEY: "env:K" } }),
      SERVER,
      "ccc key glm",
      "",
    ],
    ["the user's login", launch({}), {}, "", "login"],
    [
      "the token twice beside a stored key",
      launch({ env: both }, stored),
      { ...both, ANTHROPIC_CUSTOM_HEADERS: "x-api-key: t" },
      "",
      "shadows",
    ],
    ["a token for Anthropic once", launch({ env: TOKEN }, stored), TOKEN, "", ""],
    ["what the policy says too", launch({ env: both }, policy(SERVER)), both, "", ""],
    ["its own beside a policy's model", launch({ env: both }, policy({ ANTHROPIC_MODEL: "m" })), both, "", ""],
  ];
  for (const [situation, found, env, helper, marks] of table)
    test(situation, () => {
      expect(found.problem).toBeUndefined();
      expect(found.identity).toEqual({ env: { ...env }, apiKeyHelper: helper });
      expect([found.usesLogin && "login", found.shadowsStoredKey && "shadows"].filter(Boolean).join()).toBe(marks);
    });
});

describe("no launch, and the identity in ccc.json all the same", () => {
  const unset = { ...SERVER, ANTHROPIC_AUTH_TOKEN: "${UNSET}" };
  const two = { ...SERVER, ...TOKEN, ANTHROPIC_API_KEY: "env:K" };
  const table: [situation: string, found: ReturnType<typeof launch>, message: string, env: object][] = [
    ["no key", launch({ env: SERVER }), "no ANTHROPIC_AUTH_TOKEN or ANTHROPIC_API_KEY", SERVER],
    ["a variable that is not set", launch({ env: unset }), "UNSET} is not set in the environment", unset],
    ["a reference beside a key", launch({ env: two }), "beside it there is another key", two],
    ["a policy's key", launch({ env: SERVER, apiKeyHelper: "x" }, policy({}, "y")), "policy sets apiKeyHelper", SERVER],
    [
      "a policy's cloud",
      launch({ env: TOKEN }, policy({ CLAUDE_CODE_USE_VERTEX: "1" })),
      "policy sets CLAUDE_CODE_USE_VERTEX",
      TOKEN,
    ],
  ];
  for (const [situation, found, message, env] of table)
    test(situation, () => {
      expect(found.problem?.message).toContain(message);
      expect(found.configured.env).toEqual({ ...env });
    });
});
