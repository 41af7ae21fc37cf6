import { describe, expect, test } from "bun:test";
import type { Settings } from "../../../../src/claude/accepted-settings.ts";
import type { Scope } from "../../../../src/claude/layers.ts";
import { renderExplanation } from "../../../../src/commands/why/command.ts";
import {
  type Block,
  collectSettings,
  explain,
  type Requests,
  type SettingPlaces,
} from "../../../../src/commands/why/explain.ts";
import { CccError } from "../../../../src/errors.ts";
import { providerLaunch } from "../../../../src/providers/identity.ts";

interface Given {
  readonly shell?: Record<string, string>;
  readonly user?: Partial<Block>;
  readonly project?: Partial<Block>;
  readonly local?: Partial<Block>;
  readonly managed?: Partial<Block>;
  readonly storedKey?: string;
  readonly storedToken?: string;
  readonly shared?: Partial<Block>;
  readonly own?: Partial<Block>;
  /** What `ccc use kimi` wrote. */
  readonly use?: Block["env"];
}

function why(given: Given, refused: string | null = null, provider: string | null = "glm") {
  const block = (part: Partial<Block> = {}): Block => ({ env: {}, apiKeyHelper: undefined, ...part });
  const layer = (path: string, scope: Scope, part: Partial<Block> | undefined) =>
    part === undefined ? [] : [{ path, scope, forbidsHooks: false, ...block(part) }];
  const places: SettingPlaces = {
    env: given.shell ?? {},
    layers: {
      usersText: "",
      settings: [
        ...layer("/u.json", "user", given.user),
        ...layer("/p.json", "project", given.project),
        ...layer("/l.json", "local", given.local),
      ],
      managed: layer("/m.json", "managed", given.managed),
    },
    logins: { key: given.storedKey, token: given.storedToken, hasKey: false, keyPath: "/s.json", tokenPath: "/c.json" },
    ccc: { path: "/ccc.json", shared: block(given.shared), own: block(given.own) },
    use: given.use && { provider: "kimi", ...block({ env: given.use }) },
  };
  const launch = providerLaunch({
    loaded: { config: { settings: given.shared as Settings }, providers: new Map([["glm", given.own as Settings]]) },
    provider: "glm",
    env: {},
    managed: places.layers.managed,
    writesKey: false,
    keyCommand: () => "ccc key glm",
  });
  const problem = refused === null ? launch.problem : new CccError(refused);
  return explain(collectSettings(places), provider === null ? null : { ...launch, problem });
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
    test(name, () => expect(headers(why(given).claude)).toEqual([authorization, key]));
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
      "the key of the provider's helper",
      { ...others, own: { apiKeyHelper: "x" } },
      "apiKeyHelper provider",
      "apiKeyHelper provider",
    ],
    [
      "a key by reference, in both headers",
      { ...others, own: { env: { ANTHROPIC_API_KEY: "env:MY_KEY" } } },
      "ANTHROPIC_API_KEY provider",
      "ANTHROPIC_API_KEY provider",
    ],
    ["the login where there is no key", { ...others, own: {} }, "stored login login", ""],
  ];
  for (const [name, given, authorization, key] of table) {
    test(name, () => expect(headers(why(given).ccc)).toEqual([authorization, key]));
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
  const found = why(given);
  for (const [name, source, ccc, claude] of table) {
    test(`${name} from ${source}`, () => {
      const place = found.settings.find((each) => each.name === name)?.set.find((each) => each.source === source);
      expect(place?.ccc).toEqual({ used: ccc === "", why: ccc });
      expect(place?.claude).toEqual({ used: claude === "", why: claude });
    });
  }
  test("also in the shell of a host, and with a cloud", () => {
    const outcomes = (of: Given) => why(of).settings.flatMap(({ set }) => set.map(({ claude }) => claude.why));
    expect(outcomes({ shell: HOST, user: { env: KEY } })).toContain("your shell decides");
    expect(outcomes({ shell: { ...KEY, CLAUDE_CODE_USE_BEDROCK: "1" } })).toContain("a cloud is used");
  });
  test("a refused launch uses no setting", () => {
    const refused = why(given, "no key");
    expect(refused.ccc).toMatchObject({ refused: "no key", authorization: null, x_api_key: null });
    const outcomes = refused.settings.flatMap(({ set }) => set.map(({ ccc }) => ccc));
    expect(outcomes).toEqual(outcomes.map(() => ({ used: false, why: "not launched" })));
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

test("secrets are masked; references are shown", () => {
  const found = why(secretive);
  for (const text of [JSON.stringify(found), renderExplanation(found, 80)]) {
    expect(text).not.toContain("very-secret");
    expect(text).toContain("***-key");
    expect(text).toContain("keychain:glm");
  }
});

test("of what may hold a secret only its kind is shown", () => {
  const values = (given: Given) =>
    Object.fromEntries(why(given).settings.map(({ name, set }) => [name, set.map(({ value }) => value).join()]));
  const body = { CLAUDE_CODE_EXTRA_BODY: "not-even-JSON-but-secret", CLAUDE_CODE_USE_VERTEX: "" };
  expect(values({ ...secretive, user: { apiKeyHelper: "x", env: body }, shell: {} })).toEqual({
    ANTHROPIC_API_KEY: "keychain:glm",
    ANTHROPIC_BASE_URL: "https://x.test",
    CLAUDE_CODE_EXTRA_BODY: "***",
    CLAUDE_CODE_USE_VERTEX: "",
    apiKeyHelper: "a command",
    "stored API key": "***-key",
    "stored login": "a subscription",
  });
  expect(values({ user: { apiKeyHelper: "" } }).apiKeyHelper).toBe("");
  const command = { ANTHROPIC_API_KEY: `cmd:curl -H "Authorization: Bearer ${SECRET}" https://vault.test` };
  expect(values({ own: { env: command } }).ANTHROPIC_API_KEY).toMatch(/^cmd:curl .*\*\*\*/);
  expect(JSON.stringify(why({ own: { env: command } }))).not.toContain(SECRET);
});

test("of a header, only its own key is shown", () => {
  const of = (value: string) => why({ shell: { ANTHROPIC_CUSTOM_HEADERS: value } }).claude.x_api_key?.value;
  expect(of("x-api-key: key-in-a-header")).toBe("***ader");
});

test("two names with one value are both used", () => {
  const own = { env: { ...TOKEN, ANTHROPIC_DEFAULT_OPUS_MODEL: "m", ANTHROPIC_MODEL: "m" } };
  const models = why({ own }).settings.filter(({ kind }) => kind === "model");
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
  test("it says first where the keys go, then which settings compete", () => {
    expect(renderExplanation(why(given), 80)).toBe(
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

local settings  /l.json
ccc.json        /ccc.json
`,
    );
  });
  test("a helper and a login are called what they are, and a refusal says why", () => {
    const claude = (given: Given) => renderExplanation(why(given), 400).split("\n")[2];
    const there = "claude: requests go to https://api.anthropic.com with the";
    expect(claude(helped)).toBe(`${there} key that the apiKeyHelper prints from user settings, in both headers`);
    expect(claude(logins)).toBe(`${there} stored login from a login`);
    expect(claude({ storedKey: "k" })).toBe(`${there} stored API key from a login`);
    expect(renderExplanation(why(given, "there is no key"), 400)).toStartWith(
      "ccc glm: is not launched: there is no key\n",
    );
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
      test(name, () => {
        const found = why(given);
        expect(found.claude.same_key).toBe(isOne);
        expect(renderExplanation(found, 400).includes("from user settings, in both headers")).toBe(isOne);
        expect(renderExplanation(found, 400).includes("two keys")).toBe(name === "a header with another key");
      });
  });
  test("values written by ccc use are marked, and its blanks take one line", () => {
    const use = { ...TOKEN, ANTHROPIC_BASE_URL: "https://k.test", ANTHROPIC_API_KEY: "", CLAUDE_CODE_USE_VERTEX: "" };
    const user = { env: { ...use, ANTHROPIC_BASE_URL: "https://mine.test", ANTHROPIC_MODEL: "" } };
    const local = { env: { CLAUDE_CODE_USE_BEDROCK: "" } };
    expect(renderExplanation(why({ shell: KEY, user, local, own, use }), 400)).toBe(
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

user settings  /u.json
ccc.json       /ccc.json
`,
    );
  });
  test("without a provider it explains plain claude, and suggests ccc migrate if settings have one", () => {
    const text = (given: Given) => renderExplanation(why(given, null, null), 400);
    expect(text({})).toBe(`ccc: no provider yet: ccc provider add

claude: requests go to https://api.anthropic.com without any key: it will ask you to log in

Nothing sets a key, an address or a model.
`);
    expect(text({ user: { env: KEY } })).toBe(
      `ccc: no provider yet: ccc provider add; or, for the one that your user settings name, ccc migrate

claude: requests go to https://api.anthropic.com with the key ***hell from user settings

ANTHROPIC_API_KEY
  set in         value    claude
  user settings  ***hell  used

user settings  /u.json
`,
    );
    for (const given of [{ shell: KEY }, { user: { env: { ANTHROPIC_MODEL: "m" } } }, { user: { env: KEY }, use: KEY }])
      expect(text(given)).not.toContain("ccc migrate");
    expect(why({ shell: KEY }, null, null)).toMatchObject({
      provider: null,
      ccc: null,
      settings: [{ set: [{ ccc: null }] }],
    });
  });
  for (const width of [60, 70, 80, 120]) {
    test(`it fits into ${width} columns`, () => {
      const lines = renderExplanation(why({ ...secretive, ...given }), width).split("\n");
      for (const line of lines) expect(Bun.stringWidth(line)).toBeLessThanOrEqual(width);
    });
  }
  test("it says so if nothing else is set", () => {
    const text = renderExplanation(why({ own }), Number.POSITIVE_INFINITY);
    expect(text.split("\n\n")).toEqual([
      "ccc glm: requests go to https://api.z.ai/api/anthropic with the key ***hell from ccc.json providers.glm, in both headers",
      "claude: requests go to https://api.anthropic.com without any key: it will ask you to log in",
      "Nothing else sets a key, an address or a model.\n",
    ]);
  });
});
