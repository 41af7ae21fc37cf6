/** What claude's arguments mean. ccc passes them on unchanged; this only reads them. */
import { usageError } from "../errors.ts";

/** In characters. Linux refuses arguments of more than 128 KiB, and a character may take four bytes. */
export const LONGEST_ARGUMENT = 30_000;

/** With this option a session is not saved. */
export const NOT_PERSISTED = "--no-session-persistence";

/** Names the command in Claude Code's last line, "Resume this session with: claude --resume …", in versions with `resumeCommand`. */
export const RESUME_COMMAND = "CLAUDE_CODE_RESUME_HINT_COMMAND";

/** Claude's arguments, parsed. */
export interface ClaudeArguments {
  /** Everything but the prompt, unchanged. */
  readonly options: readonly string[];
  readonly prompt: string | undefined;
}

/** Separates the prompt from the options. An unknown option is assumed to take one value. */
export function parseClaudeArguments(args: readonly string[]): ClaudeArguments {
  const words = beforeDoubleDash(args);
  const parts = partsOf(words);
  const options = parts.filter(isOption).flat();
  const positional = [...args.slice(words.length + 1), ...parts.filter((part) => !isOption(part)).flat()];
  if (positional.length > 1)
    throw usageError(`unexpected argument "${positional[1]}": claude takes one prompt`, "Put the prompt in quotes.");
  return { options, prompt: positional[0] };
}

/** The options among claude's arguments, without their values. */
export function optionsIn(args: readonly string[]): string[] {
  return partsOf(beforeDoubleDash(args))
    .filter(isOption)
    .map(([word = ""]) => word);
}

/** What claude's arguments start. */
interface ClaudeStart {
  /** Claude answers once and exits. It starts no service for background sessions. */
  readonly isPrint: boolean;
  /** Claude only prints its help or its version. */
  readonly isInquiry: boolean;
  /** Claude starts a background session and exits. */
  readonly isBackground: boolean;
  /** Claude runs no session that could be supervised. `claude agents` starts some, unless it only lists them. */
  readonly isSubcommand: boolean;
  /** Claude runs no session itself: a subcommand, `agents` included. */
  readonly isNamed: boolean;
  /** Claude answers in a JSON schema, and then ignores the feedback of Stop hooks. */
  readonly isInSchema: boolean;
  /** A program talks to claude: it writes JSON to claude's stdin for as long as it wants. */
  readonly isClient: boolean;
  /** `--settings` may come before these arguments. */
  readonly takesSettings: boolean;
  /** A session in the terminal: none of the above, and not for a program that reads JSON. */
  readonly isTerminal: boolean;
  /** The session to continue. Undefined for a new one, and if Claude Code is to ask which one. */
  readonly resumed: ResumedSession | undefined;
  /** Whether the session is saved. If not, it can be neither resumed nor reviewed. */
  readonly isPersisted: boolean;
  /** The option that turns off all hooks, if there is one. */
  readonly hookless: string | undefined;
}

export function claudeStart(args: readonly string[]): ClaudeStart {
  const words = beforeDoubleDash(args);
  const [first = ""] = args;
  const isPrint = words.some((word) => word === "--print" || /^-[chpv]*p/.test(word));
  const isInquiry = words.some((word) => word === "--help" || word === "--version" || /^-[cp]*[hv]/.test(word));
  const isBackground = words.includes("--bg") || words.includes("--background");
  const takesSettings = !FIRST_ONLY.has(first);
  const subcommand = takesSettings ? subcommandIn(args, words, isPrint) : first;
  const isNamed = subcommand !== undefined;
  const isForPrograms = words.some((word) => /^--(input|output)-format(=|$)/.test(word));
  const isTerminal = !(isPrint || isInquiry || isBackground || isNamed || isForPrograms);
  const isSubcommand = isNamed && (subcommand !== "agents" || words.includes("--json"));
  return {
    isPrint,
    isInquiry,
    isBackground,
    isSubcommand,
    isNamed,
    get isInSchema() {
      return words.some((word) => /^--json-schema(=|$)/.test(word));
    },
    get isClient() {
      return /^--input-format[=\n]stream-json$/m.test(words.join("\n"));
    },
    takesSettings,
    isTerminal,
    get resumed() {
      return resumedSession(words);
    },
    isPersisted: !words.includes(NOT_PERSISTED),
    hookless: words.find((word) => word === "--bare" || word === "--safe-mode"),
  };
}

/** The subcommand among claude's arguments: options may come before it, and `--`. With `-p` it is a prompt. */
function subcommandIn(args: readonly string[], words: readonly string[], isPrint: boolean): string | undefined {
  if (isPrint || !args.some((word) => CLAUDE_SUBCOMMANDS.has(word))) return undefined;
  const [named] = partsOf(words).find((part) => !isOption(part)) ?? [args[words.length + 1]];
  return named !== undefined && CLAUDE_SUBCOMMANDS.has(named) && !FIRST_ONLY.has(named) ? named : undefined;
}

/** A session to continue: the one with this id or name, or the last one in the folder. */
export interface ResumedSession {
  readonly session: string | undefined;
  /** Whether Claude Code passes over sessions that began with `-p`, as `--continue` does in a terminal. */
  readonly skipsPrinted?: boolean;
}

function resumedSession(words: readonly string[]): ResumedSession | undefined {
  if (words.some((word) => word === "--continue" || /^-[chpv]*c[chpv]*$/.test(word))) return { session: undefined };
  const at = words.findIndex((word) => /^(--resume(=|$)|-r)/.test(word));
  if (at === -1) return undefined;
  const [, inline = ""] = /^(?:--resume=?|-r)(.*)$/s.exec(words[at] ?? "") ?? [];
  const next = words[at + 1] ?? "";
  const session = inline === "" && !next.startsWith("-") ? next : inline;
  return session === "" ? undefined : { session };
}

/** The folders of `--add-dir`. */
export function addedFolders(args: readonly string[]): string[] {
  const words = beforeDoubleDash(args);
  return words.flatMap((word, index) => {
    if (word.startsWith("--add-dir=")) return [word.slice("--add-dir=".length)];
    return word === "--add-dir" ? words.slice(index + 1, index + 1 + valuesAfter(word, words.slice(index + 1))) : [];
  });
}

/** The arguments among which options count: those before `--`, if there is one. */
export function beforeDoubleDash(args: readonly string[]): readonly string[] {
  const end = args.indexOf("--");
  return end === -1 ? args : args.slice(0, end);
}

/** Options, each with its values, and other words. */
function partsOf(words: readonly string[]): (readonly string[])[] {
  const parts: (readonly string[])[] = [];
  for (let index = 0; index < words.length; ) {
    const word = words[index] ?? "";
    const count = word.startsWith("-") ? 1 + valuesAfter(word, words.slice(index + 1)) : 1;
    parts.push(words.slice(index, index + count));
    index += count;
  }
  return parts;
}

function isOption([word = ""]: readonly string[]): boolean {
  return word.startsWith("-");
}

/** How many of the next words are values of this option. */
function valuesAfter(option: string, rest: readonly string[]): number {
  if (option.includes("=") || isAmong(FLAGS, option) || /^-[a-z]{2,}$/.test(option)) return 0;
  const next = rest.findIndex((word) => word.startsWith("-"));
  const free = next === -1 ? rest.length : next;
  if (isAmong(VARIADIC, option)) return free;
  return isAmong(OPTIONAL, option) ? Math.min(free, 1) : Math.min(rest.length, 1);
}

function isAmong(words: string, word: string): boolean {
  return words.split(/\s+/).includes(word);
}

/**
 * Options of Claude Code 2.1.325 that take no value, an optional one, or all words up to the next option. They are split
 * only when needed: many objects at a launch would start a thread of the engine.
 */
const FLAGS = `--allow-dangerously-skip-permissions --ax-screen-reader --bg --background --bare --brief --chrome -c --continue
  --dangerously-skip-permissions --desktop --disable-slash-commands --exclude-dynamic-system-prompt-sections
  --fork-session --forward-subagent-text -h --help --ide --include-hook-events --include-partial-messages --no-chrome
  --no-session-persistence -p --print --replay-user-messages --restricted --safe-mode --strict-mcp-config --tmux
  --verbose -v --version`;
const OPTIONAL = "-d --debug --from-pr --remote-control -r --resume --teleport -w --worktree";
const VARIADIC = `--add-dir --allowedTools --allowed-tools --betas --disallowedTools --disallowed-tools --file --mcp-config
  --tools`;

/** Subcommands of Claude Code 2.1.325, including those that its help does not list. */
export const CLAUDE_SUBCOMMANDS: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "agents",
  "attach",
  "auth",
  "auto-mode",
  "daemon",
  "design-login",
  "doctor",
  "gateway",
  "import",
  "install",
  "kill",
  "logs",
  "mcp",
  "plugin",
  "plugins",
  "project",
  "purge",
  "remote-control",
  "respawn",
  "rm",
  "sandbox",
  "self-hosted-runner",
  "setup-token",
  "stop",
  "ultrareview",
  "update",
  "upgrade",
  "workspace-trust",
]);

/** Subcommands for background sessions. They are recognized only as the first argument, and take no settings. */
const FIRST_ONLY: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "attach",
  "daemon",
  "kill",
  "logs",
  "respawn",
  "rm",
  "stop",
]);
