import { describe, expect, test } from "bun:test";
import {
  guardEnvironment,
  type Identity,
  isolate,
  mergeIdentity,
  requireCredential,
  shadowStoredKey,
  unknownVariables,
  withoutLogin,
} from "../../../src/providers/isolate.ts";
import { BLANKS, isSecretVariable, kindOf, providerVariables } from "../../../src/providers/variables.ts";

const identity = (env: Record<string, string>, apiKeyHelper = ""): Identity => ({ env, apiKeyHelper });
const THIRD = "https://api.z.ai/api/anthropic";

describe("kindOf", () => {
  const table: [string, ReturnType<typeof kindOf>][] = [
    ["ANTHROPIC_API_KEY", "credential"],
    ["AWS_BEARER_TOKEN_BEDROCK", "credential"],
    ["ANTHROPIC_BASE_URL", "route"],
    ["CLAUDE_CODE_USE_VERTEX", "route"],
    ["ANTHROPIC_DEFAULT_OPUS_MODEL", "model"],
    ["CLAUDE_CODE_SUBAGENT_MODEL", "model"],
    ["ANTHROPIC_INVENTED_TOMORROW", "credential"],
    ["CLAUDE_CODE_USE_TOMORROWS_CLOUD", "credential"],
    ["ANTHROPIC_LOG", undefined],
    ["CLAUDE_CODE_USE_POWERSHELL_TOOL", undefined],
    ["AWS_SECRET_ACCESS_KEY", undefined],
    ["HTTPS_PROXY", undefined],
    ["PATH", undefined],
    ["constructor", undefined],
    ["__proto__", undefined],
  ];
  for (const [name, kind] of table) test(`${name}: ${kind}`, () => expect(kindOf(name)).toBe(kind));
});

test.each([
  ["a credential, whatever its name says", "ANTHROPIC_CUSTOM_HEADERS", "a: b", true],
  ["a credential that a future version may add", "ANTHROPIC_TOMORROW", "x", true],
  ["a key of something else", "OTHER_API_KEY", "x", true],
  ["not a server", "ANTHROPIC_BASE_URL", "https://glm.test", false],
  ["not a number of tokens", "CLAUDE_CODE_MAX_OUTPUT_TOKENS", "32000", false],
  ["not any other variable", "LANG", "C", false],
])("secret is %s", (_, name, value, is) => expect(isSecretVariable(name, value)).toBe(is));

describe("providerVariables", () => {
  test("finds every variable that a launch blanks", () =>
    expect(providerVariables(BLANKS)).toEqual(Object.keys(BLANKS)));
  test("finds what a future version may add, and leaves the rest of a shell alone", () => {
    const names = ["ANTHROPIC_TOMORROW", "CLAUDE_CODE_USE_TOMORROW"];
    const others = ["PATH", "ANTHROPIC_LOG", "AWS_SECRET_ACCESS_KEY", "CLAUDE_CONFIG_DIR", "MY_ANTHROPIC_API_KEY"];
    const env = Object.fromEntries([...others, ...names].map((name) => [name, "x"]));
    expect(providerVariables(env)).toEqual(names);
  });
});

describe("mergeIdentity", () => {
  const table: [name: string, shared: Identity, own: Identity, merged: Identity][] = [
    ["the provider wins", identity({ A: "1", B: "1" }), identity({ B: "2" }), identity({ A: "1", B: "2" })],
    [
      "a shared key is left out beside one of the provider's own",
      identity({ ANTHROPIC_API_KEY: "shared" }, "helper"),
      identity({ ANTHROPIC_AUTH_TOKEN: "own" }),
      identity({ ANTHROPIC_AUTH_TOKEN: "own" }),
    ],
    [
      "a shared key helper is left out too, and the provider's own stays",
      identity({ ANTHROPIC_API_KEY: "shared" }, "helper"),
      identity({}, "own helper"),
      identity({}, "own helper"),
    ],
    [
      "a shared key serves a provider that has none",
      identity({ ANTHROPIC_AUTH_TOKEN: "shared" }),
      identity({ ANTHROPIC_BASE_URL: THIRD }),
      identity({ ANTHROPIC_AUTH_TOKEN: "shared", ANTHROPIC_BASE_URL: THIRD }),
    ],
    [
      "a shared server is left out beside a switch of the provider's own",
      identity({ ANTHROPIC_BASE_URL: THIRD, ANTHROPIC_MODEL: "m" }),
      identity({ CLAUDE_CODE_USE_BEDROCK: "1" }),
      identity({ ANTHROPIC_MODEL: "m", CLAUDE_CODE_USE_BEDROCK: "1" }),
    ],
  ];
  for (const [name, shared, own, merged] of table) test(name, () => expect(mergeIdentity(shared, own)).toEqual(merged));
});

describe("isolate", () => {
  test("blanks every provider variable that is not set, and no other", () => {
    const { env } = isolate(identity({ ANTHROPIC_AUTH_TOKEN: "own", API_TIMEOUT_MS: "1" }), ["ANTHROPIC_NEW"]);
    expect(env).toEqual({ ...BLANKS, ANTHROPIC_AUTH_TOKEN: "own", API_TIMEOUT_MS: "1", ANTHROPIC_NEW: "" });
  });
  test("finds variables that the table does not have", () => {
    const layer = (env: Record<string, unknown>) => ({
      path: "",
      scope: "user" as const,
      env,
      apiKeyHelper: undefined,
      forbidsHooks: false,
    });
    const layers = [layer({ ANTHROPIC_Z: "1", FOO: "1", ANTHROPIC_MODEL: "m" }), layer({ ANTHROPIC_A: 1 })];
    expect(unknownVariables(layers)).toEqual(["ANTHROPIC_A", "ANTHROPIC_Z"]);
  });
});

describe("a claude that the session runs", () => {
  const login = (env: Record<string, string>, helper: string) =>
    withoutLogin(identity(env, helper)).env.ANTHROPIC_FEDERATION_RULE_ID;
  test("gets an invalid identity where it would otherwise send the login to the provider", () =>
    expect(login({ ANTHROPIC_BASE_URL: THIRD }, "helper")).toBe("ccc-no-login"));
  test("may use the login at Anthropic", () => expect(login({}, "helper")).toBeUndefined());
  test("uses the token that is written into the settings", () =>
    expect(login({ ANTHROPIC_BASE_URL: THIRD, ANTHROPIC_AUTH_TOKEN: "t" }, "")).toBeUndefined());
  test("keeps the provider's own identity", () =>
    expect(login({ ANTHROPIC_BASE_URL: THIRD, ANTHROPIC_FEDERATION_RULE_ID: "own" }, "helper")).toBe("own"));
});

describe("the environment of a claude that loses its settings", () => {
  test("leads nowhere, and has nothing of the provider's in it", () => {
    const guard = guardEnvironment(identity({ ANTHROPIC_BASE_URL: THIRD, ANTHROPIC_MODEL: "m" }, "helper"));
    expect(guard).toEqual({
      ANTHROPIC_BASE_URL: "https://ccc-settings-not-loaded.invalid",
      ANTHROPIC_AUTH_TOKEN: "ccc-settings-not-loaded",
      ANTHROPIC_CUSTOM_HEADERS: "x-api-key: ccc-settings-not-loaded",
    });
    expect(guardEnvironment(identity({ ANTHROPIC_AUTH_TOKEN: "t" }))).toEqual(guard);
  });
  test("is empty for a provider that needs the login", () =>
    expect(guardEnvironment(identity({ ANTHROPIC_MODEL: "m" }))).toEqual({}));
});

describe("shadowStoredKey", () => {
  const shadowed = (env: Record<string, string>, helper = "") =>
    shadowStoredKey(identity(env, helper)).env.ANTHROPIC_CUSTOM_HEADERS;
  const token = { ANTHROPIC_BASE_URL: THIRD, ANTHROPIC_AUTH_TOKEN: "t" };
  test("sends the provider its own token in place of the stored key", () =>
    expect(shadowed(token)).toBe("x-api-key: t"));
  test("keeps the provider's headers", () =>
    expect(shadowed({ ...token, ANTHROPIC_CUSTOM_HEADERS: "a: b" })).toBe("a: b\nx-api-key: t"));
  test("leaves a header of that name", () =>
    expect(shadowed({ ...token, ANTHROPIC_CUSTOM_HEADERS: "a: b\nX-Api-Key: k" })).toBe("a: b\nX-Api-Key: k"));
  test("is not needed with a key of the provider's own", () =>
    expect(shadowed({ ...token, ANTHROPIC_API_KEY: "k" })).toBeUndefined());
  test("is not needed with a helper", () => expect(shadowed(token, "helper")).toBeUndefined());
  test("is not needed at Anthropic", () =>
    expect(shadowed({ ...token, ANTHROPIC_BASE_URL: "https://api.anthropic.com" })).toBeUndefined());
});

describe("requireCredential", () => {
  const check = (env: Record<string, string>, helper = "") => requireCredential(identity(env, helper), "x");
  test("refuses a foreign server without a key", () =>
    expect(() => check({ ANTHROPIC_BASE_URL: THIRD })).toThrow("no ANTHROPIC_AUTH_TOKEN"));
  test("refuses a look-alike of Anthropic", () =>
    expect(() => check({ ANTHROPIC_BASE_URL: "https://api.anthropic.com.evil.example" })).toThrow());
  test("allows one with a token", () =>
    expect(check({ ANTHROPIC_BASE_URL: THIRD, ANTHROPIC_AUTH_TOKEN: "t" })).toBeUndefined());
  test("allows one with a helper", () => expect(check({ ANTHROPIC_BASE_URL: THIRD }, "helper")).toBeUndefined());
  test("allows Anthropic's own", () =>
    expect(check({ ANTHROPIC_BASE_URL: "https://api.anthropic.com" })).toBeUndefined());
  test("allows a subscription", () => expect(check({})).toBeUndefined());
});
