import { describe, expect, test } from "bun:test";
import { run } from "../../../../src/cli/run.ts";
import { loadConfig } from "../../../../src/config/load.ts";
import { cccPaths } from "../../../../src/config/paths.ts";
import { sessionProviders } from "../../../../src/supervisor/record/resumed.ts";
import { openSession } from "../../../../src/supervisor/record/session.ts";
import { fakeWorld } from "../../fakes.ts";
import { type Given as InMemory, SESSION, startSession } from "../session-in-memory.ts";

describe("the providers that a session can have run on", () => {
  const ID = "0961ad8d-cff1-4011-8ad0-cc8b1b55fbe3";
  const named = (...models: string[]) => ({
    env: { ANTHROPIC_MODEL: models[0], ANTHROPIC_DEFAULT_HAIKU_MODEL: models[1] },
  });
  const CONFIG = {
    providers: {
      glm: named("glm-5", "glm-5-air"),
      kimi: named("kimi-k3[1m]"),
      "kimi-work": named("Kimi-K3"),
      console: { env: {} },
      relay: named("claude-opus-5-5"),
    },
  };

  /** For a session whose last answer came from this model, and was asked of that one. */
  function providersOf(
    { answered, asked, recorded }: { answered?: string; asked?: string; recorded?: string },
    config: object = CONFIG,
    env: Record<string, string> = {},
  ) {
    const lines = [
      { type: "user", message: { content: "hello" } },
      ...(asked === undefined ? [] : [{ type: "api-request", params: { model: asked } }]),
      ...(answered === undefined ? [] : [{ type: "assistant", message: { model: answered } }]),
    ];
    const { world, files } = fakeWorld({
      env: { HOME: "/home/u", PATH: "/bin", ...env },
      content: {
        "/home/u/.claude/ccc.json": JSON.stringify(config),
        [`/home/u/.claude/projects/-project/${ID}.jsonl`]: lines.map((line) => JSON.stringify(line)).join("\n"),
      },
    });
    const paths = cccPaths(world);
    if (recorded !== undefined) {
      const environment = { salt: "", plain: {}, hashed: [] };
      openSession(files, paths, ID).launch.save({
        cwd: "/project",
        claude: "",
        version: null,
        same_model: false,
        reviewer: "",
        fallback: [],
        environment,
        provider: recorded,
        instructions: { path: null, text: "" },
        checks: { commands: [], left_out: [] },
      });
    }
    return sessionProviders({ session: ID }, loadConfig(world), paths, world).providers;
  }

  const table: [name: string, session: Parameters<typeof providersOf>[0], providers: string[]][] = [
    ["the one that names the model", { answered: "glm-5" }, ["glm"]],
    ["in any role", { answered: "glm-5-air" }, ["glm"]],
    ["by the name that Claude Code asked for, first", { asked: "glm-5", answered: "kimi-k3" }, ["glm"]],
    ["else by the server's name", { asked: "other", answered: "glm-5" }, ["glm"]],
    ["all that name it, whatever its case and window", { answered: "kimi-k3" }, ["kimi", "kimi-work"]],
    ["the recorded one of these", { answered: "kimi-k3", recorded: "kimi-work" }, ["kimi-work"]],
    [
      "not a recorded one that has another model: the answer is newer",
      { answered: "glm-5", recorded: "kimi" },
      ["glm"],
    ],
    ["the recorded one if no provider names the model", { answered: "other", recorded: "kimi" }, ["kimi"]],
    ["the recorded one if there is no answer", { recorded: "kimi" }, ["kimi"]],
    ["not a recorded one that is gone", { answered: "other", recorded: "gone" }, []],
    ["none", { answered: "other" }, []],
    ["one that names no model, for Claude Code's own", { answered: "claude-sonnet-5-5" }, ["console"]],
    ["one that names it, before those that name none", { answered: "claude-opus-5-5" }, ["relay"]],
    ["a date in the name does not make it another model", { answered: "claude-opus-5-5-20261001" }, ["relay"]],
  ];
  test.each(table)("%s", (_, session, providers) => expect(providersOf(session)).toEqual(providers));

  test("by all models that a provider names: its own, the shared ones, and those of variables", () => {
    const config = {
      settings: { env: { ANTHROPIC_DEFAULT_HAIKU_MODEL: "small", ANTHROPIC_MODEL: "shared" } },
      providers: {
        glm: { model: "opus", env: { ANTHROPIC_AUTH_TOKEN: "t", ANTHROPIC_MODEL: "$" + "{GLM_MODEL}" } },
        kimi: { env: { ANTHROPIC_MODEL: "kimi-k3" } },
      },
    };
    const having = (answered: string, env?: Record<string, string>) => providersOf({ answered }, config, env);
    const GLM = { GLM_MODEL: "glm-5" };
    expect(having("small", GLM)).toEqual(["glm", "kimi"]);
    expect([having("opus", GLM), having("glm-5", GLM), having("kimi-k3", GLM)]).toEqual([["glm"], ["glm"], ["kimi"]]);
    // A provider's own model replaces the shared one; a variable that is not set says nothing.
    expect([having("shared", GLM), having("shared")]).toEqual([[], ["glm"]]);
    expect(having("glm-5")).toEqual([]);
  });
});

describe("the provider of a resumed session", () => {
  const HERE = "/home/u/.claude/projects/-project";
  const ID = "0961ad8d-cff1-4011-8ad0-cc8b1b55fbe3";
  /** Sorts before the others, which are as new. */
  const EMPTY = "00000000-cff1-4011-8ad0-cc8b1b55fbe3";
  const OTHER = "11111111-cff1-4011-8ad0-cc8b1b55fbe3";

  const provider = (model: string) => ({
    env: { ANTHROPIC_BASE_URL: "https://x.test", ANTHROPIC_AUTH_TOKEN: "t", ANTHROPIC_MODEL: model },
  });
  const PROVIDERS = { glm: provider("glm-5"), kimi: provider("kimi-k3"), work: provider("kimi-k3") };

  interface Given {
    readonly argv: string[];
    readonly current?: string;
    /** The models that answered in the sessions here, by id. */
    readonly sessions?: Readonly<Record<string, string | undefined>>;
    /** How the last of them began, and how it went on. */
    readonly entrypoints?: readonly string[];
    readonly recorded?: string;
    readonly providers?: object;
    readonly isTerminal?: boolean;
  }

  function worldOf(given: Given) {
    const { argv, current = "glm", sessions = {}, entrypoints = [], recorded, providers = PROVIDERS } = given;
    const saved = Object.entries(sessions).map(([id, model], index, { length }) => [
      `${HERE}/${id}.jsonl`,
      [
        ...(index < length - 1 ? [] : entrypoints.map((entrypoint) => ({ type: "attachment", entrypoint }))),
        model === undefined ? { type: "cost-state" } : { type: "assistant", message: { model } },
      ]
        .map((line) => JSON.stringify(line))
        .join("\n"),
    ]);
    const launch = { cwd: "/project", provider: recorded, claude: "/bin/claude", environment: NO_ENVIRONMENT };
    const record = JSON.stringify({ ...launch, instructions: { path: null, text: "" } });
    const content = {
      "/home/u/.claude/ccc.json": JSON.stringify({ current_provider: current, providers }),
      ...Object.fromEntries(saved),
      ...(recorded === undefined ? {} : { [`/home/u/.claude/ccc/sessions/${ID}/launch.json`]: record }),
    };
    return fakeWorld({ argv, content, isTerminal: (fd) => fd !== 2 && given.isTerminal !== false });
  }

  async function dryRun(given: Given) {
    const { world, said } = worldOf({ ...given, argv: ["--dry-run", "--json", ...given.argv] });
    const exitCode = await run(world);
    if (exitCode !== 0) return { exitCode, stderr: said.stderr };
    const { provider: used, notices: all, remember } = JSON.parse(said.stdout);
    const notices = all.filter((each: string) => !each.startsWith("this session stays supervised"));
    return { used, notices, remember };
  }

  const NO_ENVIRONMENT = { salt: "", plain: {}, hashed: [] };

  describe("a session that continues", () => {
    const again = `(for another provider: ccc <name> --resume ${ID})`;
    const table: [name: string, given: Given, used: string, notice: string | undefined][] = [
      [
        "uses the provider that it last ran on",
        { argv: ["--resume", ID], current: "work", sessions: { [ID]: "glm-5" } },
        "glm",
        `using glm, which this session last ran on ${again}`,
      ],
      [
        "the last one here: -c",
        { argv: ["-c"], current: "kimi", sessions: { [ID]: "glm-5" } },
        "glm",
        "using glm, which this session last ran on (for another provider: ccc <name> -c)",
      ],
      [
        "as ccc has recorded it",
        { argv: ["-r", ID], sessions: { [ID]: "kimi-k3" }, recorded: "work" },
        "work",
        `using work, which this session last ran on ${again}`,
      ],
      [
        "the current provider, if it is one of several with that model",
        { argv: [`--resume=${ID}`], current: "work", sessions: { [ID]: "kimi-k3" } },
        "work",
        `using work, the current provider: it has this session's model, kimi-k3, and so has kimi ${again}`,
      ],
      [
        "the current provider, if no provider has that model",
        { argv: ["-r", ID], sessions: { [ID]: "old-model" } },
        "glm",
        `using glm, the current provider: none names this session's model, old-model ${again}`,
      ],
      [
        "the current provider, if there is no such session",
        { argv: ["-r", ID], sessions: { [OTHER]: "kimi-k3" } },
        "glm",
        `using glm, the current provider: this session's own is unknown ${again}`,
      ],
      [
        "the last one here that is a conversation",
        { argv: ["-c"], current: "kimi", sessions: { [ID]: "glm-5", [EMPTY]: undefined } },
        "glm",
        "using glm, which this session last ran on (for another provider: ccc <name> -c)",
      ],
      ["a named provider wins", { argv: ["kimi", "-c"], sessions: { [ID]: "glm-5" } }, "kimi", undefined],
      ["a new session has the current one", { argv: ["-p", "hi"], sessions: { [ID]: "kimi-k3" } }, "glm", undefined],
      ["so has one that Claude Code asks for", { argv: ["--resume"], sessions: { [ID]: "kimi-k3" } }, "glm", undefined],
      [
        "and a subcommand, whatever its options",
        { argv: ["mcp", "-c"], sessions: { [ID]: "kimi-k3" } },
        "glm",
        undefined,
      ],
      ["an only provider needs no choice", { argv: ["-c"], providers: { glm: provider("m") } }, "glm", undefined],
    ];
    for (const [name, given, used, notice] of table) {
      test(name, async () => {
        const result = await dryRun(given);
        expect(result).toMatchObject({ used, notices: notice === undefined ? [] : [notice] });
        // Only a provider that the user names becomes the current one.
        expect(result.remember).toBe(given.argv[0] === "kimi");
      });
    }

    describe("in a terminal Claude Code passes over sessions that began with -p: -c", () => {
      const sessions = { [EMPTY]: "kimi-k3", [ID]: "glm-5" };
      const began = (entrypoints: string[], given: Partial<Given> = {}): Given => {
        return {
          argv: ["-c"],
          current: "work",
          sessions: { [ID]: "glm-5", [EMPTY]: "kimi-k3" },
          entrypoints,
          ...given,
        };
      };
      test.each<[name: string, given: Given, used: string]>([
        ["takes the one before", began(["sdk-cli"]), "glm"],
        ["even if that has continued in a terminal since", began(["sdk-cli", "cli"]), "glm"],
        ["not the one before if it began in a terminal", began(["cli", "sdk-cli"]), "work"],
        ["takes it with -p", began(["sdk-cli"], { argv: ["-c", "-p", "hi"] }), "work"],
        ["takes it in a pipe", began(["sdk-cli"], { isTerminal: false }), "work"],
        ["takes it with the loop engine", began(["sdk-cli"], { argv: ["--engine", "loop", "-c", "hi"] }), "work"],
        ["has none if all began so", began(["sdk-ts"], { sessions: { [ID]: "glm-5" } }), "work"],
      ])("%s", async (_, given, used) => expect(await dryRun(given)).toMatchObject({ used }));

      test("whatever their number", async () => {
        const id = (index: number) => ID.replace(/^0961ad8d/, String(index).padStart(8, "0"));
        const { world, files, said } = worldOf({ argv: ["--dry-run", "--json", "-c"], current: "work", sessions });
        delete files.content[`${HERE}/${EMPTY}.jsonl`];
        for (let index = 0; index < 40; index++)
          files.content[`${HERE}/${id(index)}.jsonl`] =
            `{"type":"assistant","entrypoint":"sdk-cli","message":{"model":"m"}}`;
        expect(await run(world)).toBe(0);
        expect(JSON.parse(said.stdout).provider).toBe("glm");
      });

      test("even if it has continued in a terminal for so long that its end does not say how it began", async () => {
        const { world, files, said } = worldOf(began(["sdk-cli"], { argv: ["--dry-run", "--json", "-c"] }));
        const path = `${HERE}/${EMPTY}.jsonl`;
        const later = JSON.stringify({ type: "assistant", entrypoint: "cli", message: { model: "kimi-k3" } });
        files.content[path] = `${files.content[path]}\n${"x".repeat(2_000_000)}\n${later}`;
        expect(await run(world)).toBe(0);
        expect(JSON.parse(said.stdout).provider).toBe("glm");
      });

      test("ccc why says so, too", async () => {
        const { world, said } = worldOf(began(["sdk-cli"], { argv: ["why"] }));
        expect(await run(world)).toBe(0);
        expect(said.stderr).toContain("`ccc -c` uses glm here");
      });
    });

    test("ccc why says if the last session here would go elsewhere", async () => {
      const why = async (given: Given) => {
        const { world, said } = worldOf(given);
        expect(await run(world)).toBe(0);
        return said.stderr;
      };
      expect(await why({ argv: ["why"], current: "kimi", sessions: { [ID]: "glm-5" } })).toBe(
        "ccc: `ccc -c` uses glm here, which the last session in this folder ran on. See ccc why glm.\n",
      );
      for (const given of [
        { argv: ["why"], sessions: { [ID]: "glm-5" } },
        { argv: ["why"], sessions: { [ID]: "kimi-k3" } },
        { argv: ["why"] },
        { argv: ["why", "kimi"], sessions: { [ID]: "glm-5" } },
      ]) {
        expect(await why(given)).toBe("");
      }
    });

    test("is refused if several other providers have its model: any choice could be wrong", async () => {
      expect(await dryRun({ argv: ["-r", ID], sessions: { [ID]: "kimi-k3" } })).toEqual({
        exitCode: 2,
        stderr:
          "ccc: this session last ran on kimi or work: they have the same model, kimi-k3\n" +
          `Choose one: ccc kimi --resume ${ID}, ccc work --resume ${ID}\n`,
      });
    });
  });
});

describe("a session that was supervised and is resumed", () => {
  const WORK = "this session stays supervised, with the checks and instructions of its launch";
  const launch = {
    cwd: "/project",
    provider: "glm",
    engine: "hook",
    claude: "/bin/claude",
    environment: { salt: "", plain: {}, hashed: [] },
    instructions: { path: "/project/SUPERVISOR.md", text: "Review it well." },
    checks: { commands: ["npm test"], left_out: ["rm x"] },
  };
  const saved = {
    [`/home/u/.claude/projects/-project/${SESSION}.jsonl`]: JSON.stringify({
      type: "assistant",
      message: { model: "m" },
    }),
  };
  const RECORD = `/home/u/.claude/ccc/sessions/${SESSION}`;
  const before = (record: object = launch) => ({ ...saved, [`${RECORD}/launch.json`]: JSON.stringify(record) });

  async function resumed(argv: readonly string[], given: InMemory = {}) {
    const session = await startSession({ content: before(), ...given, argv });
    const isSupervised = session.stderr.includes("Supervisor mode enabled");
    return { ...session, isSupervised, isKept: session.stderr.includes(WORK) };
  }

  test.each([
    ["-c", ["-c"]],
    ["--resume ID", ["--resume", SESSION]],
    ["on a named provider", ["kimi", "-c"]],
    ["with -p", ["-c", "-p", "go on"]],
  ])("keeps its supervision, checks and instructions, and says so: %s", async (_, argv) => {
    const session = await resumed(argv, { config: { supervisor: { checks: ["bun test"] } } });
    expect(session).toMatchObject({ isSupervised: true, isKept: true });
    expect(session.stderr).toContain("before each review: npm test\n");
    const words = argv.includes("--resume") ? `--resume ${SESSION}` : argv.includes("kimi") ? "kimi -c" : "-c";
    expect(session.stderr).toContain(
      `(with the current ones: ccc --supervisor ${words}; without reviews: ccc --no-supervisor ${words})`,
    );
    await session.start({ source: "resume" });
    expect(session.record().launch.read()).toMatchObject({ checks: launch.checks, instructions: launch.instructions });
  });

  test.each<[name: string, argv: string[], given: InMemory]>([
    ["with --no-supervisor", ["--no-supervisor", "-c"], {}],
    ["with CCC_SUPERVISOR=0", ["-c"], { env: { CCC_SUPERVISOR: "0" } }],
    ["if the user switched it off", ["-c"], { content: { ...before(), [`${RECORD}/switch.json`]: '{"is_on":false}' } }],
    ["if it never was supervised", ["-c"], { content: saved }],
    ["if another one is started", ["glm", "hi"], {}],
    ["if Claude Code is to ask which one", ["--resume"], {}],
  ])("is not supervised %s", async (_, argv, given) =>
    expect(await resumed(argv, given)).toMatchObject({ exitCode: 0, isSupervised: false, isKept: false }),
  );

  test.each<[name: string, entrypoint: string, argv: string[], isKept: boolean]>([
    ["another session than the one that began with -p", "sdk-cli", ["-c"], false],
    ["that one with -p", "sdk-cli", ["-c", "-p", "hi"], true],
    ["one that began in a terminal", "cli", ["-c"], true],
  ])("in a terminal, -c continues %s", async (_, entrypoint, argv, isKept) => {
    const path = `/home/u/.claude/projects/-project/${SESSION}.jsonl`;
    const content = { ...before(), [path]: JSON.stringify({ type: "assistant", entrypoint, message: { model: "m" } }) };
    const { world, said } = fakeWorld({
      argv: ["--dry-run", "--json", ...argv],
      isTerminal: () => true,
      content: {
        ...content,
        "/home/u/.claude/ccc.json": JSON.stringify({ providers: { glm: { env: { ANTHROPIC_AUTH_TOKEN: "t" } } } }),
      },
    });
    expect(await run(world)).toBe(0);
    expect(JSON.parse(said.stdout).supervised !== null).toBe(isKept);
  });

  test("has what the launch asks for, if it asks for supervision", async () => {
    const session = await resumed(["--supervisor", "-c"], { config: { supervisor: { checks: ["bun test"] } } });
    expect(session).toMatchObject({ isSupervised: true, isKept: false });
    expect(session.stderr).toContain("before each review: bun test\n");
  });

  test.each<[engine: string, configured: string, kept: string]>([
    ["hook", "loop", "hook"],
    ["loop", "hook", "hook"],
    ["loop", "loop", "loop"],
  ])("by the engine %s, with %s in ccc.json: %s", async (engine, configured, kept) => {
    const { world, said } = fakeWorld({
      argv: ["--dry-run", "--json", "-c", "go on"],
      content: {
        ...before({ ...launch, engine }),
        "/home/u/.claude/ccc.json": JSON.stringify({
          supervisor: { engine: configured },
          providers: { glm: { env: { ANTHROPIC_AUTH_TOKEN: "t" } } },
        }),
      },
    });
    expect(await run(world)).toBe(0);
    expect(JSON.parse(said.stdout).supervised).toMatchObject({ engine: kept });
  });

  test("stays without, once it ran without", async () => {
    const session = await resumed(["--no-supervisor", "-c"], { env: { CLAUDE_PID: "7" } });
    expect((await session.start({ source: "resume" })).answer).toEqual({
      systemMessage: expect.stringContaining("supervisor: off, because this launch is without --supervisor"),
    });
    expect(await session.prompt("hello")).toMatchObject({ code: 0, answer: {} });
    expect(session.record().launch.read()).toMatchObject({ checks: launch.checks });
    expect(session.record().switch.read()).toMatchObject({ is_on: false });
  });
});
