import { expect, test } from "bun:test";
import {
  compareSurfaces,
  helpCommands,
  helpOptions,
  hookEventsIn,
  type Surface,
  settingsIn,
  variablesIn,
} from "../../../scripts/claude/surface.ts";

const HELP = `Usage: claude [options] [command] [prompt]

Options:
  -p, --print               Print response and exit
                            (with more text)
  --settings <file>         Settings
  --bg

Commands:
  mcp                       Configure MCP servers
  plugin|plugins [options]  Manage plugins
`;

test("options and commands of --help", () => {
  expect(helpOptions(HELP)).toEqual(["--bg", "--settings <file>", "-p, --print"]);
  expect(helpCommands(HELP)).toEqual(["mcp", "plugin|plugins"]);
});

test("hook events are the longest list of them", () =>
  expect(hookEventsIn('x=["PreToolUse","Stop"],y=["PreToolUse","StopFailure","Stop"];z=["PreToolUse","a.b"]')).toEqual([
    "PreToolUse",
    "Stop",
    "StopFailure",
  ]));

test("variables are those in the source, not in compiled code, where other letters follow them", () =>
  expect(
    variablesIn(
      'process.env.ANTHROPIC_API_KEY,i("CLAUDE_CODE_X2"),.CLAUDE_CODE_,\0CLAUDE_CODE_COMPILEDA CLAUDE_CODE_X2',
    ),
  ).toEqual(["ANTHROPIC_API_KEY", "CLAUDE_CODE_X2"]));

test("settings are the fields of the schema, with those of objects in it, up to its end", () => {
  const schema =
    '{$schema:s().describe("JSON Schema reference for Claude Code settings"),apiKeyHelper:()=>o().optional().describe("a, b:{c:1}"),' +
    'statusLine:()=>u({type:T("command"),padding:E()}).optional(),list:a(["x","y"]),hooks:h()}),other:{after:1}';
  expect(settingsIn(schema)).toEqual([
    ...["apiKeyHelper", "hooks", "list", "statusLine", "statusLine.padding", "statusLine.type"],
  ]);
});

const SAME = ["one"];
const before: Surface = {
  version: "1.0.0",
  options: ["--a", "--b"],
  commands: SAME,
  hookEvents: ["Stop"],
  settings: [],
  variables: SAME,
  tools: SAME,
  betas: SAME,
  fields: SAME,
};

test("a comparison names what came and went, what could not be read, and what stayed", () => {
  const after = { ...before, version: "1.1.0", options: ["--b", "--c`d"], hookEvents: ["Stop", "StopFailure"] };
  expect(compareSurfaces(before, after)).toBe(`# Claude Code 1.0.0 → 1.1.0

## Options in \`--help\` (2 → 2)

- removed: \`--a\`
- added: \`--c'd\`

## Hook events (1 → 2)

- added: \`StopFailure\`

## Settings (0 → 0)

- not found in the old version

Unchanged: Commands in \`--help\` (1 → 1), Environment variables (1 → 1), Tools in the first request (1 → 1), Betas in the first request (1 → 1), Fields of the first request (1 → 1).

`);
});
