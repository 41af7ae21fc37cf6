import { describe, expect, test } from "bun:test";
import { run } from "../../../../src/cli/run.ts";
import type { Explanation, Requests } from "../../../../src/commands/why/explain.ts";
import { fakeWorld } from "../../fakes.ts";

interface Block {
  readonly env?: Record<string, string>;
  readonly apiKeyHelper?: string;
}

/** What each place sets. */
interface Given {
  readonly shell?: Record<string, string>;
  readonly user?: Block;
  readonly project?: Block;
  readonly local?: Block;
  readonly managed?: Block;
  readonly storedKey?: string;
  readonly storedToken?: string;
  readonly shared?: Block;
  /** What ccc.json sets for glm; null for a ccc.json without a provider. */
  readonly own?: Block | null;
  /** What `ccc use kimi` wrote. */
  readonly use?: Record<string, string>;
}

const SETTINGS = "/home/u/.claude/settings.json";

/** The output of `ccc why` on a machine with these settings. */
async function ccc(argv: string[], given: Given, width: number): Promise<string> {
  const { shell = {}, user, project, local, managed, storedKey, storedToken, shared, own = {}, use } = given;
  const files: Record<string, object | undefined> = {
    [SETTINGS]: user,
    "/project/.claude/settings.json": project,
    "/project/.claude/settings.local.json": local,
    "/etc/claude-code/managed-settings.json": managed,
    "/home/u/.claude.json": storedKey === undefined ? undefined : { primaryApiKey: storedKey },
    "/home/u/.claude/.credentials.json": storedToken ? { claudeAiOauth: { accessToken: storedToken } } : undefined,
    "/home/u/.claude/ccc.json": own === null ? undefined : { settings: shared, providers: { glm: own } },
    "/home/u/.claude/ccc/use.json": use && recordOf(use),
  };
  const content = Object.fromEntries(
    Object.entries(files).flatMap(([path, json]) => (json === undefined ? [] : [[path, JSON.stringify(json)]])),
  );
  const env = { HOME: "/home/u", PATH: "/bin", ...shell };
  const terminal = { isTerminal: (fd: number) => fd === 1 && Number.isFinite(width), columns: () => width };
  const { world, said } = fakeWorld({ argv: ["why", ...argv], content, env, ...terminal });
  expect({ exitCode: await run(world), stderr: said.stderr }).toEqual({ exitCode: 0, stderr: "" });
  return said.stdout;
}

const why = async (given: Given): Promise<Explanation> =>
  JSON.parse(await ccc(["--json"], given, Number.POSITIVE_INFINITY));

const text = (given: Given, width = Number.POSITIVE_INFINITY) => ccc([], given, width);

/** The record of `ccc use kimi`. */
function recordOf(env: Record<string, string>): object {
  const changes = Object.entries(env).map(([name, after]) => ({ path: ["env", name], after }));
  return {
    version: 1,
    provider: "kimi",
    supervised: false,
    since: "2026-01-01T00:00:00Z",
    settings: SETTINGS,
    original: null,
    states: [{ hash: "", changes }],
  };
}

/** The two headers, each as the name and source of what fills it. */
function headers(sent: Requests | null) {
  return [sent?.authorization, sent?.x_api_key].map((each) => (each ? `${each.name} ${each.source}` : ""));
}

const TOKEN = { ANTHROPIC_AUTH_TOKEN: "token-of-the-shell" };
const KEY = { ANTHROPIC_API_KEY: "key-of-the-shell" };
const OAUTH = { CLAUDE_CODE_OAUTH_TOKEN: "oauth-of-the-shell" };
const HOST = { CLAUDE_CODE_PROVIDER_MANAGED_BY_HOST: "1" };
const helped: Given = { user: { apiKeyHelper: "print-key" } };
const logins: Given = { storedKey: "k", storedToken: "t" };

/** A server without a key, which no launch accepts. */
const KEYLESS = { env: { ANTHROPIC_BASE_URL: "https://own.test" } };
const NO_KEY = expect.stringContaining("has an ANTHROPIC_BASE_URL but no ANTHROPIC_AUTH_TOKEN");

type Row = [name: string, given: Given, authorization: string, key: string];

describe("plain claude sends in authorization and x-api-key:", () => {
  const table: Row[] = [
    ["both variables", { shell: { ...TOKEN, ...KEY } }, "ANTHROPIC_AUTH_TOKEN shell", "ANTHROPIC_API_KEY shell"],
    ["a token and a helper's key", { ...helped, shell: TOKEN }, "ANTHROPIC_AUTH_TOKEN shell", "apiKeyHelper user"],
    ["a helper's key and a key", { ...helped, shell: KEY }, "apiKeyHelper user", "ANTHROPIC_API_KEY shell"],
    ["a helper's key", { ...helped, ...logins }, "apiKeyHelper user", "apiKeyHelper user"],
    ["a token and a stored key", { shell: TOKEN, ...logins }, "ANTHROPIC_AUTH_TOKEN shell", "stored API key login"],
    ["a key alone", { shell: { ...KEY, ...OAUTH }, ...logins }, "", "ANTHROPIC_API_KEY shell"],
    ["a stored key", { storedKey: "k" }, "", "stored API key login"],
    ["a stored login", logins, "stored login login", ""],
    ["a subscription's token", { shell: OAUTH, ...logins }, "CLAUDE_CODE_OAUTH_TOKEN shell", ""],
    [
      "a custom header",
      { shell: { ...TOKEN, ...KEY, ANTHROPIC_CUSTOM_HEADERS: "X-Api-Key: custom" } },
      "ANTHROPIC_AUTH_TOKEN shell",
      "ANTHROPIC_CUSTOM_HEADERS shell",
    ],
    ["nothing, if nothing is set", {}, "", ""],
    ["nothing, if a cloud is used", { shell: { ...TOKEN, CLAUDE_CODE_USE_VERTEX: "1" } }, "", ""],
    [
      "a token, if the cloud is switched off",
      { shell: { ...TOKEN, CLAUDE_CODE_USE_VERTEX: "0" } },
      "ANTHROPIC_AUTH_TOKEN shell",
      "",
    ],
    [
      "the token of the strongest layer",
      { shell: TOKEN, user: { env: TOKEN }, project: { env: TOKEN }, local: { env: TOKEN } },
      "ANTHROPIC_AUTH_TOKEN local",
      "",
    ],
    ["the token of the policy", { local: { env: TOKEN }, managed: { env: TOKEN } }, "ANTHROPIC_AUTH_TOKEN managed", ""],
    [
      "a key, if a layer cancels the token",
      { user: { env: { ...TOKEN, ...KEY } }, local: { env: { ANTHROPIC_AUTH_TOKEN: "" } } },
      "",
      "ANTHROPIC_API_KEY user",
    ],
    [
      "only the host's token",
      { ...helped, ...logins, shell: { ...TOKEN, ...HOST }, local: { env: TOKEN } },
      "ANTHROPIC_AUTH_TOKEN shell",
      "",
    ],
    ["nothing from ccc.json", { own: { env: TOKEN }, shared: { env: KEY } }, "", ""],
  ];
  for (const [name, given, authorization, key] of table) {
    test(name, async () => expect(headers((await why(given)).claude)).toEqual([authorization, key]));
  }
});

describe("ccc sends in authorization and x-api-key:", () => {
  const others: Given = { shell: { ...KEY, ...OAUTH }, ...helped, local: { env: KEY }, storedToken: "t" };
  const table: Row[] = [
    [
      "the provider's own in both",
      { ...others, storedKey: "k", own: { env: TOKEN } },
      "ANTHROPIC_AUTH_TOKEN provider",
      "ANTHROPIC_AUTH_TOKEN provider",
    ],
    [
      "no shared key if the provider has its own",
      { own: { env: TOKEN }, shared: { env: KEY, apiKeyHelper: "x" } },
      "ANTHROPIC_AUTH_TOKEN provider",
      "ANTHROPIC_AUTH_TOKEN provider",
    ],
    [
      "what is shared where it has none",
      { ...others, shared: { env: KEY } },
      "ANTHROPIC_API_KEY shared",
      "ANTHROPIC_API_KEY shared",
    ],
    [
      "two different keys of its own",
      { own: { env: { ...TOKEN, ...KEY } } },
      "ANTHROPIC_AUTH_TOKEN provider",
      "ANTHROPIC_API_KEY provider",
    ],
    ["its helper's", { ...others, own: { apiKeyHelper: "x" } }, "apiKeyHelper provider", "apiKeyHelper provider"],
    [
      "a key by reference, in both headers",
      { ...others, own: { env: { ANTHROPIC_API_KEY: "env:MY_KEY" } } },
      "ANTHROPIC_API_KEY provider",
      "ANTHROPIC_API_KEY provider",
    ],
    ["the login where there is no key", { ...others, own: {} }, "stored login login", ""],
  ];
  for (const [name, given, authorization, key] of table) {
    test(name, async () => expect(headers((await why(given)).ccc)).toEqual([authorization, key]));
  }
});

describe("a setting that is not used has a reason:", () => {
  const given: Given = {
    shell: { ANTHROPIC_BASE_URL: "https://shell.test", ANTHROPIC_MODEL: "s", ANTHROPIC_TOMORROW: "x" },
    user: { env: { ANTHROPIC_BASE_URL: "https://user.test" }, apiKeyHelper: "x" },
    project: { env: { ANTHROPIC_BASE_URL: "https://project.test" } },
    managed: { env: { ANTHROPIC_MODEL: "policy" } },
    storedKey: "stored",
    shared: { env: { ANTHROPIC_BASE_URL: "https://shared.test", ANTHROPIC_MODEL: "shared" } },
    own: { env: { ...TOKEN, ANTHROPIC_BASE_URL: "https://own.test" } },
  };
  const table: [name: string, source: string, ccc: string, claude: string][] = [
    ["ANTHROPIC_BASE_URL", "shell", "replaced by ccc", "project settings win"],
    ["ANTHROPIC_BASE_URL", "user", "replaced by ccc", "project settings win"],
    ["ANTHROPIC_BASE_URL", "project", "replaced by ccc", ""],
    ["ANTHROPIC_BASE_URL", "shared", "glm's own wins", "not read"],
    ["ANTHROPIC_BASE_URL", "provider", "", "not read"],
    ["ANTHROPIC_MODEL", "shell", "the policy wins", "the policy wins"],
    ["ANTHROPIC_MODEL", "managed", "", ""],
    ["ANTHROPIC_MODEL", "shared", "the policy wins", "not read"],
    ["ANTHROPIC_TOMORROW", "shell", "blanked by ccc", ""],
    ["apiKeyHelper", "user", "blanked by ccc", ""],
    ["stored API key", "login", "kept out by ccc", "another key wins"],
  ];
  for (const [name, source, ccc, claude] of table) {
    test(`${name} from ${source}`, async () => {
      const found = await why(given);
      const place = found.settings.find((each) => each.name === name)?.set.find((each) => each.source === source);
      expect(place?.ccc).toEqual({ used: ccc === "", why: ccc });
      expect(place?.claude).toEqual({ used: claude === "", why: claude });
    });
  }
  test("also in the shell of a host, and with a cloud", async () => {
    const reasons = async (of: Given) =>
      (await why(of)).settings.flatMap(({ set }) => set.map(({ claude }) => claude.why));
    expect(await reasons({ shell: HOST, user: { env: KEY } })).toContain("your shell decides");
    expect(await reasons({ shell: { ...KEY, CLAUDE_CODE_USE_BEDROCK: "1" } })).toContain("a cloud is used");
  });
  test("a refused launch uses no setting", async () => {
    const refused = await why({ ...given, own: KEYLESS });
    expect(refused.ccc).toMatchObject({ refused: NO_KEY, authorization: null, x_api_key: null });
    const effects = refused.settings.flatMap(({ set }) => set.map(({ ccc }) => ccc));
    expect(effects).toEqual(effects.map(() => ({ used: false, why: "not launched" })));
  });
});

const SECRET = "sk-a-very-secret-key";
const secretive: Given = {
  shell: {
    ANTHROPIC_AUTH_TOKEN: SECRET,
    ANTHROPIC_BASE_URL: `https://user:${SECRET}@x.test/${SECRET}?key=${SECRET}`,
    ANTHROPIC_CUSTOM_HEADERS: `x-api-key: ${SECRET}`,
    CLAUDE_CODE_EXTRA_BODY: `{"key":"${SECRET}"}`,
    ANTHROPIC_TOMORROW: SECRET,
    ANTHROPIC_MODEL: `model-${SECRET}`,
  },
  user: { apiKeyHelper: `echo ${SECRET}` },
  storedKey: SECRET,
  storedToken: SECRET,
  own: { env: { ANTHROPIC_API_KEY: "keychain:glm", ANTHROPIC_BASE_URL: "https://x.test" } },
};

test("secrets are masked; references are shown", async () => {
  for (const shown of [JSON.stringify(await why(secretive)), await text(secretive, 80)]) {
    expect(shown).not.toContain("very-secret");
    expect(shown).toContain("***-key");
    expect(shown).toContain("keychain:glm");
  }
});

test("of what may hold a secret only its kind is shown", async () => {
  const values = async (given: Given) =>
    Object.fromEntries(
      (await why(given)).settings.map(({ name, set }) => [name, set.map(({ value }) => value).join()]),
    );
  const body = { CLAUDE_CODE_EXTRA_BODY: "not-even-JSON-but-secret", CLAUDE_CODE_USE_VERTEX: "" };
  expect(await values({ ...secretive, user: { apiKeyHelper: "x", env: body }, shell: {} })).toEqual({
    ANTHROPIC_API_KEY: "keychain:glm",
    ANTHROPIC_BASE_URL: "https://x.test",
    CLAUDE_CODE_EXTRA_BODY: "***",
    CLAUDE_CODE_USE_VERTEX: "",
    apiKeyHelper: "a command",
    "stored API key": "***-key",
    "stored login": "a subscription",
  });
  expect((await values({ user: { apiKeyHelper: "" } })).apiKeyHelper).toBe("");
  const command = { ANTHROPIC_API_KEY: `cmd:curl -H "Authorization: Bearer ${SECRET}" https://vault.test` };
  expect((await values({ own: { env: command } })).ANTHROPIC_API_KEY).toMatch(/^cmd:curl .*\*\*\*/);
  expect(JSON.stringify(await why({ own: { env: command } }))).not.toContain(SECRET);
});

test("of a header, only its own key is shown", async () => {
  const { claude } = await why({ shell: { ANTHROPIC_CUSTOM_HEADERS: "x-api-key: key-in-a-header" } });
  expect(claude.x_api_key?.value).toBe("***ader");
});

test("two names with one value are both used", async () => {
  const own = { env: { ...TOKEN, ANTHROPIC_DEFAULT_OPUS_MODEL: "m", ANTHROPIC_MODEL: "m" } };
  const models = (await why({ own })).settings.filter(({ kind }) => kind === "model");
  expect(models.map(({ name, set }) => [name, set[0]?.ccc?.used])).toEqual([
    ["ANTHROPIC_DEFAULT_OPUS_MODEL", true],
    ["ANTHROPIC_MODEL", true],
  ]);
});

describe("as text", () => {
  const own = {
    env: { ...TOKEN, ANTHROPIC_BASE_URL: "https://api.z.ai/api/anthropic", ANTHROPIC_MODEL: "glm-4.7" },
  };
  const given: Given = {
    shell: KEY,
    local: { env: { ANTHROPIC_BASE_URL: "https://a-long-name-of-a-server.example.com/with/a/path" } },
    own,
  };
  test("it says first where the keys go, then which settings compete", async () => {
    expect(await text(given, 80)).toBe(
      `ccc glm: requests go to https://api.z.ai/api/anthropic with the key ***hell
  from ccc.json providers.glm, in both headers

claude: requests go to https://a-long-name-of-a-server.example.com/with/a/path
  (local settings) with the key ***hell from your shell

ANTHROPIC_API_KEY
  set in      value    ccc glm         claude
  your shell  ***hell  blanked by ccc  used

ANTHROPIC_BASE_URL
  set in                  value                        ccc glm          claude
  local settings          a-long-name-of-a-server.ex…  replaced by ccc  used
  ccc.json providers.glm  api.z.ai/api/anthropic       used             not read

Set only in ccc.json providers.glm: ANTHROPIC_AUTH_TOKEN, ANTHROPIC_MODEL

local settings  /project/.claude/settings.local.json
ccc.json        /home/u/.claude/ccc.json
`,
    );
  });
  test("a helper and a login are called what they are, and a refusal says why", async () => {
    const claude = async (given: Given) => (await text(given)).split("\n")[2];
    const there = "claude: requests go to https://api.anthropic.com with the";
    expect(await claude(helped)).toBe(`${there} key that the apiKeyHelper prints from user settings, in both headers`);
    expect(await claude(logins)).toBe(`${there} stored login from a login`);
    expect(await claude({ storedKey: "k" })).toBe(`${there} stored API key from a login`);
    const [refused] = (await text({ ...given, own: KEYLESS })).split("\n");
    expect(refused).toStartWith("ccc glm: is not launched: ");
    expect(refused).toEqual(NO_KEY);
  });
  describe("one key is described as one", () => {
    const url = { ANTHROPIC_BASE_URL: "https://x.test" };
    const header = (value: string) => ({ ANTHROPIC_CUSTOM_HEADERS: `x-api-key: ${value}` });
    const table: [name: string, given: Given, isOne: boolean][] = [
      [
        "a header that repeats the token",
        { user: { env: { ...url, ...TOKEN, ...header("token-of-the-shell") } } },
        true,
      ],
      ["a header with another key", { user: { env: { ...url, ...TOKEN, ...header("other-of-the-shell") } } }, false],
      ["one key in two variables", { user: { env: { ...TOKEN, ANTHROPIC_API_KEY: "token-of-the-shell" } } }, true],
      ["a helper's key", helped, true],
      [
        "a bearer token as a header",
        {
          user: {
            env: { ANTHROPIC_CUSTOM_HEADERS: "Authorization: Bearer k-of-the-shell\nx-api-key: k-of-the-shell" },
          },
        },
        true,
      ],
      ["a token alone", { user: { env: TOKEN } }, false],
    ];
    for (const [name, given, isOne] of table)
      test(name, async () => {
        expect((await why(given)).claude.same_key).toBe(isOne);
        const shown = await text(given);
        expect(shown.includes("from user settings, in both headers")).toBe(isOne);
        expect(shown.includes("two keys")).toBe(name === "a header with another key");
      });
  });
  test("values written by ccc use are marked, and its blanks take one line", async () => {
    const use = { ...TOKEN, ANTHROPIC_BASE_URL: "https://k.test", ANTHROPIC_API_KEY: "", CLAUDE_CODE_USE_VERTEX: "" };
    const user = { env: { ...use, ANTHROPIC_BASE_URL: "https://mine.test", ANTHROPIC_MODEL: "" } };
    const local = { env: { CLAUDE_CODE_USE_BEDROCK: "" } };
    expect(await text({ shell: KEY, user, local, own, use })).toBe(
      `ccc glm: requests go to https://api.z.ai/api/anthropic with the key ***hell from ccc.json providers.glm, in both headers

claude: requests go to https://mine.test with the key ***hell from user settings (by ccc use kimi)

ANTHROPIC_API_KEY
  set in                           value    ccc glm         claude
  your shell                       ***hell  blanked by ccc  user settings win
  user settings (by ccc use kimi)  (empty)  no effect       cancels the others

ANTHROPIC_AUTH_TOKEN
  set in                           value    ccc glm          claude
  user settings (by ccc use kimi)  ***hell  replaced by ccc  used
  ccc.json providers.glm           ***hell  used             not read

ANTHROPIC_BASE_URL
  set in                  value                           ccc glm          claude
  user settings           https://mine.test               replaced by ccc  used
  ccc.json providers.glm  https://api.z.ai/api/anthropic  used             not read

Set only in ccc.json providers.glm: ANTHROPIC_MODEL
Blank in local settings: CLAUDE_CODE_USE_BEDROCK
Blanked by ccc use kimi: CLAUDE_CODE_USE_VERTEX
Blank in user settings: ANTHROPIC_MODEL

user settings  /home/u/.claude/settings.json
ccc.json       /home/u/.claude/ccc.json
`,
    );
  });
  test("without a provider it explains plain claude, and suggests ccc migrate if settings have one", async () => {
    const without = (given: Given) => text({ ...given, own: null });
    expect(await without({})).toBe(`ccc: no provider yet. To add one: ccc provider add

claude: requests go to https://api.anthropic.com without any key: it will ask you to log in

Nothing sets a key, an address or a model.
`);
    expect(await without({ user: { env: KEY } })).toBe(
      `ccc: no provider yet. To add one: ccc provider add; to use the one in your user settings: ccc migrate

claude: requests go to https://api.anthropic.com with the key ***hell from user settings

ANTHROPIC_API_KEY
  set in         value    claude
  user settings  ***hell  used

user settings  /home/u/.claude/settings.json
`,
    );
    for (const given of [{ shell: KEY }, { user: { env: { ANTHROPIC_MODEL: "m" } } }, { user: { env: KEY }, use: KEY }])
      expect(await without(given)).not.toContain("ccc migrate");
    expect(await why({ shell: KEY, own: null })).toMatchObject({
      provider: null,
      ccc: null,
      settings: [{ set: [{ ccc: null }] }],
    });
  });
  for (const width of [60, 70, 80, 120]) {
    test(`it fits into ${width} columns`, async () => {
      const lines = (await text({ ...secretive, ...given }, width)).split("\n");
      for (const line of lines) expect(Bun.stringWidth(line)).toBeLessThanOrEqual(width);
    });
  }
  test("it says so if nothing else is set", async () => {
    expect((await text({ own })).split("\n\n")).toEqual([
      "ccc glm: requests go to https://api.z.ai/api/anthropic with the key ***hell from ccc.json providers.glm, in both headers",
      "claude: requests go to https://api.anthropic.com without any key: it will ask you to log in",
      "Nothing else sets a key, an address or a model.\n",
    ]);
  });
});

describe("all places that set one name", () => {
  /** The value may take 8 of these columns. */
  const width = 61;

  /** How they are shown, with one value in the shell that the user's settings cancel. */
  async function table(value: string, columns: number): Promise<string> {
    const given = {
      shell: { ANTHROPIC_BASE_URL: value },
      user: { env: { ANTHROPIC_BASE_URL: "" } },
      own: { env: TOKEN },
    };
    const paragraphs = (await text(given, columns)).split("\n\n");
    return paragraphs.find((each) => each.startsWith("ANTHROPIC_BASE_URL\n")) ?? "";
  }

  test("are a table, in which a value that just fits is whole", async () => {
    expect(await table("12345678", width)).toBe(`ANTHROPIC_BASE_URL
  set in         value     ccc glm         claude
  your shell     12345678  blanked by ccc  user settings win
  user settings  (empty)   no effect       cancels the others`);
  });

  test("a longer value loses its scheme, and then its end", async () => {
    expect(await table("https://12345678", width)).toContain(" 12345678  blanked");
    expect(await table("https://123456789", width)).toContain(" 1234567…  blanked");
    expect(await table("https://1", width + 1)).toContain(" https://1  blanked");
  });

  test("are sentences where the table has no room for a value", async () => {
    expect(await table("https://12345678", width - 1)).toBe(`ANTHROPIC_BASE_URL
  your shell: https://12345678
    ccc glm: blanked by ccc; claude: user settings win
  user settings: (empty)
    ccc glm: no effect; claude: cancels the others`);
  });

  test("fit a narrow terminal", async () => {
    const lines = (await table(`https://${"x".repeat(60)}`, 30)).split("\n");
    expect(lines).toContain(`    ${"x".repeat(25)}…`);
    expect(Math.max(...lines.map((line) => line.length))).toBe(30);
  });
});
