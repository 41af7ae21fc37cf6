import { describe, expect, test } from "bun:test";
import type { HelpOption, HelpPage } from "../../../../src/claude/asked.ts";
import { route } from "../../../../src/cli/route.ts";
import { COMMANDS, run } from "../../../../src/cli/run.ts";
import { SCRIPTS } from "../../../../src/commands/completions/command.ts";
import {
  type CommandNode,
  type CompletionData,
  complete,
  completeClaude,
  completeWords,
  OPTIONS,
  readTree,
} from "../../../../src/commands/completions/complete.ts";
import { COMMAND_NAMES } from "../../../../src/config/command-line.ts";
import { PRESETS } from "../../../../src/providers/preset-list.ts";
import type { World } from "../../../../src/world.ts";
import { fakeWorld } from "../../fakes.ts";

describe("complete claude", () => {
  const option = (names: string, takes: HelpOption["takes"], ...choices: string[]): HelpOption => ({
    names: names.split(" "),
    description: "Does this, and that",
    takes,
    choices,
  });
  const command = (...names: string[]) => ({ names, description: "A command (of claude)" });

  const PAGES: Record<string, HelpPage> = {
    "": {
      options: [
        option("--print -p", "none"),
        option("--add-dir", "many"),
        option("--permission-mode", "one", "plan", "auto"),
        option("--suggest", "optional", "on", "off"),
        option("--resume -r", "optional"),
        option("--model", "one"),
      ],
      commands: [command("mcp"), command("plugin", "plugins")],
    },
    mcp: { options: [option("--help -h", "none")], commands: [command("add"), command("list")] },
    "mcp add": { options: [option("--scope -s", "one", "user", "local")], commands: [] },
    plugin: { options: [option("--help -h", "none")], commands: [command("install")] },
  };

  async function offered(before: string[], current: string) {
    const asked: string[] = [];
    const read = async (subcommand: readonly string[]) => {
      asked.push(subcommand.join(" "));
      return PAGES[subcommand.join(" ")];
    };
    const found = await completeClaude(before, current, read, ["session-1"]);
    return { values: found === "files" ? "files" : found.map(({ value }) => value), asked };
  }

  describe("completeClaude", () => {
    const OPTIONS = ["--print", "--add-dir", "--permission-mode", "--suggest", "--resume", "--model"];
    const table: [before: string, current: string, offers: string[] | "files"][] = [
      ["", "", ["mcp", "plugin"]],
      ["", "src/", "files"],
      ["", "--", OPTIONS],
      ["-p", "-", OPTIONS],
      ["--permission-mode", "", ["plan", "auto"]],
      ["--permission-mode", "zz", "files"],
      ["", "--permission-mode=", ["--permission-mode=plan", "--permission-mode=auto"]],
      ["--model", "", "files"],
      ["--model", "-", "files"],
      ["--suggest", "", ["on", "off"]],
      ["--suggest", "-", OPTIONS],
      ["--resume", "", ["session-1"]],
      ["-r", "se", ["session-1"]],
      ["--add-dir a b", "", "files"],
      ["--add-dir a --permission-mode plan", "", ["mcp", "plugin"]],
      ["prompt", "", "files"],
      ["prompt", "--", OPTIONS],
      ["prompt mcp", "", "files"],
      ["--", "", "files"],
      ["mcp", "", ["add", "list"]],
      ["--model x mcp", "l", ["add", "list"]],
      ["mcp", "--", ["--help"]],
      ["plugins", "", ["install"]],
      ["mcp add", "--", ["--scope"]],
      ["mcp add -s", "", ["user", "local"]],
      ["mcp add name", "", "files"],
      // A page that claude does not give.
      ["mcp list", "", "files"],
    ];
    for (const [before, current, offers] of table)
      test(`${before} ${current || "…"}`, async () =>
        expect((await offered(before.split(" ").filter(Boolean), current)).values).toEqual(offers));

    test("claude is asked only for commands that it lists, by their first names", async () => {
      expect((await offered(["plugins", "$(touch x)", "--help"], "")).asked).toEqual(["", "plugin"]);
      expect((await offered(["rm -rf", "mcp"], "")).asked).toEqual([""]);
    });

    test("a candidate comes with the first clause of its description", async () => {
      const found = await completeClaude([], "mc", async () => PAGES[""], []);
      expect(found[0]).toEqual({ value: "mcp", description: "A command" });
    });
  });
});

describe("complete", () => {
  const config = JSON.stringify({ providers: { glm: {}, "glm-air": {}, kimi: {} } });

  const SESSION = "aaaaaaaa-0000-4000-8000-000000000001";

  /** What is offered for the last word. */
  async function offered(words: string[], text: string | null = config, parts: Partial<World> = {}): Promise<string[]> {
    const content = {
      ...(text === null ? {} : { "/home/u/.claude/ccc.json": text }),
      [`/home/u/.claude/projects/-project/${SESSION}.jsonl`]: "{}",
      "/home/u/.claude/projects/-another/bbbbbbbb-0000-4000-8000-000000000002.jsonl": "{}",
    };
    const { world, said } = fakeWorld({ content, ...parts });
    expect(await completeWords([String(words.length - 1), ...words], COMMANDS, world)).toBe(0);
    expect(said.stderr).toBe("");
    const lines = said.stdout.split("\n").slice(0, -1);
    // A description of several lines would be taken for candidates.
    for (const line of lines) expect(line).toMatch(/^(:files|[\w.=-]+\t[^\t]*)$/);
    return lines.map((line) => line.split("\t")[0] ?? "");
  }

  const PROVIDERS = ["glm", "glm-air", "kimi"];

  describe("completes", () => {
    const table: [words: string[], offers: string[]][] = [
      [["g"], ["glm", "glm-air"]],
      [["x"], []],
      [
        ["calibrate", "--cases", "re"],
        ["red-tests", "region"],
      ],
      [["calibrate", "--cases", "./my"], [":files"]],
      [["--supervisor", ""], PROVIDERS],
      [["--engine", "loop", "k"], ["kimi"]],
      [["--engine=loop", ""], PROVIDERS],
      [["--engine", "=", "loop", ""], PROVIDERS],
      [
        ["--engine", ""],
        ["hook", "loop"],
      ],
      [
        ["--engine", "="],
        ["hook", "loop"],
      ],
      [["--engine", "=", "l"], ["loop"]],
      [["--engine=h"], ["--engine=hook"]],
      [["--supervisor", "--d"], ["--dry-run"]],
      [["glm", ""], [":files"]],
      [["glm", "--mo"], [":files"]],
      [["glm", "-p", "--engine", ""], [":files"]],
      [["--supervisor", "glm", "provider", ""], [":files"]],
      [["fix the bug", ""], [":files"]],
      [
        ["provider", "s"],
        ["show", "set-key"],
      ],
      [["provider", "set-key", "k"], ["kimi"]],
      [["provider", "rename", "kimi", ""], []],
      [["provider", "show", ""], PROVIDERS],
      [["provider", "show", "--json", "k"], ["kimi"]],
      [["provider", "show", "kimi", ""], []],
      [
        ["provider", "remove", "kimi", "--"],
        ["--yes", "--help"],
      ],
      [["provider", "add", "kimi-c"], PRESETS.map(({ name }) => name).filter((name) => name.startsWith("kimi-c"))],
      [["provider", "add", "--token-ref", ""], [":files"]],
      [["provider", "add", "--preset", ""], PRESETS.map(({ name }) => name)],
      [["provider", "add", "--preset=ollam"], ["--preset=ollama"]],
      [
        ["provider", "add", "--store", ""],
        ["keychain", "file"],
      ],
      [["provider", "nothing", ""], []],
      [["review", ""], [SESSION]],
      [["review", "--check", "true", "aaaa"], [SESSION]],
      [["review", SESSION, "--provider", "k"], ["kimi"]],
      [
        ["review", "--context", ""],
        ["auto", "session", "fresh"],
      ],
      [["validate", "--a"], ["--all"]],
      [
        ["validate", "--timeout", "3", "g"],
        ["glm", "glm-air"],
      ],
      [["why", "k"], ["kimi"]],
      [["doctor", "--json", "k"], ["kimi"]],
      [["demo", "--engine", "h"], ["hook"]],
      [["demo", ""], []],
      [
        ["completions", ""],
        ["bash", "zsh", "fish", "powershell"],
      ],
    ];
    for (const [words, offers] of table) {
      test(`ccc ${words.map((word) => word || "''").join(" ")}`, async () =>
        expect(await offered(words)).toEqual(offers));
    }
  });

  describe("prints no error and still completes commands if ccc.json is", () => {
    for (const [name, text] of [
      ["missing", null],
      ["broken", "{"],
      ["wrong", '{"providers":[]}'],
    ] as const) {
      test(name, async () => {
        expect(await offered([""], text)).toContain("validate");
        expect(await offered(["why", ""], text)).toEqual([]);
      });
    }
  });

  describe("in a folder that is pinned", () => {
    const pinned = (only: boolean) =>
      JSON.stringify({
        providers: { glm: {}, "glm-air": {}, kimi: {} },
        folders: { "/project": { provider: "glm-air", only } },
      });
    test.each([
      [["--supervisor", ""], true, ["glm-air"]],
      [["--anyway", ""], true, PROVIDERS],
      [["--supervisor", ""], false, PROVIDERS],
    ])("%j, strictly: %p", async (words, only, offers) => expect(await offered(words, pinned(only))).toEqual(offers));

    test("its provider is marked", async () => {
      const { world, said } = fakeWorld({ content: { "/home/u/.claude/ccc.json": pinned(false) } });
      await completeWords(["1", "--supervisor", "g"], COMMANDS, world);
      expect(said.stdout).toBe("glm\tProvider\nglm-air\tProvider, pinned here\n");
    });
  });

  describe("what claude gets is completed by its own help", () => {
    const HELP_OF: Record<string, string> = {
      "--help": "Options:\n  -h, --help  Help\n\nCommands:\n  mcp  Servers\n",
      "mcp --help": "Options:\n  -h, --help  Help\n\nCommands:\n  list  List them\n",
    };
    const run: World["run"] = async ({ program, onLine }) => {
      for (const line of (HELP_OF[program.args.join(" ")] ?? "").split("\n")) onLine(new TextEncoder().encode(line));
      return { exitCode: 0, ending: "exited", stderr: "" };
    };
    test.each([
      [["glm", ""], ["mcp"]],
      [["glm", "mcp", ""], ["list"]],
      [["mcp", ""], ["list"]],
    ])("ccc %j", async (words, offers) => expect(await offered(words, config, { run })).toEqual(offers));

    test("without claude there are files", async () =>
      expect(await offered(["glm", ""], config, { run, env: { HOME: "/home/u", PATH: "/none" } })).toEqual([":files"]));
  });

  test("a list of one is offered, too", async () => {
    expect(await offered(["review", "--provider", ""], '{"providers":{"glm":{}}}')).toEqual(["glm"]);
    const node = { name: "", description: "", options: [], positionals: [], children: [] };
    const known: CompletionData = {
      commands: [
        { ...node, name: "parent", children: [{ ...node, name: "child" }] },
        { ...node, name: "shell", positionals: [{ name: "shell", values: ["bash"] }] },
      ],
      ...{ providers: [], pin: undefined, presets: [], sessions: [], cases: () => [] },
      completeClaude: async () => [],
    };
    expect(await complete(["parent", ""], 1, known)).toEqual([{ value: "child", description: "" }]);
    expect(await complete(["shell", ""], 1, known)).toEqual([{ value: "bash", description: "" }]);
  });

  describe("ccc completions", () => {
    const printed = async (...argv: string[]) => {
      const { world, said } = fakeWorld({ argv: ["completions", ...argv] });
      return { exitCode: await run(world), ...said };
    };
    test.each(Object.entries(SCRIPTS))("%s prints its script", async (shell, script) =>
      expect(await printed(shell)).toEqual({ exitCode: 0, stdout: script, stderr: "" }),
    );
    test.each([
      [["tcsh"], 'unsupported shell "tcsh"'],
      [[], "the shell is missing"],
    ])("%j is a usage error", async (argv, says) => {
      const { exitCode, stdout, stderr } = await printed(...argv);
      expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
      expect(stderr).toContain(says);
    });
  });

  test("a missing word and an invalid index are harmless", async () => {
    const { world, said } = fakeWorld({ content: { "/home/u/.claude/ccc.json": config } });
    await completeWords(["1", "why"], COMMANDS, world);
    expect(said.stdout).toBe("glm\t\nglm-air\t\nkimi\t\n");
    expect(await completeWords(["x", "why"], COMMANDS, world)).toBe(0);
    expect(await completeWords([], COMMANDS, world)).toBe(0);
  });

  describe("completion covers everything:", () => {
    const forPrograms = [
      "key",
      "statusline",
      "supervisor-failure",
      "supervisor-guard",
      "supervisor-hook",
      "supervisor-prompt",
    ];
    test("every command for people is offered", async () => {
      const commands = COMMAND_NAMES.filter((name) => !forPrograms.includes(name));
      expect((await offered([""])).toSorted()).toEqual([...PROVIDERS, ...commands].toSorted());
    });
    test("every option before the provider is offered, and is one", async () => {
      const { world, said } = fakeWorld({ argv: ["--help"] });
      await run(world);
      const options = said.stdout.split("Options, before the provider\n")[1]?.split("\n\n")[0] ?? "";
      const told = [...options.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].map(([, name]) => name ?? "");
      expect((await offered(["--"])).toSorted()).toEqual(told.toSorted());
      for (const { name, values = [] } of OPTIONS) {
        const wanted = route([name, ...values.slice(0, 1)], { providers: () => [], presets: () => [] });
        expect([name, wanted.kind === "launch" ? wanted.launch.args : []]).toEqual([name, []]);
      }
    });
    test("every subcommand and every option of every command is offered", async () => {
      const visit = async ({ children, options }: CommandNode, path: string[]): Promise<void> => {
        expect(await offered([...path, "-"])).toEqual([...options.map(({ name }) => name), "--help"]);
        for (const child of children) {
          expect(await offered([...path, ""])).toContain(child.name);
          await visit(child, [...path, child.name]);
        }
      };
      const { world } = fakeWorld();
      for (const [name, command] of Object.entries(COMMANDS)) {
        if (!forPrograms.includes(name)) await visit(await readTree(command(world)), [name]);
      }
    });
  });

  test("options among the words are not ccc's own", async () => {
    const { world, said } = fakeWorld({ argv: ["completions", "complete", "1", "--help", ""] });
    expect(await run(world)).toBe(0);
    expect(said).toMatchObject({ stderr: "" });
    expect(said.stdout).not.toContain("Usage");
  });
});
