import { describe, expect, test } from "bun:test";
import { run } from "../../../../src/cli/run.ts";
import { ALWAYS_BLANK } from "../../../../src/providers/variables.ts";
import { fakeWorld } from "../../fakes.ts";

const USER = "/home/u/.claude/settings.json";
const PROJECT = "/project/.claude/settings.json";
const LOCAL = "/project/.claude/settings.local.json";
const HEADER = "CLAUDE_CODE_ATTRIBUTION_HEADER";
const wins = "which wins for plain claude in this folder; launches with ccc are not affected";

interface Case {
  /** Variables of the provider. */
  readonly env?: Record<string, string>;
  readonly config?: Record<string, unknown>;
  /** Settings files by their paths. */
  readonly settings?: Record<string, unknown>;
  readonly shell?: Record<string, string>;
  readonly args?: readonly string[];
}

/** A switch to glm: the settings.json that it leaves, and what it warns of. */
async function switched({ env = {}, config = {}, settings = {}, shell = {}, args = [] }: Case) {
  const glm = { env: { ANTHROPIC_BASE_URL: "https://glm.test", ANTHROPIC_AUTH_TOKEN: "t", ...env } };
  const content = {
    "/home/u/.claude/ccc.json": JSON.stringify({ providers: { glm }, ...config }),
    ...Object.fromEntries(Object.entries(settings).map(([path, json]) => [path, JSON.stringify(json)])),
  };
  const { world, said, files } = fakeWorld({
    argv: ["use", ...args, "glm"],
    content,
    env: { HOME: "/home/u", PATH: "/bin", ...shell },
  });
  expect(await run(world)).toBe(0);
  return {
    written: JSON.parse(files.content[USER] ?? ""),
    warnings: [...(said.stderr.match(/(?<=^ccc: warning: ).*/gm) ?? [])],
  };
}

describe("ccc use writes", () => {
  const written = async (of: Case = {}) => (await switched(of)).written;

  test("the provider's settings, and blanks for the common variables", async () => {
    const config = { settings: { permissions: { allow: ["Read"] } } };
    const { env, ...rest } = await written({ config, env: { TIMEOUT: "9" } });
    expect(rest).toEqual({ permissions: { allow: ["Read"] } });
    expect(env).toMatchObject({ ANTHROPIC_BASE_URL: "https://glm.test", ANTHROPIC_AUTH_TOKEN: "t", TIMEOUT: "9" });
    const names = [...Object.keys(ALWAYS_BLANK), HEADER, "TIMEOUT"];
    expect(Object.keys(env).sort()).toEqual(names.sort());
  });

  test("no marker of a launch, because sessions of plain claude are none", async () =>
    expect(Object.keys((await written()).env)).not.toContain("CCC_LAUNCH"));

  describe("the provider's token as a header, which wins over a key that a login stored, now or later", () => {
    const table: [situation: string, env: Record<string, string>, headers: string][] = [
      ["alone", {}, "x-api-key: t"],
      ["after the provider's headers", { ANTHROPIC_CUSTOM_HEADERS: "a: b" }, "a: b\nx-api-key: t"],
      ["but not over one of that name", { ANTHROPIC_CUSTOM_HEADERS: "a: b\nX-Api-Key: k" }, "a: b\nX-Api-Key: k"],
      ["but not beside an API key", { ANTHROPIC_API_KEY: "k" }, ""],
      ["but not at Anthropic", { ANTHROPIC_BASE_URL: "https://api.anthropic.com" }, ""],
      ["but not where Claude Code asks for the key", { ANTHROPIC_AUTH_TOKEN: "env:GLM_KEY" }, ""],
    ];
    test.each(table)("%s", async (_, env, headers) => {
      const { ANTHROPIC_CUSTOM_HEADERS } = (await written({ env, shell: { GLM_KEY: "k" } })).env;
      expect(ANTHROPIC_CUSTOM_HEADERS).toBe(headers);
    });
  });

  test("blanks for what the shell or the user's file sets, known or not", async () => {
    const { env } = await written({
      shell: { ANTHROPIC_FOUNDRY_API_KEY: "k", ANTHROPIC_TOMORROW: "k", CLAUDE_CODE_USE_MANTLE: "", OTHER: "1" },
      settings: { [USER]: { env: { CLAUDE_CODE_EXTRA_BODY: "{}", MINE: "1" } } },
    });
    expect(env).toMatchObject({ ANTHROPIC_FOUNDRY_API_KEY: "", ANTHROPIC_TOMORROW: "", CLAUDE_CODE_EXTRA_BODY: "" });
    expect(env.MINE).toBe("1");
    expect(Object.keys(env)).not.toContain("CLAUDE_CODE_USE_MANTLE");
    expect(Object.keys(env)).not.toContain("OTHER");
  });

  test("what ccc sets by itself, unless the user's file decides it", async () => {
    const users = { [USER]: { env: { [HEADER]: "1" } } };
    expect((await written()).env[HEADER]).toBe("0");
    expect((await written({ settings: users })).env[HEADER]).toBe("1");
    expect((await written({ settings: users, env: { [HEADER]: "2" } })).env[HEADER]).toBe("2");
  });

  test("an empty apiKeyHelper, if the user's file has one", async () => {
    expect((await written({ settings: { [USER]: { apiKeyHelper: "mine" } } })).apiKeyHelper).toBe("");
    expect(Object.keys(await written())).not.toContain("apiKeyHelper");
    const key = { env: { ANTHROPIC_AUTH_TOKEN: "env:KEY" }, shell: { KEY: "k" } };
    expect((await written(key)).apiKeyHelper).toContain("ccc key glm");
  });

  test("with reviews, the hook after those of ccc.json", async () => {
    const own = { hooks: [{ type: "command", command: "mine" }] };
    const config = { settings: { hooks: { Stop: [own], PreToolUse: [own] } } };
    const { hooks, env, disableAllHooks } = await written({ config, args: ["--supervisor"] });
    const added = { hooks: [{ command: expect.stringContaining("supervisor-hook") }] };
    expect(hooks).toMatchObject({ Stop: [own, added], PreToolUse: [own] });
    expect(env.CCC_LAUNCH).toBe("");
    expect([Object.keys(env).includes("CLAUDE_CODE_SIMPLE"), disableAllHooks]).toEqual([false, undefined]);
  });

  test("with reviews, no switch that disables hooks", async () => {
    const users = { disableAllHooks: true, allowManagedHooksOnly: false, env: { CLAUDE_CODE_SIMPLE: "1" } };
    const settings = { [USER]: users };
    expect(await written({ settings, args: ["--supervisor"] })).toMatchObject({
      disableAllHooks: false,
      allowManagedHooksOnly: false,
      env: { CLAUDE_CODE_SIMPLE: "" },
    });
    expect(await written({ settings })).toMatchObject(users);
  });
});

describe("a switch warns of what will differ from a launch with ccc:", () => {
  const table: [name: string, of: Case, says: string[]][] = [
    ["nothing", {}, []],
    [
      "values of today, each once",
      {
        env: { ANTHROPIC_BASE_URL: "${ADDRESS}", MAX: "${OUTPUT}" },
        config: { settings: { env: { MORE: "${OUTPUT}" } } },
        shell: { OUTPUT: "64000", ADDRESS: "https://glm.test" },
      },
      [
        "the current value of OUTPUT is written to the file; if it changes, run this again",
        "the current value of ADDRESS is written to the file; if it changes, run this again",
      ],
    ],
    [
      "settings of the folder that win",
      {
        settings: {
          [PROJECT]: { env: { ANTHROPIC_MODEL: "m", MY_OWN: "1" } },
          [LOCAL]: { env: { ANTHROPIC_API_KEY: "k" }, apiKeyHelper: "print" },
        },
      },
      [`${PROJECT} sets ANTHROPIC_MODEL, ${wins}`, `${LOCAL} sets ANTHROPIC_API_KEY, apiKeyHelper, ${wins}`],
    ],
    [
      "not of settings that have nothing to do with providers, nor of the file that is changed",
      { settings: { [USER]: { env: { ANTHROPIC_MODEL: "m" } }, [PROJECT]: { env: { MY_OWN: "1" } } } },
      [],
    ],
    ["not of hooks, without reviews", { settings: { [PROJECT]: { disableAllHooks: true } } }, []],
  ];
  for (const [name, of, says] of table) test(name, async () => expect((await switched(of)).warnings).toEqual(says));

  test("folders in which it cannot enforce reviews", async () => {
    const of = { args: ["--supervisor"], settings: { [USER]: { disableAllHooks: true }, [PROJECT]: {} } };
    const always = "a project's settings can disable these reviews, but not those of `ccc --supervisor`";
    const about = (said: string[]) => said.filter((line) => /hooks|can disable/.test(line));
    expect(about((await switched(of)).warnings)).toEqual([always]);
    const forbidden = { ...of, settings: { ...of.settings, [PROJECT]: { disableAllHooks: true } } };
    expect(about((await switched(forbidden)).warnings)).toEqual([
      `${PROJECT} disables hooks: plain claude is not reviewed in this folder`,
      always,
    ]);
  });
});
