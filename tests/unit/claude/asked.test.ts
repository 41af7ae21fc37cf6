import { describe, expect, test } from "bun:test";
import { parseHelpPage } from "../../../src/claude/asked.ts";

/** In the layout of Claude Code 2.1.325. */
const TEXT = `Usage: claude [options] [command] [prompt]

Claude Code - starts an interactive session by default, use -p/--print for
non-interactive output

Arguments:
  prompt                                Your prompt

Options:
  --add-dir <directories...>            Additional directories to allow tool
                                        access to
  --allowedTools, --allowed-tools <tools...>
      Comma or space-separated list of tool names to allow (e.g. "Bash(git *)
      Edit")
  -c, --continue                        Continue the most recent conversation
  -d, --debug [filter]                  Enable debug mode (e.g., --debug=hooks)
  --effort <level>                      Effort level for the current session
                                        (low, medium, high, xhigh, max)
  --exclude-dynamic-system-prompt-sections
      Move sections (cwd, env info, memory paths) elsewhere (default: false)
  --output-format <format>              Output format (only works with --print):
                                        "text" (default), or "json" (choices: "text",
                                        "stream-json", default: "text")
  --autocompact <auto|tokens>           Window size (auto, or 100k–1M tokens)
  --odd one                             not an option as we know it

Commands:
  add [options] <name> <commandOrUrl> [args...]
      Add an MCP server
  plugin|plugins                        Manage Claude Code plugins
  $(touch x)                            \u001b[31mnot a command\u001b[0m
`;

describe("parseHelpPage", () => {
  const { options, commands } = parseHelpPage(TEXT);
  const table: [name: string, takes: string, choices: string[]][] = [
    ["--add-dir", "many", []],
    ["--allowedTools", "many", []],
    ["--continue", "none", []],
    ["--debug", "optional", []],
    ["--effort", "one", ["low", "medium", "high", "xhigh", "max"]],
    ["--exclude-dynamic-system-prompt-sections", "none", []],
    ["--output-format", "one", ["text", "stream-json"]],
    ["--autocompact", "one", []],
  ];
  test("options, with what they take and the values that are listed", () =>
    expect(options.map(({ names, takes, choices }) => [names[0] ?? "", takes, choices])).toEqual(table));
  test("all names of an option, the long ones first", () => {
    expect(options.map(({ names }) => names).slice(1, 4)).toEqual([
      ["--allowedTools", "--allowed-tools"],
      ["--continue", "-c"],
      ["--debug", "-d"],
    ]);
  });
  test("descriptions of several lines", () =>
    expect(options[0]?.description).toBe("Additional directories to allow tool access to"));
  test("commands, with their other names", () =>
    expect(commands).toEqual([
      { names: ["add"], description: "Add an MCP server" },
      { names: ["plugin", "plugins"], description: "Manage Claude Code plugins" },
    ]));
  for (const text of ["", "error: unknown option", "Options:", "Options:\n\n\nCommands:\n \n"])
    test(`nothing is found in ${JSON.stringify(text)}`, () =>
      expect(parseHelpPage(text)).toEqual({ options: [], commands: [] }));
});
