import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { claudeWords, linkedProvider, type Route, route } from "../../../src/cli/route.ts";
import { run } from "../../../src/cli/run.ts";
import { startedAs } from "../../../src/entry/world.ts";
import { type LaunchRequest, PLAIN_LAUNCH } from "../../../src/launch/decide.ts";
import {
  COMMAND_NAMES,
  GUARD_COMMAND,
  isCalledByClaudeCode,
  isCommandName,
  isHook,
  STATUS_COMMAND,
} from "../../../src/markers.ts";
import { fakeWorld, memoryFiles } from "../fakes.ts";

describe("route", () => {
  const PROVIDERS = ["glm", "kimi", "minimax", "valueOf"];
  const PRESETS = new Map([
    ["glm", ["glm"]],
    ["zai", ["glm", "glm-cn"]],
    ["qwen", ["qwen"]],
    ["alibaba", ["qwen", "qwen-cn"]],
  ]);
  const LOOSELY = new Map([
    ["glm-4.6", ["glm"]],
    ["qwenn", ["qwen"]],
    ["usge", ["qwen"]],
  ]);
  const presets = (word: string, isLoose = false) =>
    PRESETS.get(word.toLowerCase()) ?? (isLoose ? LOOSELY.get(word) : undefined) ?? [];
  const go = (...argv: string[]) => route(argv, { providers: () => PROVIDERS, presets });

  function launch(parts: Partial<LaunchRequest>): Route {
    return { kind: "launch", launch: { ...PLAIN_LAUNCH, ...parts } };
  }

  const TABLE: [name: string, argv: string[], expected: Route][] = [
    ["nothing at all: the current provider", [], launch({})],
    ["CLI-01 --supervisor alone: the current provider", ["--supervisor"], launch({ supervisor: true })],
    ["CLI-02 --supervisor glm", ["--supervisor", "glm"], launch({ supervisor: true, provider: "glm" })],
    [
      "CLI-03 what follows the provider is claude's",
      ["--supervisor", "kimi", "/path/to/project", "--help"],
      launch({ supervisor: true, provider: "kimi", args: ["/path/to/project", "--help"] }),
    ],
    [
      "CLI-18 --supervisor is ccc's option",
      ["--supervisor", "-p", "hi"],
      launch({ supervisor: true, args: ["-p", "hi"] }),
    ],
    ["CLI-19 kimi after it is the provider", ["--supervisor", "kimi"], launch({ supervisor: true, provider: "kimi" })],
    [
      "ccc's options after -- are claude's",
      ["glm", "--", "--dry-run"],
      launch({ provider: "glm", args: ["--", "--dry-run"] }),
    ],
    [
      "so are values of claude's options",
      ["glm", "--append-system-prompt", "--supervisor"],
      launch({ provider: "glm", args: ["--append-system-prompt", "--supervisor"] }),
    ],
    [
      "and a prompt about them",
      ["glm", "-p", "--supervisor does nothing here, why?"],
      launch({ provider: "glm", args: ["-p", "--supervisor does nothing here, why?"] }),
    ],
    [
      "and arguments of claude's subcommands",
      ["glm", "mcp", "add", "x", "--check"],
      launch({ provider: "glm", args: ["mcp", "add", "x", "--check"] }),
    ],
    ["a switcher's word after a provider is claude's", ["glm", "list"], launch({ provider: "glm", args: ["list"] })],
    ["and a sentence with it", ["list the files"], launch({ args: ["list the files"] })],
    ["claude's subcommand of that name", ["rm", "abc"], launch({ args: ["rm", "abc"] })],
    ["all of the help", ["help", "all"], { kind: "help", isWhole: true }],
    ["help for a command", ["help", "provider", "add"], { kind: "command", name: "provider", args: ["add", "--help"] }],
    ["--dry-run", ["--dry-run", "glm", "-p"], launch({ dryRun: true, provider: "glm", args: ["-p"] })],
    ["--dry-run --json", ["--json", "--dry-run", "glm"], launch({ dryRun: true, json: true, provider: "glm" })],
    [
      "--no-handover",
      ["--engine", "loop", "--no-handover", "glm", "work"],
      launch({ engine: "loop", noHandover: true, provider: "glm", args: ["work"] }),
    ],
    ["--no-supervisor", ["--no-supervisor", "glm"], launch({ supervisor: false, provider: "glm" })],
    ["--engine in two words", ["--engine", "loop", "glm"], launch({ engine: "loop", provider: "glm" })],
    ["--engine in one word", ["--engine=hook", "glm"], launch({ engine: "hook", provider: "glm" })],
    [
      "--check in two words and in one, in order",
      ["--check", "npm test", "--check=make -j lint=1", "glm"],
      launch({ checks: ["npm test", "make -j lint=1"], provider: "glm" }),
    ],
    [
      "--fallback in two words and in one, in order",
      ["--engine=loop", "--fallback", "kimi", "--fallback=a", "glm"],
      launch({ engine: "loop", fallback: ["kimi", "a"], provider: "glm" }),
    ],
    ["--anyway", ["--anyway", "glm"], launch({ anyway: true, provider: "glm" })],
    ["an unknown option is claude's, and what follows too", ["-p", "glm"], launch({ args: ["-p", "glm"] })],
    ["-- is claude's", ["--", "--help"], launch({ args: ["--", "--help"] })],
    ["-- after the provider is claude's", ["glm", "--", "-h"], launch({ provider: "glm", args: ["--", "-h"] })],
    ["an empty word is claude's", ["", "glm"], launch({ args: ["", "glm"] })],
    ["a prompt is claude's", ["fix the bug"], launch({ args: ["fix the bug"] })],
    ["a prompt with a newline", ["glm\n"], launch({ args: ["glm\n"] })],
    ["a prompt beyond ASCII", ["修复"], launch({ args: ["修复"] })],
    ["claude's subcommands are claude's", ["mcp", "list"], launch({ args: ["mcp", "list"] })],
    ["so are those that its help does not list", ["daemon", "stop"], launch({ args: ["daemon", "stop"] })],
    ["a slash command is a prompt", ["/init"], launch({ args: ["/init"] })],
    ["a path is a prompt", ["src/main.ts"], launch({ args: ["src/main.ts"] })],
    ["a word with another character is a prompt", ["why?"], launch({ args: ["why?"] })],
    ["a word after -p is a prompt", ["-p", "stats"], launch({ args: ["-p", "stats"] })],
    ["a word after -- is a prompt", ["--", "stats"], launch({ args: ["--", "stats"] })],
    ["a word after a provider is a prompt", ["glm", "stats"], launch({ provider: "glm", args: ["stats"] })],
    ["a provider may have a prototype's name", ["valueOf"], launch({ provider: "valueOf" })],
    ["--help before the provider", ["--supervisor", "--help", "glm"], { kind: "help", isWhole: false }],
    ["-h", ["-h"], { kind: "help", isWhole: false }],
    ["-v", ["-v"], { kind: "version", json: false }],
    ["--version --json", ["--version", "--json"], { kind: "version", json: true }],
    ["--json --version", ["--json", "--version"], { kind: "version", json: true }],
    [
      "--version after the provider is claude's",
      ["glm", "--version"],
      launch({ provider: "glm", args: ["--version"] }),
    ],
    ["a command", ["provider", "list", "--json"], { kind: "command", name: "provider", args: ["list", "--json"] }],
  ];

  describe("route", () => {
    for (const [name, argv, expected] of TABLE) test(name, () => expect(go(...argv)).toEqual(expected));

    const mistakes: [argv: string[], message: string][] = [
      [["--supervisor", "--no-supervisor"], "--no-supervisor cannot be combined with --supervisor"],
      [["--no-supervisor", "--supervisor"], "--no-supervisor cannot be combined with --supervisor"],
      [["--no-supervisor", "--engine=loop"], "--no-supervisor cannot be combined with --engine"],
      [["--engine", "loop", "--no-supervisor"], "--no-supervisor cannot be combined with --engine"],
      [["--check", "x", "--no-supervisor", "glm"], "--no-supervisor cannot be combined with --check"],
      [["--no-supervisor", "--check", "x"], "--no-supervisor cannot be combined with --check"],
      [["work", "-p", "here is my plan"], '"work" is neither one of your providers nor a command'],
      [["--supervisor", "work"], '"work" is neither one of your providers nor a command'],
      [["constructor"], '"constructor" is neither one of your providers nor a command'],
      [["__proto__"], '"__proto__" is neither one of your providers nor a command'],
      [["toString", "x"], '"toString" is neither one of your providers nor a command'],
      [["."], '"." is neither one of your providers nor a command'],
      [["run", "glm"], '"run" is not a command of ccc'],
      [["zai"], 'unknown provider "zai": did you mean "glm"?'],
      [["glm-4.6", "-p", "hi"], 'unknown provider "glm-4.6": did you mean "glm"?'],
      [["qwenn"], '"qwenn" is not set up yet'],
      [["usge"], 'unknown command "usge": did you mean "usage"?'],
      [["Help"], 'unknown command "Help": did you mean "help"?'],
      [["opus"], '"opus" is not a command of ccc'],
      [["alibaba"], '"alibaba" is not set up yet'],
      [["sage"], 'unknown command "sage": did you mean "usage"?'],
      [["mpc", "list"], 'unknown command "mpc": did you mean "mcp"?'],
      [["supervisor-hok"], '"supervisor-hok" is neither one of your providers nor a command'],
      [["-s", "glm"], "unknown option -s"],
      [["--provider=glm"], "unknown option --provider"],
      [["--list"], "unknown option --list"],
      [["gml"], 'unknown provider "gml": did you mean "glm"?'],
      [["GLM"], 'unknown provider "GLM": did you mean "glm"?'],
      [["kimmi", "-p", "hi"], 'unknown provider "kimmi": did you mean "kimi"?'],
      [["--supervisor", "minimx"], 'unknown provider "minimx": did you mean "minimax"?'],
      [["valdate", "--all"], 'unknown command "valdate": did you mean "validate"?'],
      [["revew"], 'unknown command "revew": did you mean "review"?'],
      [["--json", "glm"], "--json needs --dry-run"],
      [["help", "me"], '"me" is not a command of ccc'],
      [["Status", "please"], '"Status" is not a command of ccc'],
      [["--supervisor", "ls"], '"ls" is not a command of ccc'],
      [["glm", "--supervisor"], "--supervisor is an option of ccc: it belongs before the provider"],
      [["kimi", "-p", "hi", "--engine=loop"], "--engine is an option of ccc: it belongs before the provider"],
      [["kimi", "-p", "--check", "x"], "--check is an option of ccc: it belongs before the provider"],
      [["fix it", "--dry-run"], "--dry-run is an option of ccc: it belongs before everything that is for claude"],
      [["qwen", "-p", "hi"], '"qwen" is not set up yet'],
      [["--supervisr", "glm"], "unknown option --supervisr: did you mean --supervisor?"],
      [["--engin=loop", "glm"], "unknown option --engin: did you mean --engine?"],
      [["--engine"], "--engine takes hook or loop"],
      [["--engine", "glm"], "--engine takes hook or loop"],
      [["--engine=", "glm"], "--engine takes hook or loop"],
      [["--check"], "--check takes a command"],
      [["--check", " ", "glm"], "--check takes a command"],
      [["--check=", "glm"], "--check takes a command"],
      [["--checks", "npm test"], "unknown option --checks: did you mean --check?"],
      [["--dry-run", "provider", "list"], "--dry-run cannot be combined with `ccc provider`"],
    ];
    for (const [argv, message] of mistakes) {
      test(`${argv.join(" ")} is a mistake`, () => expect(go(...argv)).toMatchObject({ kind: "mistake", message }));
    }

    const advised: [argv: string[], advice: string][] = [
      [["work"], "Your providers: glm, kimi, minimax, valueOf."],
      [["work", "kimi"], "Type `ccc kimi`."],
      [["work"], 'To send "work" as a prompt: `ccc -- work`. Nothing was run.'],
      [["run", "kimi"], "To start a provider: `ccc kimi`."],
      [["remove", "kimi"], "To remove a provider: `ccc provider remove kimi`."],
      [["remove", "it"], "To remove a provider: `ccc provider remove NAME`."],
      [["init"], "Claude Code's own: `ccc /init`."],
      [["zai"], "Type `ccc glm`."],
      [["qwen"], "Add it: `ccc provider add qwen`.\n"],
      [["alibaba"], "Add it: `ccc provider add qwen`. All of its presets: qwen, qwen-cn."],
      [["--provider", "kimi", "-p", "hi"], "The provider is a word of its own: `ccc kimi`. Nothing was run."],
      [["--provider=kimi"], "The provider is a word of its own: `ccc kimi`. Nothing was run."],
      [["-s", "kimi"], "To start with reviews: `ccc --supervisor kimi`. Nothing was run."],
      [["--list"], "Your providers: `ccc provider list`. Nothing was run."],
    ];
    test.each(advised)("%j: ccc says what to type", (argv, advice) => {
      expect(go(...argv)).toMatchObject({ kind: "mistake", advice: expect.stringContaining(advice) });
    });

    test("without any provider, only a slip and a vendor are refused: for everything else, ccc offers to add one", () => {
      const first = (...argv: string[]) => route(argv, { providers: () => [], presets });
      for (const word of ["doctr", "init", "-s", "--list"]) expect(first(word)).toMatchObject({ kind: "mistake" });
      expect(first("zai")).toMatchObject({
        kind: "mistake",
        advice: expect.stringContaining("`ccc provider add glm`"),
      });
      for (const word of ["glm", "work", "qwenn"]) expect(first(word)).toMatchObject({ kind: "launch" });
    });

    test("of many providers, a few are named", () => {
      const providers = () => Array.from({ length: 12 }, (_, index) => `provider-${index}`);
      const { advice } = route(["work"], { providers, presets: () => [] }) as { advice: string };
      expect(advice).toContain("provider-6 and 5 others.");
      expect(advice).not.toContain("provider-7");
    });

    describe("as an editor starts it", () => {
      const known = { providers: () => PROVIDERS, presets: () => [] };
      const CLAUDE = "/ext/native-binary/claude";
      const claudeWords = (words: readonly string[]) => [CLAUDE, "node"].indexOf(words[0] ?? "") + 1;
      const table: [name: string, linked: string | undefined, argv: string[], expected: Route][] = [
        [
          "a claude first is the one to run",
          undefined,
          [CLAUDE, "-p", "glm"],
          launch({ claude: [CLAUDE], args: ["-p", "glm"] }),
        ],
        [
          "Node and its script are the ones to run",
          undefined,
          ["node", "/ext/claude-code/cli.js", "-p"],
          launch({ claude: ["node", "/ext/claude-code/cli.js"], args: ["-p"] }),
        ],
        [
          "ccc's options may come before it",
          undefined,
          ["--supervisor", CLAUDE, "--help"],
          launch({ supervisor: true, claude: [CLAUDE], args: ["--help"] }),
        ],
        ["after it, no word is ccc's", undefined, [CLAUDE, "doctor"], launch({ claude: [CLAUDE], args: ["doctor"] })],
        [
          "after a provider, it is an argument",
          undefined,
          ["glm", CLAUDE],
          launch({ provider: "glm", args: [CLAUDE] }),
        ],
        ["ccc-glm is ccc glm", "glm", ["-p", "hi"], launch({ provider: "glm", isLinked: true, args: ["-p", "hi"] })],
        [
          "so a provider, a command or an option after it is claude's",
          "glm",
          ["kimi", "doctor", "--verbose", "--version"],
          launch({ provider: "glm", isLinked: true, args: ["kimi", "doctor", "--verbose", "--version"] }),
        ],
        [
          "ccc-glm runs the claude that it is given",
          "glm",
          [CLAUDE, "--resume", "x"],
          launch({ provider: "glm", isLinked: true, claude: [CLAUDE], args: ["--resume", "x"] }),
        ],
        [
          "what Claude Code calls is ccc's, also in a copy named ccc-glm.exe",
          "glm",
          ["key", "glm", "--config-dir", "/c"],
          { kind: "command", name: "key", args: ["glm", "--config-dir", "/c"] },
        ],
      ];
      for (const [name, linked, argv, expected] of table) {
        test(name, () => expect(route(argv, known, { linked, claudeWords })).toEqual(expected));
      }

      test("a link named after an unknown provider is a mistake: another provider is not meant", () => {
        const message = 'this program is called ccc-old, but "old" is not one of your providers';
        expect(route(["-p", "hi"], known, { linked: "old", claudeWords })).toMatchObject({ kind: "mistake", message });
      });

      test("every hook works in such a copy", () => {
        const hooks = COMMAND_NAMES.filter((name) => isHook(name) || name === GUARD_COMMAND || name === STATUS_COMMAND);
        expect(hooks.filter((name) => !isCalledByClaudeCode(name))).toEqual([]);
      });
    });

    test.each([
      ["a subcommand", "mcp", "mcpx"],
      ["an option", "-p", "x-p"],
    ])("%s of claude goes to claude, even if it resembles a provider", (_, word, provider) => {
      expect(route([word], { providers: () => [provider], presets: () => [] })).toEqual(launch({ args: [word] }));
    });

    test.each<[argv: string[], name: string, instead: string]>([
      [["--supervisor=glm"], "--supervisor", "ccc --supervisor glm"],
      [["--supervisor=kimi", "-p", "hi"], "--supervisor", "ccc --supervisor kimi …"],
      [["--supervisor=yes"], "--supervisor", "ccc --supervisor …"],
      [["--no-handover=true", "glm"], "--no-handover", "ccc --no-handover …"],
      [["glm", "--dry-run=1"], "--dry-run", "ccc --dry-run glm"],
      [["glm", "-p", "--json=1"], "--json", "ccc --json glm …"],
    ])("an option that takes no value is shown without one: %j", (argv, name, instead) =>
      expect(go(...argv)).toEqual({
        kind: "mistake",
        message: `${name} takes no value`,
        advice: `Type \`${instead}\`. Nothing was run.`,
      }),
    );

    test("a link takes no options of ccc either", () => {
      const known = { providers: () => PROVIDERS, presets: () => [] };
      expect(route(["-p", "hi", "--supervisor"], known, { linked: "glm", claudeWords: () => 0 })).toMatchObject({
        message: "--supervisor is an option of ccc: it belongs before the provider",
        advice: "Type `ccc --supervisor glm …`. Nothing was run.",
      });
    });

    const corrected: [argv: string[], command: string][] = [
      [["glm", "--supervisor"], "ccc --supervisor glm"],
      [["glm", "--engine", "loop"], "ccc --engine loop glm"],
      [["glm", "--engine=loop", "-c"], "ccc --engine=loop glm …"],
      [["glm", "--engine"], "ccc --engine hook glm"],
      [["glm", "--engine", "fast"], "ccc --engine hook glm"],
      [["glm", "-p", "hi", "--check", "bun test"], "ccc --check 'bun test' glm …"],
      [["glm", "--check"], "ccc --check COMMAND glm"],
      [["fix it", "--dry-run"], "ccc --dry-run …"],
    ];
    test.each(corrected)("%j is corrected, with its own words", (argv, command) => {
      expect(go(...argv)).toMatchObject({ kind: "mistake", advice: `Type \`${command}\`. Nothing was run.` });
    });

    test("help and version need no configuration", () => {
      const unread = () => {
        throw new Error("the configuration was read");
      };
      expect(route(["--help"], { providers: unread, presets: unread })).toEqual({ kind: "help", isWhole: false });
      expect(route(["--version"], { providers: unread, presets: unread })).toEqual({ kind: "version", json: false });
      const message = '"version" is not a command of ccc';
      expect(route(["version"], { providers: unread, presets: unread })).toMatchObject({ kind: "mistake", message });
      expect(route(["provider", "list"], { providers: unread, presets: unread })).toMatchObject({ kind: "command" });
    });

    test("property: whatever follows a provider reaches claude untouched", () => {
      const words = fc.array(
        fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("--help", "--", "", "-v", "glm", "list")),
      );
      const options = fc.subarray(["--supervisor", "--dry-run", "--engine=loop"]);
      fc.assert(
        fc.property(options, fc.constantFrom(...PROVIDERS), words, (before, provider, after) => {
          const result = go(...before, provider, ...after);
          expect(result).toMatchObject({ kind: "launch", launch: { provider, args: after } });
        }),
      );
    });

    test("property: every command line is understood, and no word of claude's is lost", () => {
      fc.assert(
        fc.property(fc.array(fc.string()), (argv) => {
          const result = go(...argv);
          if (result.kind !== "launch") return;
          const { provider, args } = result.launch;
          const tail = provider === undefined ? args : [provider, ...args];
          expect(argv.slice(argv.length - tail.length)).toEqual([...tail]);
        }),
      );
    });
  });
});

describe("switcher words", () => {
  const CONFIG = JSON.stringify({ providers: { glm: { env: { ANTHROPIC_AUTH_TOKEN: "k" } } } });

  async function ccc(...argv: string[]) {
    const { world, said, ran } = fakeWorld({ argv, content: { "/home/u/.claude/ccc.json": CONFIG } });
    return { exitCode: await run(world), ...said, ran };
  }

  describe("a word that people expect to be a command", () => {
    const WORDS = (
      "add balance change check choose codex config continue copilot cost costs current delete edit env gemini get gpt " +
      "grok history init launch list login logout ls model models new open openai preset presets profile profiles " +
      "providers quota remove rename reset resume run select session sessions set set-key settings setup show start " +
      "stats status supervise supervisor switch test tokens uninstall unpin"
    ).split(" ");
    test.each(WORDS)("%s runs nothing, and names commands that exist", async (word) => {
      const { exitCode, stderr, ran } = await ccc(word);
      expect({ exitCode, ran }).toEqual({ exitCode: 2, ran: [] });
      expect(stderr).toContain(`"${word}" is not a command of ccc`);
      const [advice = "", rest = ""] = stderr.split(`To send "${word}" as a prompt: `);
      expect(rest).toContain(`\`ccc -- ${word}\``);
      const advised = advice.match(/(?<=`ccc )[^`]+/g) ?? [];
      expect(advised).not.toEqual([]);
      for (const command of advised) await expectCommand(command);
    });

    async function expectCommand(command: string): Promise<void> {
      const [name = "", child = ""] = command.split(" ");
      if (!isCommandName(name))
        return expect(["NAME", "auth", "/init", "--supervisor", "-c", "--resume"]).toContain(name);
      const isChild = name === "provider";
      const { exitCode, stdout } = await ccc(...(isChild ? [name, child] : [name]), "--help");
      expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: expect.stringContaining(isChild ? child : name) });
      for (const option of command.match(/--[a-z-]+/g) ?? []) expect(stdout).toContain(option);
    }

    test("after a provider it is claude's", async () => {
      expect((await ccc("glm", "list")).ran[0]?.args.at(-1)).toBe("list");
    });
  });

  test("ccc help provider list is the help of that command", async () => {
    expect((await ccc("help", "provider", "list")).stdout).toBe((await ccc("provider", "list", "--help")).stdout);
  });
});

describe("wrapper", () => {
  describe("the name that ccc was started by", () => {
    const table: [argv0: string, execPath: string, name: string, ...args: string[]][] = [
      ["ccc", "/usr/local/bin/ccc", "ccc-glm", "--as=glm", "-p"],
      ["ccc", "/usr/local/bin/ccc", "ccc", "-p", "--as=glm"],
      ["ccc", "/usr/local/bin/ccc", "ccc"],
      ["./ccc-glm", "/usr/local/bin/ccc", "ccc-glm"],
      ["/home/u/.claude/ccc/bin/ccc-kimi-cn", "/opt/ccc/ccc", "ccc-kimi-cn"],
      ["C:\\Tools\\ccc-glm.exe", "C:\\Tools\\ccc-glm.exe", "ccc-glm"],
      ["claude", "/home/u/bin/ccc-glm", "ccc-glm"],
      ["bun", "/usr/bin/bun", "ccc"],
      ["", "", "ccc"],
      ["cccp", "/bin/ccc", "ccc"],
    ];
    for (const [argv0, execPath, name, ...args] of table) {
      test(`${[argv0, ...args].join(" ")} of ${execPath} is ${name}`, () =>
        expect(startedAs({ argv: ["bun", "ccc", ...args], argv0, execPath })).toBe(name));
    }
  });

  describe("the provider of a link", () => {
    const table: [name: string, provider: string | undefined][] = [
      ["ccc", undefined],
      ["ccc-", undefined],
      ["ccc-glm", "glm"],
      ["ccc-glm-cn", "glm-cn"],
      ["ccc-linux-x64-musl", undefined],
      ["ccc-darwin-arm64", undefined],
      ["ccc-windows-x64", undefined],
      ["ccc-linux", "linux"],
    ];
    for (const [name, provider] of table) test(name, () => expect(linkedProvider(name)).toBe(provider));
  });

  describe("the words that say which Claude Code to run", () => {
    const files = memoryFiles({
      "/ext/native-binary/claude": "claude",
      "C:\\ext\\native-binary\\claude.exe": "claude",
      "/usr/bin/node": "node",
      "/ext/claude-code/cli.js": "script",
      "/project/claude": null,
      "/project/cli.js": "a script of the project's",
      "/ext/claude.md": "a file",
    });
    const table: [words: string[], count: number][] = [
      [["/ext/native-binary/claude", "-p"], 1],
      [["C:\\ext\\native-binary\\claude.exe", "-p"], 1],
      [["/usr/bin/node", "/ext/claude-code/cli.js", "-p"], 2],
      [["node", "/ext/claude-code/cli.js", "-p"], 2],
      [[], 0],
      [["claude", "-p"], 0],
      [["./claude"], 0],
      [["/gone/claude"], 0],
      [["/project/claude"], 0],
      [["/ext/claude.md"], 0],
      [["/review", "/ext/claude-code/cli.js"], 0],
      [["fix", "/ext/claude-code/cli.js"], 0],
      [["node", "/project/cli.js"], 0],
      [["node", "/gone/claude-code/cli.js"], 0],
      [["-p", "/ext/native-binary/claude"], 0],
    ];
    for (const [words, count] of table) {
      test(`${words.join(" ")}: ${count}`, () => expect(claudeWords(words, { files })).toBe(count));
    }
  });
});
