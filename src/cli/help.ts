import type { ArgDef } from "citty";
import type { Definition } from "../commands/shared.ts";
import { wrap } from "../text/table.ts";

/**
 * The help of the command `path`. Plain paragraphs of its description come first. Sections (a title with indented lines
 * below) come last, unchanged.
 */
export function renderHelp(definition: Definition, path: string, width = HELP_WIDTH): string {
  const paragraphs = definition.description.split("\n\n");
  const isSection = (paragraph: string) => paragraph.includes("\n  ");
  const { args, children } = definition;
  const parts = [
    ...paragraphs.filter((each) => !isSection(each)).map((each) => filled(each, width)),
    `Usage\n  ${usageLine(definition, path, width - 2)}`,
    table("Arguments", entries(args, true), width),
    table("Commands", children.map(childRow), width),
    table("Options", [...entries(args, false), ["-h, --help", "show this help"]], width),
    ...paragraphs.filter(isSection),
    ...(children.length === 0 ? [] : [`Help for one command: ${path} <command> --help`]),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

export const HELP_WIDTH = 100;

/** How to call a command, in one line. Options that do not fit become "[options]". */
export function usageLine({ args, children }: Definition, path: string, width = HELP_WIDTH): string {
  if (children.length > 0) return `${path} ${children.map(({ name }) => name).join("|")} …`;
  const all = Object.entries(args);
  const options = all.filter(([, { type }]) => type !== "positional").map((each) => `[${label(...each)}]`);
  const positionals = all.filter(([, { type }]) => type === "positional").map((each) => bracketed(...each));
  const line = [path, ...options, ...positionals].join(" ");
  return line.length <= width ? line : [path, "[options]", ...positionals].join(" ");
}

type Row = readonly [left: string, right: string];

function entries(args: Definition["args"], positional: boolean): Row[] {
  const wanted = Object.entries(args).filter(([, { type }]) => (type === "positional") === positional);
  return wanted.map(([name, argument]) => [label(name, argument), described(argument)]);
}

function label(name: string, { type, valueHint, ...argument }: ArgDef): string {
  if (type === "positional") return valueHint ?? name;
  if (type === "boolean") return `--${name}`;
  const values = "options" in argument ? argument.options?.join("|") : undefined;
  return `--${name} ${valueHint ?? values ?? name.toUpperCase()}`;
}

function bracketed(name: string, argument: ArgDef): string {
  const text = label(name, argument);
  if (argument.required === false) return `[${text}]`;
  return text.includes("|") ? text : `<${text}>`;
}

function described({ type, description = "", default: value }: ArgDef): string {
  return value === undefined || type === "boolean" ? description : `${description} (default: ${value})`;
}

function childRow({ name, summary }: Definition): Row {
  return [name, summary.charAt(0).toLowerCase() + summary.slice(1)];
}

function table(title: string, rows: readonly Row[], width: number): string {
  if (rows.length === 0) return "";
  const indent = 2 + Math.max(...rows.map(([left]) => left.length)) + 4;
  const lines = rows.flatMap(([left, right]) => {
    const [first = "", ...rest] = wrap(right.replaceAll(/\s+/g, " "), Math.max(width - indent, NARROWEST), 0).split(
      "\n",
    );
    return [`  ${left}`.padEnd(indent) + first, ...rest.map((line) => " ".repeat(indent) + line)];
  });
  return [title, ...lines].join("\n");
}

const NARROWEST = 24;

function filled(text: string, width: number): string {
  return wrap(text.replaceAll(/\s+/g, " "), width, 0);
}

/** `ccc --help`, on one screen. */
export const HELP = `ccc runs Claude Code on any Anthropic-compatible provider. With --supervisor it does not let the
agent stop until an independent review says that the work is done.

Usage
  ccc [options] [provider] [claude arguments…]
  ccc                       the provider that this folder is pinned to, else the last one named,
                            else the first in ccc.json; with -c or --resume ID, that of the session
  ccc glm -p "hi"           everything after the provider goes to claude
  ccc mcp list              so does a first word that is neither a provider nor a command of ccc

Options, before the provider
  --supervisor          review every stop (also CCC_SUPERVISOR=1, or supervisor.enabled in ccc.json)
  --no-supervisor       no reviews in this launch, whatever CCC_SUPERVISOR and ccc.json say
  --engine hook|loop    hook (default): in Claude Code. loop: ccc runs agent and reviewer in turn
  --check "COMMAND"     this command must pass before a review. Repeatable
  --no-handover         loop engine on a terminal: end with the exit code
  --anyway              use a provider that the folder's pin refuses
  --dry-run             print what would run, secrets masked, and run nothing
  --json                with --dry-run: all of it, as JSON
  -h, --help            show this help (claude's own: ccc glm --help)
  -v, --version         show the version and the build

Providers
  ccc provider …            add, list, show, remove, presets, set-key, edit, rename, update, editor
  ccc pin [provider]        the provider of this folder; with --only no other one
  ccc validate [provider]   check address, key and model; --deep: streaming and tools too
  ccc usage [provider]      what is left of a plan or balance, asked of the provider
  ccc why [provider]        which key goes where, and which setting decides
  ccc use [provider]        make plain claude and editors use a provider; --reset undoes it
  ccc migrate               take over providers from settings.json and other tools

Supervision
  ccc review [session]      review a session now; the exit code is the verdict
  ccc report [session]      what happened in a supervised session; also as a web page
  ccc calibrate             what a reviewer catches and misses, on cases whose truth is known
  ccc demo                  watch the supervisor work: no key, no network, no cost

Setup
  ccc doctor [provider]     check the setup, and whether the hook fires here
  ccc upgrade               replace this ccc with the newest version
  ccc completions <shell>   completion script for bash, zsh, fish or powershell
  ccc version               show the version, with --json for programs

Help for one command: ccc help COMMAND. Files, environment, exit codes, an example: ccc help all
`;

/** Variables that users may set. `ccc help all` prints them; docs/configuration.md repeats them. */
export const ENVIRONMENT: Readonly<Record<string, string>> = {
  CCC_SUPERVISOR: "1 (true, yes, on): review every stop; 0: do not, even if ccc.json says so",
  CCC_CLAUDE: "path or name of the claude to run (default: the first on PATH)",
  CCC_CONFIG_DIR: "folder of ccc.json and of the files that ccc generates",
  CCC_KEYCHAIN: "0: store keys in ccc.json, not in the system keychain",
  CCC_DOWNLOAD_BASE: "where ccc upgrade and install.sh download from, instead of GitHub",
  CLAUDE_CONFIG_DIR: "Claude Code's folder; also that of ccc.json, unless CCC_CONFIG_DIR is set",
  NO_COLOR: "any value: no colors, and in the loop engine no spinner and no input line",
  GITHUB_STEP_SUMMARY: "set by GitHub Actions: the loop engine appends its summary to that file",
};

const ENVIRONMENT_ROWS = Object.entries(ENVIRONMENT).map(([name, meaning]) => `  ${name.padEnd(23)}${meaning}`);

/** What `ccc help all` shows below it. */
export const DETAILS = `
Called by Claude Code, not by people
  ccc key <provider>                      print a key; Claude Code calls it when it needs one
  ccc statusline                          print Claude Code's status line; called by Claude Code
  ccc supervisor-hook                     review a stop; called by Claude Code as a hook
  ccc supervisor-prompt                   record starts and prompts; called as a hook
  ccc supervisor-failure                  wait for a usage limit to reset; called as a hook
  ccc supervisor-guard                    check the reviewer's tool calls; called as a hook

Claude Code's own commands
  ccc update and ccc install are Claude Code's own. To update ccc itself: ccc upgrade

Files
  ~/.claude/ccc.json         providers and shared settings (in $CCC_CONFIG_DIR or
                             $CLAUDE_CONFIG_DIR, if one is set)
  ~/.claude/ccc/             generated settings, records of supervised sessions and calibrations; a
                             launch never changes your own settings.json
  ~/.claude/SUPERVISOR.md    instructions for the reviewer; a project's ./SUPERVISOR.md wins
  ./.claude/ccc/             in a supervised project: state, every review, and a log

Environment
${ENVIRONMENT_ROWS.join("\n")}

Exit codes
  claude's own; or 1 failure, 2 usage error, 126 claude cannot be run, 127 claude not found,
  130 Ctrl-C, 143 SIGTERM
  --engine loop: 0 done, 1 failure, 2 usage error, 3 review limit reached or no progress,
  4 not reviewed, 5 needs you, 6 token budget used up, 127 claude not found, 130 Ctrl-C,
  143 SIGTERM
  --supervisor with -p: claude's own; if that is 0, the same 0, 3, 4, 5 or 6, and stderr says why
  ccc review: 0 done, 3 not done, 4 not reviewed, 5 needs you
  ccc calibrate: 0 whatever the figures are, 1 a provider was stopped early, 4 no verdict at all

Example of ccc.json (\`ccc provider add\` also writes the preset's models and settings)
  {
    "providers": {
      "glm": {
        "env": {
          "ANTHROPIC_BASE_URL": "https://api.z.ai/api/anthropic",
          "ANTHROPIC_AUTH_TOKEN": "env:GLM_API_KEY"
        }
      }
    }
  }
  A key can be the key itself or a reference: env:NAME, file:PATH, cmd:COMMAND, keychain:NAME
`;

/** `ccc supervisor-guard` is answered in main.ts, before anything else is loaded. */
export const GUARD_HELP = `Say whether a reviewer may use a tool. Claude Code calls this as a PreToolUse hook in the reviewer's
session, with the event on stdin. It prints {"hookSpecificOutput":…} with "allow" or "deny".

Usage
  ccc supervisor-guard
`;

/** `ccc statusline` itself is answered in main.ts, before anything else is loaded. */
export const STATUS_HELP = `Print one line about a session: provider, model, how much of the context is used, what ccc usage
last found out, and what the supervisor does or last said. It does not use the network.
Claude Code calls this as its status line, with the session on stdin. ccc sets it up in every
session that it starts in a terminal, unless you have a status line of your own; to call it from
yours, pass on what Claude Code gave you on stdin.

Usage
  ccc statusline [--provider NAME] [--config-dir FOLDER] [--supervisor | --no-supervisor]

Options
  --provider NAME       the provider to show (default: that of the session's record, if it has one)
  --config-dir FOLDER   the folder of ccc.json, where the session's record is
  --supervisor          the session was started with supervision (default: as its record says)
  --no-supervisor       it was started without
  -h, --help            show this help

NO_COLOR=1 switches colors off. The exit code is always 0.
`;
