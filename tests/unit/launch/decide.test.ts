import { describe, expect, test } from "bun:test";
import { run } from "../../../src/cli/run.ts";
import { nextMarker } from "../../../src/launch/find.ts";
import { EXEC_MARKER } from "../../../src/markers.ts";
import { fakeWorld } from "../fakes.ts";

describe("decide launch", () => {
  type Parts = NonNullable<Parameters<typeof fakeWorld>[0]>;

  const PROVIDERS = { glm: { env: { ANTHROPIC_BASE_URL: "https://glm.test", ANTHROPIC_AUTH_TOKEN: "t" } } };

  async function dryRun(argv: string[], { config = {}, ...parts }: Parts & { config?: object } = {}) {
    const text = JSON.stringify({ providers: PROVIDERS, ...config });
    const { world, said } = fakeWorld({
      ...parts,
      argv: ["--dry-run", "--json", ...argv],
      env: { HOME: "/home/u", PATH: "/bin", ...parts.env },
      content: { "/home/u/.claude/ccc.json": text, ...parts.content },
    });
    const exitCode = await run(world);
    return { exitCode, stderr: said.stderr, plan: exitCode === 0 ? JSON.parse(said.stdout) : undefined };
  }

  describe("a launch is supervised", () => {
    const always = { supervisor: { enabled: true } };
    const table: [situation: string, argv: string[], parts: Parts & { config?: object }, isSupervised: boolean][] = [
      ["not by itself", ["glm"], {}, false],
      ["with the option", ["--supervisor", "glm"], {}, true],
      ["with an engine", ["--engine", "loop", "glm", "do it"], {}, true],
      ["with a check", ["--check", "true", "glm"], {}, true],
      ["with a check, whatever the variable says", ["--check", "true", "glm"], { env: { CCC_SUPERVISOR: "0" } }, true],
      ["with the variable", ["glm"], { env: { CCC_SUPERVISOR: "1" } }, true],
      ["with ccc.json", ["glm"], { config: always }, true],
      ["not if the variable says no to ccc.json", ["glm"], { config: always, env: { CCC_SUPERVISOR: "0" } }, false],
      ["not if the option says no to ccc.json", ["--no-supervisor", "glm"], { config: always }, false],
      ["not claude's subcommands, with ccc.json", ["glm", "mcp", "list"], { config: always }, false],
      ["nor behind claude's options", ["glm", "--model", "opus", "mcp", "list"], { config: always }, false],
    ];
    test.each(table)("%s", async (_, argv, parts, isSupervised) => {
      const { plan } = await dryRun(argv, parts);
      expect(plan.supervised !== null).toBe(isSupervised);
    });
  });

  describe("a launch is refused", () => {
    const table: [situation: string, argv: string[], parts: Parts & { config?: object }, message: string][] = [
      ["if nothing could be handed over", ["--no-handover", "glm"], {}, "--no-handover is for the loop engine"],
      [
        "if the hook engine could hand nothing over",
        ["--no-handover", "--supervisor", "glm"],
        {},
        "--no-handover is for the loop engine",
      ],
      ["if nothing could continue elsewhere", ["--fallback", "a", "glm"], {}, "--fallback is for the loop engine"],
      [
        "if the hook engine could not continue elsewhere",
        ["--fallback", "a", "--supervisor", "glm"],
        {},
        "--fallback is for the loop engine",
      ],
      [
        "if it could continue nowhere",
        ["--engine", "loop", "--fallback", "nobody", "glm"],
        {},
        '--fallback: "nobody" is not one of your providers',
      ],
      [
        "if ccc.json names a provider that is not there",
        ["--engine", "loop", "glm"],
        { config: { fallback: ["nobody"] } },
        'fallback in /home/u/.claude/ccc.json names "nobody", which is not a provider there',
      ],
      ["with a file that claude cannot read", ["glm", "--mcp-config=/dev/fd/63"], {}, "claude cannot read"],
      [
        "without hooks, if they supervise",
        ["--supervisor", "glm", "--bare"],
        {},
        "with --bare Claude Code runs no hooks",
      ],
      [
        "if claude runs ccc again",
        ["glm"],
        { env: { CCC_EXEC: "42.1" } },
        "the claude that ccc found runs ccc again; it is now about to run /bin/claude",
      ],
    ];
    test.each(table)("%s", async (_, argv, parts, message) => {
      const { exitCode, stderr } = await dryRun(argv, parts);
      expect(stderr).toContain(message);
      expect(exitCode).not.toBe(0);
    });
  });

  test.each([
    [["do it"], true],
    [["mcp", "list"], true],
    // Behind an option it would be a prompt.
    [["logs", "1"], false],
  ])("claude_args come before %j: %p", async (args, isBefore) => {
    const { plan } = await dryRun(["glm", ...args], { config: { claude_args: ["--verbose"] } });
    expect(plan.args.includes("--verbose")).toBe(isBefore);
  });

  describe("the Claude Code of an editor", () => {
    const CLI = "/ext/claude-code/cli.js";
    const content = { "/ide/claude": "claude", "/bin/node": "node", [CLI]: "js" };
    test("is run with ccc's settings, but without those of a terminal", async () => {
      const { plan } = await dryRun(["/ide/claude", "hi"], { content });
      expect(plan.file).toBe("/ide/claude");
      expect(plan.files.some((file: { path: string }) => /plugin/.test(file.path))).toBe(false);
    });
    test("may be a script with its Node, but then cannot be supervised", async () => {
      const { plan } = await dryRun(["node", CLI, "hi"], { content });
      expect([plan.file, plan.args[0]]).toEqual(["/bin/node", CLI]);
      const { exitCode, stderr } = await dryRun(["node", CLI, "hi"], { content, env: { CCC_SUPERVISOR: "1" } });
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining("which cannot be supervised")]);
      expect((await dryRun(["/ide/claude", "hi"], { content, env: { CCC_SUPERVISOR: "1" } })).exitCode).toBe(0);
    });
  });

  const TERMINAL = { isTerminal: () => true };
  test.each<[name: string, argv: string[], given: Parts & { config?: object }, remember: boolean]>([
    ["if it is named", ["kimi"], TERMINAL, true],
    ["with a prompt", ["kimi", "fix it"], TERMINAL, true],
    ["unless it is the current one anyway", ["glm"], TERMINAL, false],
    ["not if it is only chosen", [], { ...TERMINAL, config: { folders: { "/project": "kimi" } } }, false],
    ["not with -p", ["kimi", "-p", "hi"], TERMINAL, false],
    ["not by a background session", ["kimi", "--bg", "hi"], TERMINAL, false],
    ["not by claude's subcommands", ["kimi", "mcp", "list"], TERMINAL, false],
    ["not without a terminal", ["kimi"], {}, false],
    ["not if only stdin is a terminal", ["kimi"], { isTerminal: (fd) => fd === 0 }, false],
    ["not by a ccc that a session runs", ["kimi"], { ...TERMINAL, env: { CCC_EXEC: "1.1" } }, false],
    ["not by a tool of plain claude's", ["kimi"], { ...TERMINAL, env: { CLAUDECODE: "1" } }, false],
    ["not if there is a default", ["kimi"], { ...TERMINAL, config: { default_provider: "glm" } }, false],
  ])("a provider is remembered %s", async (_, argv, given, remember) => {
    const config = { current_provider: "glm", providers: { ...PROVIDERS, kimi: PROVIDERS.glm }, ...given.config };
    expect((await dryRun(argv, { ...given, config })).plan.remember).toBe(remember);
  });

  describe("a session in the terminal has a status line", () => {
    const statusLine = async (argv: string[]): Promise<string | undefined> => {
      const files: { content: { statusLine?: { command: string } } }[] = (await dryRun(argv)).plan.files;
      return files.find(({ content }) => content.statusLine !== undefined)?.content.statusLine?.command;
    };
    test("that knows whether the session is supervised", async () => {
      expect(await statusLine(["glm"])).toEndWith(" --no-supervisor");
      expect(await statusLine(["--supervisor", "glm"])).toEndWith(" --supervisor");
    });
    test("but not with -p", async () => expect(await statusLine(["glm", "-p", "hi"])).toBeUndefined());
  });

  describe("the providers that a loop continues on", () => {
    const continues = async (options: string[], config: object) => {
      const providers = { ...PROVIDERS, kimi: PROVIDERS.glm, qwen: PROVIDERS.glm };
      const { plan } = await dryRun(["--engine", "loop", ...options, "glm", "x"], { config: { providers, ...config } });
      return [plan.supervised.fallback, plan.notices.filter((notice: string) => notice.includes("pinned"))];
    };
    const fallback = ["kimi", "glm", "qwen", "kimi"];
    const pinned = "because /project is pinned to glm only";
    const table: [name: string, options: string[], config: object, names: string[], notices: string[]][] = [
      ["none by default", [], {}, [], []],
      ["those in ccc.json, each once, and not the agent's own", [], { fallback }, ["kimi", "qwen"], []],
      ["instead of those, the ones that are named", ["--fallback", "qwen"], { fallback }, ["qwen"], []],
      [
        "none that the folder's pin refuses",
        [],
        { fallback, folders: { "/project": { provider: "glm", only: true } } },
        [],
        ["kimi", "qwen"].map((name) => `the session does not continue on ${name}, ${pinned}`),
      ],
    ];
    test.each(table)("%s", async (_, options, config, names, notices) =>
      expect(await continues(options, config)).toEqual([names, notices]),
    );
  });

  describe("settings of a loop for the time after it", () => {
    const written = async (argv: string[], isTerminal: boolean) => {
      const { plan } = await dryRun(["--engine", "loop", ...argv, "glm", "do it"], { isTerminal: () => isTerminal });
      return plan.files.some(
        (file: { content: { hooks?: { Stop?: unknown } } }) => file.content.hooks?.Stop !== undefined,
      );
    };
    test("have hooks, if the session is handed over on a terminal", async () =>
      expect(await written([], true)).toBe(true));
    test("are not needed with --no-handover", async () => expect(await written(["--no-handover"], true)).toBe(false));
    test("are not needed without a terminal", async () => expect(await written([], false)).toBe(false));
  });

  describe("ccc within ccc", () => {
    const inside = (marker: string | undefined) =>
      dryRun(["glm"], { pid: 42, env: marker === undefined ? {} : { [EXEC_MARKER]: marker } });
    const table: [situation: string, marker: string | undefined, isRefused: boolean][] = [
      ["the first ccc starts claude", undefined, false],
      ["an agent runs ccc", "7.1", false],
      ["eight within each other are the most", "7.7", false],
      ["a ninth is refused", "7.8", true],
      ["the claude that was found is a script that runs ccc", "42.1", true],
      ["a marker that is not a number is ignored", "7.x", false],
      ["ccc asks a script for claude's version, and the script runs ccc", "7.1.asked", true],
    ];
    test.each(table)("%s", async (_, marker, isRefused) => {
      const { exitCode, stderr } = await inside(marker);
      expect(exitCode).toBe(isRefused ? 127 : 0);
      if (isRefused) expect(stderr).toContain("runs ccc again; it is now about to run /bin/claude");
    });

    test.each([
      [undefined, "42.1"],
      ["7.1", "42.2"],
      ["7", "42.1"],
      ["7.1.asked", "42.2"],
    ])("each level counts one more, under its own process id: after %p comes %p", (marker, next) =>
      expect(nextMarker(fakeWorld({ pid: 42, env: { [EXEC_MARKER]: marker } }).world)).toBe(next),
    );
  });
});
