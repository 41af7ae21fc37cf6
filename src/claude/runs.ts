/** The runs of Claude Code that ccc starts by itself: the loop's agent, and reviewers. */
import { asObject, type Json } from "../text/json.ts";
import type { Env } from "../world.ts";
import { LONGEST_ARGUMENT, NOT_PERSISTED } from "./arguments.ts";

interface AgentRun {
  readonly settings: string;
  /** The user's options. */
  readonly options: readonly string[];
  /** The session to resume, undefined for the first run. */
  readonly sessionId: string | undefined;
  /** The prompt; undefined if there is none, or if it comes on stdin. */
  readonly message: string | undefined;
  /** Whether the user gets this session in the terminal. Otherwise claude works on the message, streams, and exits. */
  readonly isHandedOver?: boolean;
  /** Whether it runs on another provider than the one the user chose the options for. */
  readonly isRelayed?: boolean;
}

/** Arguments for the loop's agent. */
export function agentArguments({ settings, sessionId, message, isHandedOver = false, ...run }: AgentRun): string[] {
  const options = run.isRelayed ? withoutModelChoice(run.options) : run.options;
  return [
    "--settings",
    settings,
    ...(sessionId === undefined ? options : withoutSessionChoice(options)),
    ...(isHandedOver ? [] : ["--print", "--verbose", "--output-format", "stream-json"]),
    ...(sessionId === undefined ? [] : ["--resume", sessionId]),
    ...(message === undefined ? [] : ["--", message]),
  ];
}

/** Later runs resume the session of the first, whatever session the user chose for that one. */
function withoutSessionChoice(options: readonly string[]): string[] {
  const kept: string[] = [];
  for (let index = 0; index < options.length; index++) {
    const word = options[index] ?? "";
    if (FIRST_RUN_FLAGS.includes(word) || FIRST_RUN_VALUES.some((name) => word.startsWith(`${name}=`))) continue;
    if (!FIRST_RUN_VALUES.includes(word)) kept.push(word);
    else if (options[index + 1]?.startsWith("-") === false) index++;
  }
  return kept;
}

const FIRST_RUN_FLAGS = ["-c", "--continue", "--fork-session", "-p", "--print"];
const FIRST_RUN_VALUES = ["-r", "--resume", "--session-id", "--from-pr", "-w", "--worktree"];

/** Drops models of another provider. Every provider has its own for each role. */
function withoutModelChoice(options: readonly string[]): string[] {
  const kept: string[] = [];
  for (let index = 0; index < options.length; index++) {
    const [name = "", inline] = (options[index] ?? "").split(/=(.*)/s, 2);
    const value = inline ?? options[index + 1] ?? "";
    const isModel = MODEL_OPTIONS.includes(name) && !ROLES.test(value);
    if (!isModel) kept.push(options[index] ?? "");
    else if (inline === undefined) index++;
  }
  return kept;
}

const MODEL_OPTIONS = ["--model", "--fallback-model"];
const ROLES = /^(default|best|opus|sonnet|haiku|fable|opusplan)(\[1m\])?$/i;

/**
 * How a reviewer is asked:
 * - shared: a fork of the session with nothing changed before the last message, so that it is served from the agent's
 *   prompt cache. The verdict is JSON in the text.
 * - schema: a fork that answers in a JSON schema. The schema is a tool, and tools come first in every request, so
 *   nothing is served from the cache.
 * - fresh: a new session with the few tools that a review needs, answering in a JSON schema. Where it is sandboxed, it may
 *   run any command.
 *
 * A version that never gives up on a model without an answer in the schema is asked for JSON in the text, too.
 */
export type ReviewWay = "shared" | "schema" | "fresh";

interface ReviewCommand {
  readonly way: ReviewWay;
  readonly sessionId: string;
  /** The reviewer's settings: a file, or JSON without secrets. */
  readonly settings: string;
  /** Only for a fork: a fresh session has its own. */
  readonly systemPrompt: string | undefined;
  /** The JSON schema of the verdict; undefined for a verdict in the text. */
  readonly schema: object | undefined;
  /** Commands that it may run verbatim, whatever else its settings allow. */
  readonly mayRun: readonly string[];
  /** Files and folders that it may not read, as patterns of Claude Code's permission rules. They cover what Grep finds, too. */
  readonly mayNotRead: readonly string[];
  /** How often Claude Code may retry a request that failed. */
  readonly retries: number;
  /** Whether its settings have a sandbox. Only for a fresh session. */
  readonly isSandboxed?: boolean;
}

/**
 * Arguments and variables for a reviewer: a session that is not saved, and takes one message after another on stdin. It
 * does not load the user's settings, because a permission in them to use Bash would be a permission to write. In the mode
 * "dontAsk" Claude Code may read the project folder and run commands that it knows to be read-only; it refuses everything
 * else unless rules or a hook allow it.
 */
export function reviewerRun(
  command: ReviewCommand,
  inherited: Env,
): { readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> } {
  return { args: reviewerArguments(command), env: reviewerEnv(inherited, command.retries) };
}

/** A message to a session that takes them on stdin. Bytes of file names that are not UTF-8 are replaced. */
export function userLine(message: string): string {
  return `${JSON.stringify({ type: "user", message: { role: "user", content: message.toWellFormed() } })}\n`;
}

/** The tool with which a model answers in a schema. */
export const ANSWER_TOOL = "StructuredOutput";

function reviewerArguments(command: ReviewCommand): string[] {
  // In a sandbox these rules would also stop its commands from writing. There it has no tool that writes.
  const paths = command.isSandboxed ? [] : DENIED_PATHS;
  const denied = [...paths, ...(command.way === "schema" ? DENIED_TOOLS : [])];
  return [
    "--print",
    NOT_PERSISTED,
    ...sessionArguments(command),
    "--verbose",
    "--input-format",
    "stream-json",
    "--output-format",
    "stream-json",
    ...(command.schema === undefined ? [] : ["--json-schema", JSON.stringify(command.schema)]),
    "--settings",
    command.settings,
    "--setting-sources",
    "",
    "--strict-mcp-config",
    "--permission-mode",
    "dontAsk",
    ...listOption("--allowedTools", [rules("Bash", command.mayRun)]),
    ...listOption("--disallowedTools", [...denied, rules("Read", command.mayNotRead)]),
  ];
}

function listOption(name: string, values: readonly string[]): string[] {
  const list = values.filter(Boolean).join(",");
  return list === "" ? [] : [name, list];
}

/** "Read(a),Read(b)" */
function rules(tool: string, patterns: readonly string[]): string {
  return patterns.map((pattern) => `${tool}(${pattern})`).join(",");
}

function sessionArguments({ way, sessionId, systemPrompt, isSandboxed }: ReviewCommand): string[] {
  if (isSandboxed) return ["--system-prompt", SANDBOXED_SYSTEM_PROMPT, "--tools", SANDBOXED_TOOLS];
  if (way === "fresh") return ["--system-prompt", FRESH_SYSTEM_PROMPT, "--tools", FRESH_TOOLS];
  const fork = ["--fork-session", "--resume", sessionId];
  // Newer versions ignore it with --resume, so the review message repeats the text.
  return systemPrompt === undefined ? fork : [...fork, "--system-prompt", systemPrompt.slice(0, LONGEST_ARGUMENT)];
}

const FRESH_TOOLS = "Bash,Read,Grep,Glob";
const FRESH_SYSTEM_PROMPT =
  "You review the work of a coding agent. You look at files and run read-only commands and tests; you change nothing.";

/** Claude Code searches outside the sandbox, where other rules would have to hold. Commands can search as well. */
const SANDBOXED_TOOLS = "Bash,Read";
const SANDBOXED_SYSTEM_PROMPT =
  "You review the work of a coding agent, in a copy of its project. You look at files and try for yourself: you run the tests and the program, and write small scripts in the copy. You do not do the agent's work.";

/** In all versions, rules on paths also cover shell redirections. */
const DENIED_PATHS: readonly string[] = ["Edit(**)", "Edit(//**)", "Write(**)", "Write(//**)"];

/** A tool denied by its name alone is left out of the request, which costs the prompt cache. The guard denies by name too. */
const DENIED_TOOLS: readonly string[] = [
  "NotebookEdit",
  "Agent",
  "Task",
  "SendMessage",
  "CronCreate",
  "EnterWorktree",
  "Monitor",
  "ScheduleWakeup",
  "Skill",
];

/** What commands may do in Claude Code's own sandbox. Everything else can be read and not written; there is no network. */
export interface SandboxRules {
  /** Folders that they may write, apart from the session's own and its temporary folder. */
  readonly mayWrite: readonly string[];
  /** Files and folders hidden from them, and exceptions inside those; the innermost rule counts. */
  readonly hidden: readonly string[];
  readonly shown: readonly string[];
  /** Variables removed from their environment. */
  readonly unset: readonly string[];
}

/**
 * The agent's settings for its reviewer. They allow nothing beyond the reviewer's arguments and reading these folders, still
 * deny what they denied, and enable no plugin, whose hooks, agents and servers the session would have otherwise.
 */
export function settingsForReviewer(settings: Json, folders: readonly string[], sandbox?: SandboxRules): Json {
  const { enabledPlugins: _enabled, extraKnownMarketplaces: _known, ...kept } = settings;
  const { allow: _allow, ask: _ask, defaultMode: _mode, deny, ...others } = asObject(settings.permissions);
  return {
    ...kept,
    permissions: {
      ...others,
      // On its own, Claude Code would refuse commands that it does not understand.
      ...(sandbox !== undefined && { allow: ["Bash"] }),
      ...(folders.length > 0 && { additionalDirectories: [...addedDirectories(settings), ...folders] }),
      deny: [
        ...(Array.isArray(deny) ? deny : []).filter((rule) => !DENIED_PATHS.includes(rule)),
        ...(sandbox === undefined ? DENIED_PATHS : []),
      ],
    },
    ...(sandbox !== undefined && { sandbox: sandboxSettings(sandbox) }),
  };
}

function sandboxSettings({ mayWrite, hidden, shown, unset }: SandboxRules): Json {
  return {
    enabled: true,
    failIfUnavailable: true,
    allowUnsandboxedCommands: false,
    autoAllowBashIfSandboxed: true,
    excludedCommands: [],
    network: { allowedDomains: [], allowUnixSockets: [], allowAllUnixSockets: false, allowLocalBinding: false },
    filesystem: { denyRead: hidden, allowRead: shown, allowWrite: mayWrite, denyWrite: ALWAYS_WRITABLE },
    credentials: { envVars: unset.filter((name) => VARIABLE.test(name)).map((name) => ({ name, mode: "deny" })) },
  };
}

/** Claude Code would let commands write here whatever else is set. */
const ALWAYS_WRITABLE = ["/tmp/claude", "/private/tmp/claude", "~/.npm/_logs", "~/.claude/debug"];
/** With another name Claude Code would refuse all of the settings. */
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** The folders outside the project that settings let a session use. */
export function addedDirectories(settings: Json): string[] {
  const { additionalDirectories: folders } = asObject(settings.permissions);
  return Array.isArray(folders) ? folders.filter((folder) => typeof folder === "string") : [];
}

/**
 * For the reviewer's environment: nothing that it starts may outlive it, and a session that is too long must fail.
 * Compacted, it would continue as the agent, without the review's instructions. Claude Code would retry a failing API for
 * minutes; a user who wants it to retry less gets that.
 */
function reviewerEnv(inherited: Env, retries: number): Readonly<Record<string, string>> {
  const { [MAX_RETRIES]: wanted = "" } = inherited;
  const most = /^\d+$/.test(wanted) ? Math.min(Number(wanted), retries) : retries;
  return {
    CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1",
    DISABLE_COMPACT: "1",
    [MAX_RETRIES]: String(most),
  };
}

const MAX_RETRIES = "CLAUDE_CODE_MAX_RETRIES";
