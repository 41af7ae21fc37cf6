import { describe, expect, test } from "bun:test";
import { keyCommandLine, readKeyCommand } from "../../../src/providers/identity.ts";
import { knownSecrets } from "../../../src/supervisor/secrets.ts";
import { fakeWorld } from "../fakes.ts";

const CONFIG = "/home/u/.claude/ccc.json";
const env = { HOME: "/home/u", GLM: "from-expansion", FROM_ENV: "from-env-reference", MY_TOKEN: "from-shell" };
const provider = (env: Record<string, unknown>) => JSON.stringify({ providers: { glm: { env } } });
const never = () => Promise.reject(new Error("nothing is run to know a secret"));

function known(content: Record<string, string>, settings: Parameters<typeof knownSecrets>[1] = []) {
  const keychain = { get: never, set: never, remove: never };
  return knownSecrets(fakeWorld({ env, content, keychain, run: never }).world, settings);
}

describe("known without running anything", () => {
  const table: [name: string, secret: string, content: Record<string, string>][] = [
    ["a variable of the shell", "from-shell", {}],
    ["a provider's key", "in-the-file", { [CONFIG]: provider({ ANTHROPIC_AUTH_TOKEN: "in-the-file" }) }],
    ["a variable that the key names", "from-expansion", { [CONFIG]: provider({ ANTHROPIC_AUTH_TOKEN: "${GLM}" }) }],
    ["env:", "from-env-reference", { [CONFIG]: provider({ ANTHROPIC_API_KEY: "env:FROM_ENV" }) }],
    [
      "file:",
      "of-a-file",
      { [CONFIG]: provider({ ANTHROPIC_API_KEY: "file:k" }), "/home/u/.claude/k": "of-a-file\nx" },
    ],
    ["another secret of a provider", "of-a-file", { [CONFIG]: provider({ MY_SECRET: "file:/k" }), "/k": "of-a-file" }],
    [
      "a key variable of a future version",
      "unknown-variable",
      { [CONFIG]: provider({ ANTHROPIC_TOMORROW: "unknown-variable" }) },
    ],
    ["a shared setting", "shared-key", { [CONFIG]: '{"settings":{"env":{"ANTHROPIC_API_KEY":"shared-key"}}}' }],
    ["a stored key", "stored-key", { "/home/u/.claude.json": '{"primaryApiKey":"stored-key"}' }],
    [
      "a subscription",
      "stored-token",
      { "/home/u/.claude/.credentials.json": '{"claudeAiOauth":{"accessToken":"stored-token"}}' },
    ],
  ];
  for (const [name, secret, content] of table) test(name, () => expect(known(content)).toContain(secret));

  test("settings of a party, and the ccc.json that its key comes from", () => {
    const content = { "/else where/ccc.json": provider({ ANTHROPIC_API_KEY: "in-another-file" }) };
    const found = known(content, [
      { env: { ANTHROPIC_AUTH_TOKEN: "in-settings" } },
      { apiKeyHelper: keyCommandLine("/bin/ccc", "glm", "/else where", "https://glm.test") },
    ]);
    expect(found).toContain("in-settings");
    expect(found).toContain("in-another-file");
  });

  test("a placeholder key is not a secret", () =>
    expect(known({ [CONFIG]: provider({ ANTHROPIC_AUTH_TOKEN: "ollama" }) })).not.toContain("ollama"));

  test("the note about a login in the macOS keychain is not a secret", () => {
    const content = { "/home/u/.claude.json": '{"oauthAccount":{}}' };
    expect(knownSecrets(fakeWorld({ env, content, platform: "darwin" }).world, [])).not.toContain("in the keychain");
  });

  test.each([
    ["no ccc.json", {}],
    ["a broken one", { [CONFIG]: "{" }],
    ["a list", { [CONFIG]: '{"providers":[1],"settings":[]}' }],
    ["a missing file", { [CONFIG]: provider({ ANTHROPIC_API_KEY: "file:/nowhere" }) }],
    ["a command", { [CONFIG]: provider({ ANTHROPIC_API_KEY: "cmd:pass show" }) }],
    ["a keychain", { [CONFIG]: provider({ ANTHROPIC_API_KEY: "keychain:glm" }) }],
  ])("%s leads to no error and runs nothing", (_, content) => expect(known(content)).toContain("from-shell"));
});

test.each(["/home/u/.claude", '/it\'s a "test" päth', "/a --config-dir b"])(
  "a key command for %s is read back",
  (folder) => {
    expect(readKeyCommand(keyCommandLine("/my bin/ccc", "glm", folder, "https://glm.test"))).toEqual({
      provider: "glm",
      folder,
    });
  },
);

test.each(["C:\\Users\\u\\.claude", "C:\\it's 100% & mÿ\\cfg", "D:\\", "E:\\a b\\"])(
  "a key command for %s on Windows is read back",
  (folder) => {
    const line = keyCommandLine("C:\\Program Files\\ccc.exe", "glm", folder, "https://glm.test");
    expect(line).toStartWith('"C:\\Program Files\\ccc.exe" key glm --config-dir ');
    expect(readKeyCommand(line)).toEqual({ provider: "glm", folder });
  },
);

test.each([undefined, 5, "", "cat /key", "pass show key"])("%p is no key command", (command) =>
  expect(readKeyCommand(command)).toBeUndefined(),
);
