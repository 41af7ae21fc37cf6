import { join } from "node:path";
import type { AnyCommand } from "../commands/arguments.ts";
import { calibrateCommand } from "../commands/calibrate/command.ts";
import { completeWords, completionsCommand } from "../commands/completions.ts";
import { demoCommand } from "../commands/demo.ts";
import { doctorCommand } from "../commands/doctor/command.ts";
import { keyCommand } from "../commands/key.ts";
import { migrateCommand } from "../commands/migrate/command.ts";
import { defaultCommand, pinCommand } from "../commands/pin.ts";
import { offerProvider } from "../commands/provider/add.ts";
import { providerCommand } from "../commands/provider/command.ts";
import { reportCommand } from "../commands/report/command.ts";
import { reviewCommand } from "../commands/review/command.ts";
import { upgradeCommand, versionJson, versionLine } from "../commands/upgrade.ts";
import { usageCommand } from "../commands/usage.ts";
import { useCommand } from "../commands/use/command.ts";
import { validateCommand } from "../commands/validate/command.ts";
import { whyCommand } from "../commands/why/command.ts";
import { checkConfig } from "../config/check.ts";
import { cccPaths } from "../config/paths.ts";
import { CccError, EXIT, errno, messageOf } from "../errors.ts";
import { type CommandName, type HookName, isHook } from "../markers.ts";
import { vendorPresets } from "../providers/preset-list.ts";
import { recordPrompt } from "../supervisor/hooks/prompt.ts";
import { superviseStop, waitAfterFailure } from "../supervisor/hooks/stop.ts";
import { LATE_LAUNCH } from "../supervisor/launch.ts";
import { withoutKnownSecrets } from "../supervisor/secrets.ts";
import { createLog } from "../terminal/dialog.ts";
import { wrap } from "../text/table.ts";
import { optional, type World } from "../world.ts";
import { helpWidth, runCommand } from "./command.ts";
import { type HookAction, runHook } from "./hooks.ts";
import { dispatch, type LateProgram, type OtherRoute } from "./route.ts";

/** Runs one command line and returns its exit code, with all of ccc loaded. */
export function run(world: World): Promise<number> {
  return dispatch(world, () => LATE_PROGRAM);
}

/** What a plain launch does not load. */
const LATE_PROGRAM: LateProgram = {
  ...LATE_LAUNCH,
  checkConfig,
  vendorPresets,
  offerProvider,
  reportError,
  runRoute,
};

function runRoute(wanted: OtherRoute, world: World): number | Promise<number> {
  switch (wanted.kind) {
    case "command":
      return runNamed(wanted.name, wanted.args, world);
    case "help":
      return print(world, fitted(wanted.isWhole ? EVERYTHING + DETAILS : HELP, world));
    case "version":
      return print(world, wanted.json ? versionJson(world) : versionLine(world));
  }
}

function runNamed(name: CommandName, args: readonly string[], world: World): number | Promise<number> {
  if (isHook(name)) return runHook(name, args, world, HOOKS[name]);
  if (name === "supervisor-guard") return print(world, GUARD_HELP);
  if (name === "supervisor-watch") return print(world, WATCH_HELP);
  if (name === "statusline") return print(world, STATUS_HELP);
  if (name === "completions" && args[0] === "complete") return completeWords(args.slice(1), COMMANDS, world);
  return runCommand(COMMANDS[name](world), `ccc ${name}`, args, world);
}

const HOOKS: Readonly<Record<HookName, HookAction>> = {
  "supervisor-hook": superviseStop,
  "supervisor-prompt": recordPrompt,
  "supervisor-failure": waitAfterFailure,
};

/** Rewraps help text for a terminal that is narrower than its lines. */
function fitted(text: string, world: World): string {
  const width = helpWidth(world);
  if (text.split("\n").every((line) => line.length <= width)) return text;
  const [first = "", ...rest] = text.replaceAll(/\n {20,}/g, " ").split("\n\n");
  return [wrap(first.replaceAll("\n", " "), width, 0), ...rest.map((each) => wrap(each, width))].join("\n\n");
}

function print(world: World, text: string): number {
  world.stdout(text);
  return EXIT.ok;
}

function reportError(error: unknown, world: World): number {
  const known = error instanceof CccError ? error : unexpected(error);
  const advice = known.advice ?? optional(() => folderAdvice(known, world));
  const text = advice === undefined ? known.message : `${known.message}\n${advice}`;
  createLog(world).error(withoutKnownSecrets(text, world));
  return known.exitCode;
}

/** Advice for a home that is read-only or partly owned by root. */
function folderAdvice({ message, cause }: CccError, world: World): string | undefined {
  const { folder } = cccPaths(world);
  if (!message.includes(folder) || !["EROFS", "EACCES", "EPERM"].includes(errno(cause) ?? "")) return undefined;
  const isReading = message.startsWith("cannot read ");
  const access = isReading ? "readable and writable for you" : "writable";
  // CCC_CONFIG_DIR does not change where Claude Code's own settings are.
  if (message.includes(join(folder, "settings.json"))) return `Make ${folder} and everything in it ${access}.`;
  if (isReading) return `Make ${folder} and everything in it ${access}, or set CCC_CONFIG_DIR to another folder.`;
  return `Make ${folder} and everything in it writable, or copy ccc.json, if there is one, to a writable folder and set CCC_CONFIG_DIR to that.`;
}

/** A bug in ccc: one line instead of a stack trace. */
function unexpected(error: unknown): CccError {
  return new CccError(`internal error: ${messageOf(error)}`, {
    advice: "Please report it, with the command that you ran.",
  });
}

/** The commands that citty defines. Hooks, the guard and the status line have their own entries, which start faster. */
export const COMMANDS: Record<
  Exclude<CommandName, HookName | "statusline" | "supervisor-guard" | "supervisor-watch">,
  (world: World) => AnyCommand
> = {
  calibrate: calibrateCommand,
  completions: completionsCommand,
  default: defaultCommand,
  demo: demoCommand,
  doctor: doctorCommand,
  key: keyCommand,
  migrate: migrateCommand,
  pin: pinCommand,
  provider: providerCommand,
  report: reportCommand,
  review: reviewCommand,
  upgrade: upgradeCommand,
  usage: usageCommand,
  use: useCommand,
  validate: validateCommand,
  why: whyCommand,
};

/** `ccc --help` fits on the smallest screen. */
const HELP = `ccc runs Claude Code on any Anthropic-compatible provider. With --supervisor it
does not let the agent stop until an independent review says that it is done.

Usage
  ccc [options] [provider] [claude arguments…]

  ccc provider add             add a provider: its address, model and key
  ccc glm                      Claude Code on that provider
  ccc                          the provider of this folder, or the last one used
  ccc glm -p "hi"              everything after the provider goes to claude
  ccc --supervisor glm         the same, with every stop reviewed
  ccc --check "npm test" glm   also, this command must pass before a review
  ccc -c                       continue the last session here, as it was started

  ccc provider                 list the providers; ccc provider --help: the rest
  ccc pin glm                  use glm in this folder; with --only no other one
  ccc use glm                  make plain claude and editors use it, too
  ccc report                   what happened in the last supervised session here
  ccc doctor                   check the setup, and whether the hook fires here
  ccc demo                     watch a review: no key, no network, no cost

All commands and options: ccc help all. One command: ccc help COMMAND
`;

/** `ccc help all` starts with every command and option. */
const EVERYTHING = `ccc runs Claude Code on any Anthropic-compatible provider. With --supervisor it does not let the
agent stop until an independent review says that the work is done.

Usage
  ccc [options] [provider] [claude arguments…]
  ccc                       the provider that this folder is pinned to, else the default, else the
                            last one used; with -c or --resume ID, that of the session
  ccc glm -p "hi"           everything after the provider goes to claude
  ccc mcp list              so do claude's commands, and prompts with a space: ccc "fix the bug"

Options, before the provider
  --supervisor          review every stop (also CCC_SUPERVISOR=1, or supervisor.enabled in ccc.json)
  --no-supervisor       no reviews in this launch, whatever CCC_SUPERVISOR and ccc.json say
  --engine hook|loop    hook (default): in Claude Code. loop: ccc runs agent and reviewer in turn
  --check "COMMAND"     this command must pass before a review; means --supervisor. Repeatable
  --fallback NAME       loop engine: continue on this provider if the agent's fails. Repeatable
  --no-handover         loop engine on a terminal: end with the exit code
  --anyway              use a provider that the folder's pin refuses
  --dry-run             print what would run, secrets masked, and run nothing
  --json                with --dry-run: all of it, as JSON
  -h, --help            show this help (claude's own: ccc glm --help)
  -v, --version         show the version and the build (with --json: for programs)

Providers
  ccc provider …            add, list, show, edit, remove, presets, update, editor
  ccc default [provider]    the provider that plain ccc uses (default: the last one used)
  ccc pin [provider]        the provider of this folder; with --only no other one
  ccc validate [provider]   check address, key and model; --deep: streaming and tools too
  ccc usage [provider]      what is left of a plan or balance, asked of the provider
  ccc why [provider]        which key goes where, and which setting decides
  ccc use [provider]        make plain claude and editors use a provider; --reset undoes it
  ccc migrate               import providers from settings.json and other tools

Supervision
  ccc review [session]      review a session now; the exit code is the verdict
  ccc report [session]      what happened in a supervised session; also as a web page
  ccc calibrate             what a reviewer catches and misses, on cases whose truth is known
  ccc demo                  watch the supervisor work: no key, no network, no cost

Setup
  ccc doctor [provider]     check the setup, and whether the hook fires here
  ccc upgrade               replace this ccc with the newest version
  ccc completions <shell>   completion script for bash, zsh, fish or powershell

Help for one command: ccc help COMMAND
`;

/** Variables that users may set. `ccc help all` prints them; docs/configuration.md repeats them. */
export const ENVIRONMENT: Readonly<Record<string, string>> = {
  CCC_SUPERVISOR: "1 (true, yes, on): review every stop; 0: do not, even if ccc.json says so",
  CCC_CLAUDE: "path or name of the claude to run (default: the first on PATH)",
  CCC_CONFIG_DIR: "folder of ccc.json and of the files that ccc generates",
  CCC_KEYCHAIN: "0: store keys in ccc.json, not in the system keychain",
  CCC_DOWNLOAD_BASE: "where ccc upgrade and install.sh download from, instead of GitHub",
  CLAUDE_CONFIG_DIR: "Claude Code's folder; also that of ccc.json, unless CCC_CONFIG_DIR is set",
  XDG_RUNTIME_DIR: "where a launch puts its settings if ccc.json's folder is read-only",
  NO_COLOR: "any value: no colors, and in the loop engine no spinner and no input line",
  GITHUB_STEP_SUMMARY: "set by GitHub Actions: the loop engine appends its summary to that file",
};

const ENVIRONMENT_ROWS = Object.entries(ENVIRONMENT).map(([name, meaning]) => `  ${name.padEnd(23)}${meaning}`);

/** What `ccc help all` adds. */
const DETAILS = `
Called by Claude Code, not by people
  ccc key <provider>                      print a key; Claude Code calls it when it needs one
  ccc statusline                          print Claude Code's status line; called by Claude Code
  ccc supervisor-hook                     review a stop; called by Claude Code as a hook
  ccc supervisor-prompt                   record starts and prompts; called as a hook
  ccc supervisor-failure                  wait for a usage limit to reset; called as a hook
  ccc supervisor-guard                    check the reviewer's tool calls; called as a hook
  ccc supervisor-watch                    end what ccc runs if ccc is killed; called by ccc itself

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
  claude's own; or 1 failure, 2 usage error, 126 claude cannot be run, 127 claude not found, 130 Ctrl-C, 143 SIGTERM
  --engine loop: 0 done, 1 failure, 2 usage error, 3 review limit reached or no progress, 4 not reviewed, 5 needs you, 6 token budget used up, 127 claude not found, 130 Ctrl-C, 143 SIGTERM
  --supervisor with -p: claude's own; if that is 0, the same 0, 3, 4, 5 or 6, and stderr says why; with --input-format stream-json: claude's own
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
const GUARD_HELP = `Say whether a reviewer may use a tool. Claude Code calls this as a PreToolUse hook in the reviewer's
session, with the event on stdin. It prints {"hookSpecificOutput":…} with "allow" or "deny".

Usage
  ccc supervisor-guard
`;

/** `ccc supervisor-watch` is answered there too. */
const WATCH_HELP = `End the agent, the reviews and the checks of a ccc that was killed. ccc starts this by itself and passes what
it runs on stdin; when stdin ends, whatever still runs is ended.

Usage
  ccc supervisor-watch
`;

/** `ccc statusline` itself is answered in main.ts, before anything else is loaded. */
const STATUS_HELP = `Print one line about a session: provider, model, how much of the context is used, what ccc usage
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
