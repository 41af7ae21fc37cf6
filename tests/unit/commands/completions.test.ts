import { describe, expect, test } from "bun:test";
import { type ArgsDef, defineCommand } from "citty";
import { route } from "../../../src/cli/route.ts";
import { COMMANDS, run } from "../../../src/cli/run.ts";
import { type Definition, define } from "../../../src/commands/arguments.ts";
import { completeWords } from "../../../src/commands/completions.ts";
import { COMMAND_NAMES } from "../../../src/markers.ts";
import { PRESETS } from "../../../src/providers/preset-list.ts";
import type { World } from "../../../src/world.ts";
import { fakeWorld } from "../fakes.ts";

const CONFIG = "/home/u/.claude/ccc.json";
const PROVIDERS = ["glm", "glm-air", "kimi"];
const config = JSON.stringify({ providers: { glm: {}, "glm-air": {}, kimi: {} } });
const SESSION = "aaaaaaaa-0000-4000-8000-000000000001";

/** What is offered for the last word. */
async function offered(words: string[], text: string | null = config, parts: Partial<World> = {}): Promise<string[]> {
  const content = {
    ...(text === null ? {} : { [CONFIG]: text }),
    [`/home/u/.claude/projects/-project/${SESSION}.jsonl`]: "{}",
    "/home/u/.claude/projects/-another/bbbbbbbb-0000-4000-8000-000000000002.jsonl": "{}",
  };
  const argv = ["completions", "complete", String(words.length - 1), ...words];
  const { world, said } = fakeWorld({ content, argv, ...parts });
  expect(await run(world)).toBe(0);
  expect(said.stderr).toBe("");
  const lines = said.stdout.split("\n").slice(0, -1);
  // A description of several lines would be taken for candidates.
  for (const line of lines) expect(line).toMatch(/^(:files|[\w.=-]+\t[^\t]*)$/);
  return lines.map((line) => line.split("\t")[0] ?? "");
}

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
      ["provider", ""],
      ["add", "list", "show", "edit", "update", "remove", "presets", "editor"],
    ],
    [["provider", "set-key", "k"], ["kimi"]],
    [["provider", "rename", "kimi", ""], []],
    [["provider", "edit", "kimi", "--r"], ["--rename"]],
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
    const argv = ["completions", "complete", "1", "--supervisor", "g"];
    const { world, said } = fakeWorld({ argv, content: { [CONFIG]: pinned(false) } });
    await run(world);
    expect(said.stdout).toBe("glm\tProvider\nglm-air\tProvider, pinned here\n");
  });
});

describe("what claude gets is completed by its own help:", () => {
  const HELP_PAGES: Record<string, string> = {
    "": `Options:
  -p, --print  Prints
  --add-dir <folders...>  Folders
  --permission-mode <mode>  Mode (choices: "plan", "auto")
  --suggest [state]  Suggestions (choices: "on", "off")
  -r, --resume [id]  A session
  --model <model>  Model

Commands:
  mcp  Servers (and their tools)
  plugin|plugins  Plugins
`,
    mcp: "Options:\n  -h, --help  Help\n\nCommands:\n  add  Add one\n  list  List them\n",
    "mcp add": 'Options:\n  -s, --scope <scope>  Scope (choices: "user", "local")\n',
    plugin: "Options:\n  -h, --help  Help\n\nCommands:\n  install  Install one\n",
  };

  /** A claude with those pages, and which of them it was asked for. */
  function claude() {
    const asked: string[] = [];
    const run: World["run"] = async ({ program, onLine }) => {
      const page = program.args.slice(0, -1).join(" ");
      asked.push(page);
      const lines = HELP_PAGES[page]?.split("\n") ?? [];
      for (const line of lines) onLine(new TextEncoder().encode(line));
      return { exitCode: lines.length === 0 ? 1 : 0, ending: "exited", stderr: "" };
    };
    return { run, asked };
  }

  const OPTIONS = ["--print", "--add-dir", "--permission-mode", "--suggest", "--resume", "--model"];
  const table: [before: string, current: string, offers: string[]][] = [
    ["", "", ["mcp", "plugin"]],
    ["", "m", ["mcp"]],
    ["", "src/", [":files"]],
    ["", "--", OPTIONS],
    ["-p", "-", OPTIONS],
    ["--permission-mode", "", ["plan", "auto"]],
    ["--permission-mode", "zz", [":files"]],
    ["", "--permission-mode=", ["--permission-mode=plan", "--permission-mode=auto"]],
    ["--model", "", [":files"]],
    ["--model", "-", [":files"]],
    ["--suggest", "", ["on", "off"]],
    ["--suggest", "-", OPTIONS],
    ["--resume", "", [SESSION]],
    ["-r", "aa", [SESSION]],
    ["--add-dir a b", "", [":files"]],
    ["--add-dir a --permission-mode plan", "", ["mcp", "plugin"]],
    ["prompt", "", [":files"]],
    ["prompt", "--", OPTIONS],
    ["prompt mcp", "", [":files"]],
    ["--", "", [":files"]],
    ["mcp", "", ["add", "list"]],
    ["--model x mcp", "l", ["list"]],
    ["mcp", "--", ["--help"]],
    ["plugins", "", ["install"]],
    ["mcp add", "--", ["--scope"]],
    ["mcp add -s", "", ["user", "local"]],
    ["mcp add name", "", [":files"]],
    // A page that claude does not have.
    ["mcp list", "", [":files"]],
  ];
  for (const [before, current, offers] of table) {
    test(`ccc glm ${before} ${current || "''"}`, async () => {
      const words = ["glm", ...before.split(" ").filter(Boolean), current];
      expect(await offered(words, config, { run: claude().run })).toEqual(offers);
    });
  }

  test("also without a provider", async () =>
    expect(await offered(["mcp", ""], config, { run: claude().run })).toEqual(["add", "list"]));

  test("claude is asked only for commands that it lists, by their first names", async () => {
    const { run, asked } = claude();
    await offered(["glm", "plugins", "$(touch x)", "--help", ""], config, { run });
    expect(asked).toEqual(["", "plugin"]);
    const other = claude();
    await offered(["glm", "rm -rf", "mcp", ""], config, { run: other.run });
    expect(other.asked).toEqual([""]);
  });

  test("a candidate comes with the first clause of its description", async () => {
    const argv = ["completions", "complete", "1", "glm", "mc"];
    const { world, said } = fakeWorld({ argv, content: { [CONFIG]: config }, run: claude().run });
    await run(world);
    expect(said.stdout).toBe("mcp\tServers\n");
  });

  test("without claude there are files", async () => {
    const env = { HOME: "/home/u", PATH: "/none" };
    expect(await offered(["glm", ""], config, { run: claude().run, env })).toEqual([":files"]);
  });
});

test("a list of one is offered, too", async () => {
  expect(await offered(["review", "--provider", ""], '{"providers":{"glm":{}}}')).toEqual(["glm"]);
  const child = defineCommand({ meta: { name: "child" } });
  const parent = () => defineCommand({ meta: { name: "parent" }, subCommands: { child } });
  const { world, said } = fakeWorld();
  await completeWords(["1", "parent", ""], { parent }, world);
  expect(said.stdout).toBe("child\t\n");
});

describe("ccc completions", () => {
  const printed = async (...argv: string[]) => {
    const { world, said } = fakeWorld({ argv: ["completions", ...argv] });
    return { exitCode: await run(world), ...said };
  };
  test.each(["bash", "zsh", "fish", "powershell"])("%s prints a script that says how to install it", async (shell) => {
    const { exitCode, stdout, stderr } = await printed(shell);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toContain(`ccc completions ${shell}`);
    expect(stdout).toContain(" completions complete ");
  });
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
  const complete = async (...args: string[]) => {
    const { world, said } = fakeWorld({ argv: ["completions", "complete", ...args], content: { [CONFIG]: config } });
    return { exitCode: await run(world), ...said };
  };
  expect((await complete("1", "why")).stdout).toBe("glm\t\nglm-air\t\nkimi\t\n");
  expect(await complete("x", "why")).toMatchObject({ exitCode: 0, stderr: "" });
  expect(await complete()).toMatchObject({ exitCode: 0, stderr: "" });
});

test("options among the words are not ccc's own", async () => {
  const { world, said } = fakeWorld({ argv: ["completions", "complete", "1", "--help", ""] });
  expect(await run(world)).toBe(0);
  expect(said).toMatchObject({ stderr: "" });
  expect(said.stdout).not.toContain("Usage");
});

describe("completion covers everything:", () => {
  const forPrograms = [
    "key",
    "statusline",
    "supervisor-failure",
    "supervisor-guard",
    "supervisor-hook",
    "supervisor-prompt",
    "supervisor-watch",
  ];
  test("every command for people is offered", async () => {
    const commands = COMMAND_NAMES.filter((name) => !forPrograms.includes(name));
    expect((await offered([""])).toSorted()).toEqual([...PROVIDERS, ...commands].toSorted());
  });
  test("every option before the provider is offered, and is one", async () => {
    const { world, said } = fakeWorld({ argv: ["help", "all"] });
    await run(world);
    const section = said.stdout.split("Options, before the provider\n")[1]?.split("\n\n")[0] ?? "";
    const documented = [...section.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].map(([, name]) => name ?? "");
    const options = await offered(["--"]);
    expect(options.toSorted()).toEqual(documented.toSorted());
    for (const name of options) {
      const [word = name] = await offered([`${name}=`]);
      const wanted = route([word], { providers: () => [], presets: () => [] });
      expect([word, wanted.kind === "launch" ? wanted.launch.args : []]).toEqual([word, []]);
    }
  });
  test("every subcommand and every option of every command is offered", async () => {
    const optionsOf = (args: ArgsDef) =>
      Object.entries(args).flatMap(([name, { type }]) => (type === "positional" ? [] : [`--${name}`]));
    const visit = async ({ children, args }: Definition, path: string[]): Promise<void> => {
      expect(await offered([...path, "-"])).toEqual([...optionsOf(args), "--help"]);
      for (const child of children) {
        expect((await offered([...path, ""])).includes(child.name)).toBe(!child.isHidden);
        await visit(child, [...path, child.name]);
      }
    };
    const { world } = fakeWorld();
    for (const [name, command] of Object.entries(COMMANDS)) {
      if (!forPrograms.includes(name)) await visit(await define(command(world)), [name]);
    }
  });
});
