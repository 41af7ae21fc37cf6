import { describe, expect, test } from "bun:test";
import { run } from "../../../../src/cli/run.ts";
import { ALWAYS_BLANK } from "../../../../src/providers/variables.ts";
import type { World } from "../../../../src/world.ts";
import { fakeWorld } from "../../fakes.ts";

const SETTINGS = "/home/u/.claude/settings.json";
const glm = { env: { ANTHROPIC_BASE_URL: "https://api.z.ai/api/anthropic", ANTHROPIC_AUTH_TOKEN: "t" } };
const content = { "/home/u/.claude/ccc.json": JSON.stringify({ providers: { glm }, claude_args: ["--verbose"] }) };

describe("ccc use refuses what a launch would refuse", () => {
  const policy = "/etc/claude-code/managed-settings.json";
  const table: [name: string, args: string[], parts: Parameters<typeof fakeWorld>[0], says: string][] = [
    [
      "a policy that diverts keys",
      ["use", "glm"],
      { content: { ...content, [policy]: JSON.stringify({ env: { ANTHROPIC_BASE_URL: "https://gateway" } }) } },
      "your organization's policy sets ANTHROPIC_BASE_URL",
    ],
    [
      "a policy that allows no hooks",
      ["use", "--supervisor", "glm"],
      { content: { ...content, [policy]: JSON.stringify({ allowManagedHooksOnly: true }) } },
      "supervision cannot work",
    ],
    [
      "a shell that disables hooks",
      ["use", "--supervisor", "glm"],
      { content, env: { HOME: "/home/u", PATH: "/bin", CLAUDE_CODE_SIMPLE: "1" } },
      "CLAUDE_CODE_SIMPLE is set",
    ],
    [
      "a key that cannot be read",
      ["use", "glm"],
      {
        content: {
          "/home/u/.claude/ccc.json": JSON.stringify({
            providers: { glm: { env: { ...glm.env, ANTHROPIC_AUTH_TOKEN: "env:NO_SUCH" } } },
          }),
        },
      },
      "NO_SUCH is not set",
    ],
  ];
  for (const [name, argv, parts, says] of table) {
    test(name, async () => {
      const { world, said, files } = fakeWorld({ argv, ...parts });
      expect(await run(world)).toBe(1);
      expect(said.stderr).toContain(says);
      expect(Object.keys(files.content)).not.toContain(SETTINGS);
    });
  }
});

test("the hook for editors gets the folder of ccc.json, and settings that do not apply are reported", async () => {
  const env = { HOME: "/home/u", PATH: "/bin", CCC_CONFIG_DIR: "/cfg" };
  const placed = { "/cfg/ccc.json": content["/home/u/.claude/ccc.json"] };
  const { world, said, files } = fakeWorld({ argv: ["use", "--supervisor", "glm"], content: placed, env });
  expect(await run(world)).toBe(0);
  expect(JSON.parse(files.content[SETTINGS] ?? "").env).toMatchObject({ CCC_CONFIG_DIR: "/cfg" });
  expect(Object.keys(files.content)).toContain("/home/u/.claude/ccc/use.json");
  expect(said.stderr).toContain("not to plain claude");
});

test("a key in a variable must be set wherever claude starts", async () => {
  const key = { env: { ...glm.env, ANTHROPIC_AUTH_TOKEN: "env:GLM_KEY" } };
  const placed = { "/home/u/.claude/ccc.json": JSON.stringify({ providers: { glm: key } }) };
  const env = { HOME: "/home/u", PATH: "/bin", GLM_KEY: "the-key-itself" };
  const { world, said, files } = fakeWorld({ argv: ["use", "glm"], content: placed, env });
  expect(await run(world)).toBe(0);
  expect(said.stderr).toContain("GLM_KEY must be set wherever claude is started");
  expect(JSON.stringify(files.content)).not.toContain("the-key-itself");
});

describe("ccc use reports", () => {
  test.each(["ANTHROPIC_UNIX_SOCKET", "CLAUDE_CODE_PROVIDER_MANAGED_BY_HOST"])(
    "%s of the shell, which settings cannot cancel",
    async (name) => {
      const env = { HOME: "/home/u", PATH: "/bin", [name]: "1" };
      const { world, said } = fakeWorld({ argv: ["use", "glm"], content, env });
      expect(await run(world)).toBe(0);
      expect(said.stderr).toContain(`${name} is set in this shell, and settings.json cannot override it`);
    },
  );

  test("which file holds the key now, and what was replaced there", async () => {
    const before = { [SETTINGS]: JSON.stringify({ env: { ANTHROPIC_AUTH_TOKEN: "mine" } }) };
    const { world, said } = fakeWorld({ argv: ["use", "glm"], content: { ...content, ...before } });
    expect(await run(world)).toBe(0);
    expect(said.stderr).toContain(`ccc: replaced in ${SETTINGS} until \`ccc use --reset\`: env.ANTHROPIC_AUTH_TOKEN\n`);
    expect(said.stderr).toContain(
      `ccc: the key of glm is now in ${SETTINGS} and /home/u/.claude/ccc/use.json, readable only by you\n`,
    );
  });

  test("no key, if Claude Code asks for it", async () => {
    const key = { env: { ...glm.env, ANTHROPIC_AUTH_TOKEN: "env:GLM_KEY", MAX_THINKING_TOKENS: "8000" } };
    const placed = { "/home/u/.claude/ccc.json": JSON.stringify({ providers: { glm: key } }) };
    const env = { HOME: "/home/u", PATH: "/bin", GLM_KEY: "the-key-itself" };
    const { world, said } = fakeWorld({ argv: ["use", "glm"], content: placed, env });
    expect(await run(world)).toBe(0);
    expect(said.stderr).not.toContain("is now in");
  });

  test("what is in use, with the local time", async () => {
    const { world, files } = fakeWorld({ argv: ["use", "glm"], content });
    await run(world);
    const later = fakeWorld({ argv: ["use"], content: files.content });
    expect(await run(later.world)).toBe(0);
    const epoch = new Date(0);
    const day = [epoch.getFullYear(), epoch.getMonth() + 1, epoch.getDate()].map((part) =>
      String(part).padStart(2, "0"),
    );
    const time = [epoch.getHours(), epoch.getMinutes()].map((part) => String(part).padStart(2, "0"));
    expect(later.said).toEqual({
      stdout: `Plain claude uses glm, since ${day.join("-")} ${time.join(":")} (${SETTINGS})\n`,
      stderr: "",
    });
  });

  test("that nothing is in use", async () => {
    const { world, said } = fakeWorld({ argv: ["use"], content });
    expect(await run(world)).toBe(0);
    expect(said.stdout).toBe("Plain claude uses its own settings. To change that: ccc use <provider>\n");
  });

  test("how to add a provider that has a preset", async () => {
    for (const argv of [
      ["use", "kimi"],
      ["validate", "kimi"],
      ["why", "kimi"],
      ["provider", "show", "kimi"],
    ]) {
      const { world, said } = fakeWorld({ argv, content });
      expect(await run(world)).toBe(2);
      expect(said.stderr).toBe('ccc: unknown provider "kimi"\nYour providers: glm\nAdd it: ccc provider add kimi\n');
    }
  });
});

type Edit = (settings: string) => string;

/** Runs commands on the same files, one after the other; in between the user may edit settings.json. */
async function inTurn(content: Record<string, string | null>, ...steps: readonly (string[] | Edit)[]) {
  let files = content;
  let last = { exitCode: -1, stdout: "", stderr: "" };
  for (const step of steps) {
    if (typeof step === "function") files = { ...files, [SETTINGS]: step(files[SETTINGS] ?? "") };
    else {
      const { world, said, files: after } = fakeWorld({ argv: ["use", ...step], content: files });
      last = { exitCode: await run(world), ...said };
      files = after.content;
    }
  }
  return { ...last, settings: files[SETTINGS], files };
}

const CONFIG = "/home/u/.claude/ccc.json";
/** What the hooks know of the switch. */
const USE_LAUNCH = "/home/u/.claude/ccc/launches/use.json";
const two = {
  [CONFIG]: JSON.stringify({
    providers: {
      glm,
      kimi: { env: { ANTHROPIC_BASE_URL: "https://kimi.test", ANTHROPIC_AUTH_TOKEN: "token-of-kimi" } },
      login: { env: {} },
    },
    supervisor: { provider: "kimi", fallback: ["login", "glm"] },
  }),
};

describe("ccc use refuses options that cannot be combined, and changes nothing:", () => {
  const table: [args: string[], says: string][] = [
    [["--reset", "glm"], "--reset cannot be combined with a provider"],
    [["--reset", "--supervisor"], "--reset cannot be combined with --supervisor"],
    [["--reset", "--json"], "--reset cannot be combined with --json"],
    [["glm", "--json"], "--json cannot be combined with a provider"],
    [["--supervisor"], "--supervisor needs a provider"],
  ];
  for (const [args, says] of table)
    test(args.join(" "), async () => {
      const used = await inTurn(two, ["kimi"]);
      const { exitCode, stdout, stderr, files } = await inTurn(used.files, args);
      expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
      expect(stderr).toStartWith(`ccc: ${says}\n`);
      expect(files).toEqual(used.files);
    });
});

describe("what ccc use says", () => {
  const keys = `ccc: the key of glm is now in ${SETTINGS} and /home/u/.claude/ccc/use.json, readable only by you\n`;

  test("of a switch, of one that changes nothing, and of one that reviews", async () => {
    expect(await inTurn(two, ["glm"])).toMatchObject({
      exitCode: 0,
      stdout: `From now on plain claude and your editors use glm (${SETTINGS}). To undo: ccc use --reset\n`,
      stderr: keys,
    });
    expect(await inTurn(two, ["glm"], ["glm"])).toMatchObject({
      exitCode: 0,
      stdout: `No change: plain claude and your editors use glm (${SETTINGS}).\n`,
      stderr: "",
    });
    expect((await inTurn(two, ["glm"], ["--supervisor", "glm"])).stdout).toBe(
      `From now on plain claude and your editors use glm, supervised (${SETTINGS}). To undo: ccc use --reset\n`,
    );
  });

  test("of the file that was there: where its copy is, and that comments make it invalid", async () => {
    const { stderr } = await inTurn({ ...two, [SETTINGS]: '{\n  // mine\n  "theme": "dark"\n}\n' }, ["glm"]);
    expect(stderr).toContain(`ccc: warning: ${SETTINGS} has comments`);
    expect(stderr).toContain("ccc: copy of the original file: /home/u/.claude/ccc/backups/settings-");
    expect(stderr).not.toContain("replaced in");
  });

  test("of reviewers: which file holds whose key", async () => {
    const { stderr, files } = await inTurn(two, ["--supervisor", "glm"]);
    const folder = "/home/u/.claude/ccc";
    expect(stderr.split("\n").filter((line) => line.includes("the key of"))).toEqual([
      `ccc: the key of glm is now in ${SETTINGS}, ${folder}/use.json and ${folder}/settings-glm~use+2.json, readable only by you`,
      `ccc: the key of kimi is now in ${folder}/settings-glm~use.json, readable only by you`,
    ]);
    const env = (name: string) => JSON.parse(files[`${folder}/${name}`] ?? "").env;
    expect(env("settings-glm~use.json")).toMatchObject({ ANTHROPIC_AUTH_TOKEN: "token-of-kimi" });
    expect(env("settings-glm~use+1.json").ANTHROPIC_AUTH_TOKEN).toBe("");
  });

  test("of a file that was changed since, and how to fix it", async () => {
    const edit: Edit = (text) => text.replace("https://api.z.ai", "https://other.test");
    const { exitCode, stderr } = await inTurn(two, ["glm"], edit, []);
    const changed = "ccc: warning: that file was changed since: env.ANTHROPIC_BASE_URL. To fix it: ccc use";
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: `${changed} glm\n` });
    const supervised = await inTurn(two, ["--supervisor", "glm"], edit, []);
    expect(supervised.stdout).toStartWith("Plain claude uses glm, supervised, since ");
    expect(supervised.stderr).toBe(`${changed} --supervisor glm\n`);
  });

  test("as JSON", async () => {
    const { stdout } = await inTurn(
      two,
      ["--supervisor", "glm"],
      (text) => text.replaceAll("supervisor-hook", "something else"),
      ["--json"],
    );
    expect(JSON.parse(stdout)).toEqual({
      provider: "glm",
      supervised: true,
      since: new Date(0).toISOString(),
      settings: SETTINGS,
      changed: ["hooks.Stop"],
    });
    expect(JSON.parse((await inTurn(two, ["--json"])).stdout)).toEqual({ provider: null, settings: SETTINGS });
  });
});

describe("ccc use --reset", () => {
  const mine = '{\n  "theme": "dark"\n}\n';
  const mineToo = { ...two, [SETTINGS]: mine };
  const inUse = "glm is no longer in use.\n";

  test("restores the file, and forgets the switch", async () => {
    const { exitCode, stdout, stderr, settings, files } = await inTurn(mineToo, ["--supervisor", "glm"], ["--reset"]);
    expect({ exitCode, stdout, stderr, settings }).toEqual({
      exitCode: 0,
      stdout: `${SETTINGS} is restored, byte for byte. ${inUse}`,
      stderr: "",
      settings: mine,
    });
    expect(Object.keys(files)).not.toContain("/home/u/.claude/ccc/use.json");
    expect(Object.keys(files)).not.toContain(USE_LAUNCH);
  });

  test("removes the settings of all reviewers, also of a switch before: they may hold keys", async () => {
    const used = await inTurn(mineToo, ["--supervisor", "kimi"], ["--supervisor", "glm"]);
    const ofReviewers = (files: object) => Object.keys(files).filter((path) => path.includes("~use"));
    expect(ofReviewers(used.files)).not.toEqual([]);
    const launched = {
      "/home/u/.claude/ccc/settings-glm.json": "{}",
      "/home/u/.claude/ccc/settings-glm-plain.json": "{}",
    };
    const { files } = await inTurn({ ...used.files, ...launched }, ["--reset"]);
    expect(ofReviewers(files)).toEqual([]);
    expect(files).toMatchObject(launched);
  });

  test.each([
    ["/cfg", undefined],
    [undefined, "/cfg"],
  ])("removes them where the switch was made, whichever folder counts now: %p, then %p", async (then, now) => {
    const step = async (files: Record<string, string | null>, args: string[], folder: string | undefined) => {
      const env = { HOME: "/home/u", PATH: "/bin", ...(folder === undefined ? {} : { CCC_CONFIG_DIR: folder }) };
      const { world, files: after } = fakeWorld({ argv: ["use", ...args], content: files, env });
      expect(await run(world)).toBe(0);
      return after.content;
    };
    const kept = (files: object) => Object.keys(files).filter((path) => /~use|launches\/use/.test(path));
    const used = await step({ ...mineToo, "/cfg/ccc.json": two[CONFIG] }, ["--supervisor", "glm"], then);
    expect(kept(used)).toContain(`${then ?? "/home/u/.claude"}/ccc/settings-glm~use.json`);
    expect(kept(await step(used, ["--reset"], now))).toEqual([]);
  });

  test("keeps what the user changed since, and says so", async () => {
    const edit: Edit = (text) => text.replace("https://api.z.ai", "https://other.test");
    const { stdout, stderr, settings } = await inTurn(mineToo, ["glm"], edit, ["--reset"]);
    expect(stdout).toBe(`ccc's changes in ${SETTINGS} are undone; later edits stay. ${inUse}`);
    expect(stderr).toBe("ccc: warning: env.ANTHROPIC_BASE_URL was changed since, so it stays as it is\n");
    expect(JSON.parse(settings ?? "")).toEqual({
      theme: "dark",
      env: { ANTHROPIC_BASE_URL: "https://other.test/api/anthropic" },
    });
  });

  test("removes a file that did not exist before", async () => {
    const { stdout, settings } = await inTurn(two, ["glm"], ["--reset"]);
    expect(stdout).toBe(`${SETTINGS} is removed: it did not exist before. ${inUse}`);
    expect(settings).toBeUndefined();
  });

  test("has nothing to undo in a file that is gone, or without a switch", async () => {
    const { [SETTINGS]: _, ...gone } = (await inTurn(mineToo, ["glm"])).files;
    expect((await inTurn(gone, ["--reset"])).stdout).toBe(
      `${SETTINGS} no longer exists, so there was nothing to undo. ${inUse}`,
    );
    expect((await inTurn(mineToo, ["--reset"])).stdout).toBe("Nothing to undo: plain claude uses its own settings.\n");
  });
});

describe("sessions that start without ccc", () => {
  test("may bring a claude of their own: without reviews none is looked for", async () => {
    const { world } = fakeWorld({ argv: ["use", "glm"], content, env: { HOME: "/home/u", PATH: "/nowhere" } });
    expect(await run(world)).toBe(0);
  });

  test("are reviewed as it was decided here, by a hook that any version of claude understands", async () => {
    const claude: World["run"] = async ({ onLine }) => {
      onLine?.(new TextEncoder().encode("2.1.300 (Claude Code)"));
      return { exitCode: 0, ending: "exited", stderr: "" };
    };
    const { world, files } = fakeWorld({ argv: ["use", "--supervisor", "glm"], content: two, run: claude });
    expect(await run(world)).toBe(0);
    expect(JSON.parse(files.content[USE_LAUNCH] ?? "")).toMatchObject({
      provider: "glm",
      reviewer: "kimi",
      claude: "/bin/claude",
      version: "2.1.300",
    });
    const [stop] = JSON.parse(files.content[SETTINGS] ?? "").hooks.Stop;
    expect(stop.hooks[0]).not.toHaveProperty("args");
    expect(stop.hooks[0].command).toStartWith("/self/ccc supervisor-hook ");
  });

  test("get no secret from ccc.json but the provider's key", async () => {
    const other = { ...glm, env: { ...glm.env, MY_API_KEY: "cmd:pass show mine" } };
    const table: [config: object, args: string[], field: string][] = [
      [{ providers: { glm: other } }, ["glm"], "providers.glm.env.MY_API_KEY"],
      [{ providers: { glm }, settings: { env: { MY_API_KEY: "env:MINE" } } }, ["glm"], "settings.env.MY_API_KEY"],
      [
        { providers: { glm, other }, supervisor: { provider: "other" } },
        ["--supervisor", "glm"],
        "providers.other.env.MY_API_KEY",
      ],
    ];
    for (const [config, args, field] of table) {
      const { exitCode, stderr, settings } = await inTurn({ [CONFIG]: JSON.stringify(config) }, args);
      expect({ exitCode, settings }).toEqual({ exitCode: 1, settings: undefined });
      expect(stderr).toStartWith(`ccc: ${field} is a reference, which does not work in settings.json\n`);
    }
  });
});

describe("the settings that ccc use writes", () => {
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
});
