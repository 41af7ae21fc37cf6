import { describe, expect, test } from "bun:test";
import { keyCommandLine, readKeyCommand } from "../../../src/providers/identity.ts";
import { resolveKeys } from "../../../src/providers/references.ts";
import { providerKeyFinder, sessionRedactor } from "../../../src/supervisor/secrets.ts";
import { fakeWorld } from "../fakes.ts";

const CONFIG = "/home/u/.claude/ccc.json";
const env = { HOME: "/home/u", GLM: "from-expansion", FROM_ENV: "from-env-reference", MY_TOKEN: "from-shell" };
const provider = (env: Record<string, unknown>) => JSON.stringify({ providers: { glm: { env } } });
const never = () => Promise.reject(new Error("nothing is run to know a secret"));

/** A world in which nothing may be run. */
function quiet(content: Record<string, string>) {
  const keychain = { get: never, set: never, remove: never };
  return fakeWorld({ env, content, keychain, run: never });
}

function masks(content: Record<string, string>, secret: string, settings: Parameters<typeof sessionRedactor>[1] = []) {
  return !sessionRedactor(quiet(content).world, settings).known(`a ${secret} b`).includes(secret);
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
  for (const [name, secret, content] of table) test(name, () => expect(masks(content, secret)).toBe(true));

  test("settings of a party, and the ccc.json that its key comes from", () => {
    const content = { "/else where/ccc.json": provider({ ANTHROPIC_API_KEY: "in-another-file" }) };
    const settings = [
      { env: { ANTHROPIC_AUTH_TOKEN: "in-settings" } },
      { apiKeyHelper: keyCommandLine("/bin/ccc", "glm", "/else where", "https://glm.test") },
    ];
    expect(masks(content, "in-settings", settings)).toBe(true);
    expect(masks(content, "in-another-file", settings)).toBe(true);
  });

  test("a placeholder key is not a secret", () =>
    expect(masks({ [CONFIG]: provider({ ANTHROPIC_AUTH_TOKEN: "ollama" }) }, "ollama")).toBe(false));

  test("the note about a login in the macOS keychain is not a secret", () => {
    const content = { "/home/u/.claude.json": '{"oauthAccount":{}}' };
    const { world } = fakeWorld({ env, content, platform: "darwin" });
    expect(sessionRedactor(world, []).known("in the keychain")).toBe("in the keychain");
  });

  test.each([
    ["no ccc.json", {}],
    ["a broken one", { [CONFIG]: "{" }],
    ["a list", { [CONFIG]: '{"providers":[1],"settings":[]}' }],
    ["a missing file", { [CONFIG]: provider({ ANTHROPIC_API_KEY: "file:/nowhere" }) }],
    ["a command", { [CONFIG]: provider({ ANTHROPIC_API_KEY: "cmd:pass show" }) }],
    ["a keychain", { [CONFIG]: provider({ ANTHROPIC_API_KEY: "keychain:glm" }) }],
  ])("%s leads to no error and runs nothing", (_, content) => expect(masks(content, "from-shell")).toBe(true));
});

describe("a key that an earlier ccc fetched from a command or a keychain", () => {
  const KEY = "sk-fetched+0123456789/abcdef";
  const FILE = "/home/u/.claude/ccc/fetched-keys.json";
  const reference = (text: string) => [{ reference: text, field: "providers.glm.env.ANTHROPIC_AUTH_TOKEN" }];

  /** What is on the disk after a ccc fetched these keys, one after the other. */
  async function fetched(...keys: string[]) {
    const { world, files } = fakeWorld({
      env,
      run: async ({ onLine, program }) => {
        onLine(Buffer.from(program.args.at(-1) ?? ""));
        return { exitCode: 0, ending: "exited", stderr: "" };
      },
      keychain: { get: async (name) => name, set: never, remove: never },
    });
    for (const [index, key] of keys.entries())
      await resolveKeys(reference(`${index % 2 === 0 ? "cmd" : "keychain"}:${key}`), world);
    return files.content as Record<string, string>;
  }

  test("is masked wherever it occurs, in every spelling, and is in no file", async () => {
    const content = await fetched(KEY);
    expect(JSON.stringify(content)).not.toContain(KEY);
    const { known, line } = sessionRedactor(quiet(content).world, []);
    const texts: [text: string, masked: string][] = [
      [KEY, "***"],
      [`a${KEY}${KEY}b`, "a******b"],
      [`key=${encodeURIComponent(KEY)}&x`, "key=***&x"],
      [KEY.slice(1), KEY.slice(1)],
      [`${KEY.slice(0, 9)} ${KEY.slice(9)}`, `${KEY.slice(0, 9)} ${KEY.slice(9)}`],
      ["ü".repeat(40) + KEY, `${"ü".repeat(40)}***`],
    ];
    for (const [text, masked] of texts) {
      expect(known(text)).toBe(masked);
      expect(Buffer.from(line(Buffer.from(JSON.stringify({ text })))).toString()).toBe(
        JSON.stringify({ text: masked }),
      );
    }
    const escaped = `{"text":"\\u0073${KEY.slice(1)}\\n"}`;
    expect(Buffer.from(line(Buffer.from(escaped))).toString()).toBe('{"text":"***\\n"}');
  });

  test("is kept out of the environment of checks, under any name", async () => {
    const hasKey = providerKeyFinder(quiet(await fetched("sk-other-0123456789", KEY)).world, []);
    expect([`Bearer ${KEY}`, "sk-other-0123456789", "something else", ""].map(hasKey)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  test("is found although it was fetched, or replaced, after the redactor was made", async () => {
    const { world, files } = quiet({});
    const { known } = sessionRedactor(world, []);
    expect(known(KEY)).toBe(KEY);
    const next = "sk-rotated-9876543210";
    Object.assign(files.content, await fetched(KEY, next));
    expect(known(`${KEY} ${next}`)).toBe("*** ***");
  });

  test("is noted once, and one that would be easy to guess not at all", async () => {
    const [once, twice] = [await fetched(KEY), await fetched(KEY, KEY)];
    const count = (content: Record<string, string>) => JSON.parse(content[FILE] ?? '{"keys":[]}').keys.length;
    expect([count(once), count(twice), count(await fetched("fifteen-letters"))]).toEqual([2, 2, 0]);
  });

  test.each(["", "{", "[]", '{"salt":1}', '{"salt":"s","keys":[1,{"length":0},{"length":-1,"rolling":0,"hash":""}]}'])(
    "a file that is broken masks nothing: %s",
    (text) => expect(masks({ [FILE]: text }, KEY)).toBe(false),
  );

  test("a text of megabytes is searched in little time", async () => {
    const { known } = sessionRedactor(quiet(await fetched(KEY)).world, []);
    const text = "0123456789abcdef-_/ \n".repeat(100_000);
    expect(known(`${text}${KEY}${text}`)).toBe(`${text}***${text}`);
  });
});

test.each([
  ["EIGHT: a key of eight characters", "key-4567", true],
  ["SEVEN: a shorter text is in values by chance", "key-456", false],
])("%s", (_, key, isFound) => expect(providerKeyFinder(quiet({}).world, [], [key])(`a ${key} b`)).toBe(isFound));

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
