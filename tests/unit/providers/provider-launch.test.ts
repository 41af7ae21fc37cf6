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
    writesKey: false,
    keyCommand: (server) => `ccc key glm ${server}`,
    ...parts,
  });
}

const policy = (env: Layer["env"], apiKeyHelper?: string): Partial<ProviderSituation> => ({
  managed: [{ path: "/policy.json", scope: "managed", env, apiKeyHelper, forbidsHooks: false }],
});

describe("Claude Code gets", () => {
  const both = { ...SERVER, ...TOKEN };
  const COMMAND = "ccc key glm https://glm.test";
  const written = { writesKey: true };
  const table: [situation: string, found: ReturnType<typeof launch>, env: object, helper: string, marks: string][] = [
    ["a command for the token", launch({ env: both }), SERVER, COMMAND, "asks"],
    ["a command for the API key", launch({ env: { ...SERVER, ANTHROPIC_API_KEY: "k" } }), SERVER, COMMAND, "asks"],
    ["a command for Anthropic's key", launch({ env: TOKEN }), {}, "ccc key glm ", "asks"],
    [
      "a value of the environment",
      launch({ env: { ...both, A: "${SET}" } }),
      { ...SERVER, A: "value" },
      COMMAND,
      "asks",
    ],
    ["a command for a shared token", launch({ env: SERVER }, {}, { env: TOKEN }), SERVER, COMMAND, "asks"],
    ["a command for a token twice", launch({ env: { ...both, ANTHROPIC_API_KEY: "t" } }), SERVER, COMMAND, "asks"],
    [
      "a command for the token beside another key",
      launch({ env: { ...both, ANTHROPIC_API_KEY: "k", ANTHROPIC_CUSTOM_HEADERS: "a: b" } }),
      { ...SERVER, ANTHROPIC_CUSTOM_HEADERS: "a: b\nx-api-key: k" },
      COMMAND,
      "asks",
    ],
    ["its own helper", launch({ env: SERVER, apiKeyHelper: "own" }, {}, { env: TOKEN }), SERVER, "own", ""],
    ["a command for a reference", launch({ env: { ...SERVER, ANTHROPIC_API_KEY: "env:K" } }), SERVER, COMMAND, "asks"],
    ["the user's login", launch({}), {}, "", "login"],
    ["the token itself, where it has to be written", launch({ env: both }, written), both, "", ""],
    [
      "a command for a reference even then",
      launch({ env: { ...SERVER, ANTHROPIC_API_KEY: "env:K" } }, written),
      SERVER,
      COMMAND,
      "asks",
    ],
    ["what the policy says too", launch({ env: both }, policy(SERVER)), SERVER, COMMAND, "asks"],
    [
      "its own beside a policy's model",
      launch({ env: both }, policy({ ANTHROPIC_MODEL: "m" })),
      SERVER,
      COMMAND,
      "asks",
    ],
  ];
  for (const [situation, found, env, helper, marks] of table)
    test(situation, () => {
      expect(found.problem).toBeUndefined();
      expect(found.identity).toEqual({ env: { ...env }, apiKeyHelper: helper });
      expect([found.usesLogin && "login", found.asksForKey && "asks"].filter(Boolean).join()).toBe(marks);
    });
});

describe("no launch, and the identity in ccc.json all the same", () => {
  const unset = { ...SERVER, ANTHROPIC_AUTH_TOKEN: "${UNSET}" };
  const removed = { ...SERVER, ANTHROPIC_AUTH_TOKEN: "${ANTHROPIC_MY_KEY}" };
  const two = { ...SERVER, ...TOKEN, ANTHROPIC_API_KEY: "env:K" };
  const table: [situation: string, found: ReturnType<typeof launch>, message: string, env: object][] = [
    ["no key", launch({ env: SERVER }), "no ANTHROPIC_AUTH_TOKEN or ANTHROPIC_API_KEY", SERVER],
    ["a variable that is not set", launch({ env: unset }), "UNSET} is not set in the environment", unset],
    [
      "a variable that claude does not get",
      launch({ env: removed }, { env: { ANTHROPIC_MY_KEY: "k" } }),
      "is ${ANTHROPIC_MY_KEY}, which ccc takes out of claude's environment",
      { ...SERVER, ANTHROPIC_AUTH_TOKEN: "k" },
    ],
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
      // Nothing is sent: neither a key that ccc hands out nor the user's login.
      expect(found).toMatchObject({ asksForKey: false, usesLogin: false });
    });
});
