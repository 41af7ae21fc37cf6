import { describe, expect, test } from "bun:test";
import { CLOUDS, cloudOf, readClaudeState } from "../../../src/claude/connection.ts";
import { PROVIDER_VARIABLES } from "../../../src/providers/variables.ts";
import { memoryFiles } from "../fakes.ts";

describe("clouds", () => {
  test("a launch blanks the variables of all known clouds, and of no other", () => {
    const blanked = PROVIDER_VARIABLES.filter((name) => name.startsWith("CLAUDE_CODE_USE_"));
    expect(CLOUDS.map(({ variable }) => variable).sort()).toEqual(blanked.sort());
  });

  describe("whose servers are used", () => {
    const table: [env: Record<string, string>, host: string | undefined][] = [
      [{}, undefined],
      [{ CLAUDE_CODE_USE_BEDROCK: "0" }, undefined],
      [{ CLAUDE_CODE_USE_BEDROCK: "true" }, "AWS"],
      [{ CLAUDE_CODE_USE_VERTEX: "1" }, "Google Cloud"],
      [{ CLAUDE_CODE_USE_GATEWAY: "1" }, "a gateway"],
    ];
    for (const [env, host] of table) test(JSON.stringify(env), () => expect(cloudOf(env)?.host).toBe(host));
  });
});

describe("the state of Claude Code", () => {
  const STATE = "/h/.claude.json";
  const CREDENTIALS = "/h/.claude/.credentials.json";

  function logins(content: Record<string, string>, platform: NodeJS.Platform = "linux", env = {}) {
    const { key, token } = readClaudeState(memoryFiles(content), { env: { HOME: "/h", ...env }, platform }).logins;
    return { key, token };
  }

  const NONE = { key: undefined, token: undefined };
  const account = { [STATE]: '{"oauthAccount":{}}' };

  const table: [name: string, found: ReturnType<typeof logins>, expected: ReturnType<typeof logins>][] = [
    ["no files", logins({}), NONE],
    ["broken files", logins({ [STATE]: "{", [CREDENTIALS]: "[]" }), NONE],
    ["no logins", logins({ [STATE]: '{"primaryApiKey":""}', [CREDENTIALS]: '{"claudeAiOauth":null}' }), NONE],
    ["a key", logins({ [STATE]: '{"primaryApiKey":"k"}' }), { key: "k", token: undefined }],
    ["a subscription", logins({ [CREDENTIALS]: '{"claudeAiOauth":{"accessToken":"t"}}' }), { ...NONE, token: "t" }],
    ["an account on macOS", logins(account, "darwin"), { ...NONE, token: "in the keychain" }],
    ["an account elsewhere", logins(account), NONE],
    [
      "another configuration folder",
      logins({ "/c/.claude.json": '{"primaryApiKey":"k"}' }, "linux", { CLAUDE_CONFIG_DIR: "/c" }),
      { key: "k", token: undefined },
    ],
  ];

  for (const [name, found, expected] of table) test(`stored logins: ${name}`, () => expect(found).toEqual(expected));

  const KEY = '{"primaryApiKey":"k"}';
  const ACCOUNT = '{"oauthAccount":{}}';

  test.each([
    ["a key", "linux", KEY, true],
    ["a key on macOS", "darwin", KEY, true],
    ["an account on macOS, whose key is in the keychain", "darwin", ACCOUNT, true],
    ["an account elsewhere", "linux", ACCOUNT, false],
    ["neither, on macOS", "darwin", "{}", false],
  ] as const)("a login stored an API key: %s", (_, platform, state, expected) => {
    const place = { env: { HOME: "/h" }, platform };
    expect(readClaudeState(memoryFiles({ [STATE]: state }), place).logins.hasKey).toBe(expected);
  });

  const trust = (folder: string, accepted: unknown) =>
    JSON.stringify({ projects: { [folder]: { hasTrustDialogAccepted: accepted } } });

  test.each([
    ["accepted", "linux", "/p", trust("/p", true), true],
    ["not accepted", "linux", "/p", trust("/p", false), false],
    ["something else than true", "linux", "/p", trust("/p", "true"), false],
    ["never asked", "linux", "/p", "{}", false],
    ["accepted in another folder", "linux", "/p", trust("/q", true), false],
    ["accepted where a name has a backslash", "linux", "/p\\q", trust("/p\\q", true), true],
    ["accepted in a folder with a similar name", "linux", "/p\\q", trust("/p/q", true), false],
    ["accepted on Windows, where the file has slashes", "win32", "C:\\p\\q", trust("C:/p/q", true), true],
    ["a broken file", "linux", "/p", "{", false],
  ] as const)("trust in a folder: %s", (_, platform, cwd, state, expected) => {
    const place = { env: { HOME: "/h", USERPROFILE: "/h" }, platform };
    expect(readClaudeState(memoryFiles({ [STATE]: state }), place).trusts(cwd)).toBe(expected);
  });
});
