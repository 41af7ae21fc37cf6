import { describe, expect, test } from "bun:test";
import type { Settings } from "../../../src/claude/accepted-settings.ts";
import type { Layer } from "../../../src/claude/layers.ts";
import {
  type Identity,
  isServer,
  keyCommandLine,
  type ProviderSituation,
  providerLaunch,
  readKeyCommand,
} from "../../../src/providers/identity.ts";
import type { Json } from "../../../src/text/json.ts";

describe("key command", () => {
  const SERVER = "https://glm.test";

  describe("the command for a provider's key", () => {
    const folders: [situation: string, self: string, folder: string][] = [
      ["a plain folder", "/bin/ccc", "/home/u/.claude"],
      ["spaces and quotes", "/bin/ccc", `/home/it's a "test"/.claude`],
      ["on Windows", "C:\\bin\\ccc.exe", "C:\\Users\\u v\\.claude"],
      ["a drive", "C:\\bin\\ccc.exe", "C:\\"],
    ];
    test.each(folders)("is read again: %s", (_, self, folder) =>
      expect(readKeyCommand(keyCommandLine(self, "glm", folder, SERVER))).toEqual({ provider: "glm", folder }),
    );

    test.each([undefined, 7, "", "op read x", "/bin/ccc key", "/bin/ccc key glm"])("is not %j", (command) =>
      expect(readKeyCommand(command)).toBeUndefined(),
    );

    test("names the server by a hash, which is that of no other one", () => {
      const line = keyCommandLine("/bin/ccc", "glm", "/home/u/.claude", SERVER);
      const mark = line.split(" ").at(-1) ?? "";
      expect(line).not.toContain("glm.test");
      expect([isServer(SERVER, mark), isServer("https://other.test", mark)]).toEqual([true, false]);
    });
  });
});

describe("provider launch", () => {
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

  const THIRD = "https://api.z.ai/api/anthropic";
  const identity = (env: Record<string, string>, apiKeyHelper = ""): Identity => ({ env, apiKeyHelper });

  describe("the provider's values and the shared ones of ccc.json", () => {
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
    for (const [name, shared, own, merged] of table)
      test(name, () => expect(launch({ ...own }, {}, { ...shared }).configured).toEqual(merged));
  });

  describe("settings over others", () => {
    const settings = (own: Json, over: Json) => launch(own, { over }).settings;

    const table: [name: string, base: object, over: object, merged: object][] = [
      ["objects are merged", { p: { a: 1, b: 1 } }, { p: { b: 2 } }, { p: { a: 1, b: 2 } }],
      ["lists are replaced", { p: { allow: ["a"] } }, { p: { allow: ["b"] } }, { p: { allow: ["b"] } }],
      ["kinds may change", { a: { b: 1 }, c: 1 }, { a: 1, c: { d: 1 } }, { a: 1, c: { d: 1 } }],
      ["null is a value", { a: { b: 1 } }, { a: null }, { a: null }],
      ["prototype names are keys", {}, { constructor: { a: 1 }, toString: 1 }, { constructor: { a: 1 }, toString: 1 }],
    ];
    for (const [name, base, over, merged] of table)
      test(name, () => expect(settings({ ...base }, { ...over })).toEqual({ ...merged }));

    test("no key can reach a prototype", () => {
      const merged = settings({}, JSON.parse('{"__proto__":{"polluted":1},"a":{"__proto__":{"polluted":1}}}'));
      expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
      expect(Reflect.get({}, "polluted")).toBeUndefined();
    });
  });

  describe("a server gets no login of the user's", () => {
    const problem = (env: Record<string, string>, apiKeyHelper?: string) =>
      launch({ env, ...(apiKeyHelper === undefined ? {} : { apiKeyHelper }) }).problem?.message;
    test("a foreign server needs a key", () =>
      expect(problem({ ANTHROPIC_BASE_URL: THIRD })).toContain("no ANTHROPIC_AUTH_TOKEN"));
    test("so does a look-alike of Anthropic", () =>
      expect(problem({ ANTHROPIC_BASE_URL: "https://api.anthropic.com.evil.example" })).toContain(
        "your Anthropic login",
      ));
    test("a token is one", () =>
      expect(problem({ ANTHROPIC_BASE_URL: THIRD, ANTHROPIC_AUTH_TOKEN: "t" })).toBeUndefined());
    test("a helper is one", () => expect(problem({ ANTHROPIC_BASE_URL: THIRD }, "helper")).toBeUndefined());
    test("Anthropic's own needs none", () =>
      expect(problem({ ANTHROPIC_BASE_URL: "https://api.anthropic.com" })).toBeUndefined());
    test("a subscription needs none", () => expect(problem({})).toBeUndefined());
  });

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
      [
        "a command for a reference",
        launch({ env: { ...SERVER, ANTHROPIC_API_KEY: "env:K" } }),
        SERVER,
        COMMAND,
        "asks",
      ],
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
        "is ${ANTHROPIC_MY_KEY}, which ccc removes from claude's environment",
        { ...SERVER, ANTHROPIC_AUTH_TOKEN: "k" },
      ],
      ...["env:ANTHROPIC_MY_KEY", "env: ANTHROPIC_MY_KEY"].map((reference): (typeof table)[number] => {
        const env = { ...SERVER, ANTHROPIC_AUTH_TOKEN: reference };
        const message = `is ${reference}, which ccc removes from claude's environment`;
        return [`a reference to such a variable, ${reference}`, launch({ env }), message, env];
      }),
      ["a reference beside a key", launch({ env: two }), "beside it there is another key", two],
      [
        "a policy's key",
        launch({ env: SERVER, apiKeyHelper: "x" }, policy({}, "y")),
        "policy sets apiKeyHelper",
        SERVER,
      ],
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
});
