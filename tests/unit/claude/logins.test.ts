import { expect, test } from "bun:test";
import { readLogins } from "../../../src/claude/logins.ts";
import { memoryFiles } from "../fakes.ts";

const STATE = "/h/.claude.json";
const CREDENTIALS = "/h/.claude/.credentials.json";

function logins(content: Record<string, string>, platform: NodeJS.Platform = "linux", env = {}) {
  const { key, token } = readLogins(memoryFiles(content), { env: { HOME: "/h", ...env }, platform });
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
