import { asObject, type Json } from "../text/json.ts";
import type { Env } from "../world.ts";
import { LONGEST_ARGUMENT, NOT_PERSISTED } from "./arguments.ts";

/**
 * How a reviewer is asked:
 * - shared: a fork of the session with nothing changed before the last message, so that it is served from the agent's
 *   prompt cache. The verdict is JSON in the text.
 * - schema: a fork that answers in a JSON schema. The schema is a tool, and tools come first in every request, so
 *   nothing is served from the cache.
 * - fresh: a new session with the few tools that a review needs, answering in a JSON schema.
 */
export type ReviewWay = "shared" | "schema" | "fresh";

export interface ReviewCommand {
  readonly way: ReviewWay;
  readonly sessionId: string;
  /** The reviewer's settings: a file, or JSON without secrets. */
  readonly settings: string;
  /** Only for a fork: a fresh session has its own. */
  readonly systemPrompt: string | undefined;
  /** The JSON schema of the verdict. */
  readonly schema: object;
  /** Commands that it may run, word for word, whatever else its settings allow. */
  readonly mayRun: readonly string[];
  /** Files and folders that it may not read, as patterns of Claude Code's permission rules. */
  readonly mayNotRead: readonly string[];
}

/**
 * Arguments for a reviewer: a session that is not saved and is prompted on stdin. It does not load the user's settings,
 * because a permission in them to use Bash would be a permission to write. In the mode "dontAsk" Claude Code may read the
 * project folder and run commands that it knows to be read-only; it refuses everything else unless rules or a hook allow it.
 */
export function reviewerArguments(command: ReviewCommand): string[] {
  const denied = [...DENIED_PATHS, ...(command.way === "schema" ? DENIED_TOOLS : [])];
  return [
    ...["--print", NOT_PERSISTED, ...sessionArguments(command)],
    ...["--verbose", "--output-format", "stream-json"],
    ...(command.way === "shared" ? [] : ["--json-schema", JSON.stringify(command.schema)]),
    ...["--settings", command.settings],
    ...["--setting-sources", "", "--strict-mcp-config", "--permission-mode", "dontAsk"],
    ...["--allowedTools", command.mayRun.map((each) => `Bash(${each})`).join(",")],
    ...["--disallowedTools", [...denied, ...command.mayNotRead.map((path) => `Read(${path})`)].join(",")],
  ];
}

function sessionArguments({ way, sessionId, systemPrompt }: ReviewCommand): string[] {
  if (way === "fresh") return ["--system-prompt", FRESH_SYSTEM_PROMPT, "--tools", FRESH_TOOLS];
  const fork = ["--fork-session", "--resume", sessionId];
  // Newer versions ignore it with --resume, so the review message repeats the text.
  return systemPrompt === undefined ? fork : [...fork, "--system-prompt", systemPrompt.slice(0, LONGEST_ARGUMENT)];
}

const FRESH_TOOLS = "Bash,Read,Grep,Glob";
const FRESH_SYSTEM_PROMPT =
  "You review the work of a coding agent. You look at files and run read-only commands and tests; you change nothing.";

/** In all versions, rules on paths also cover shell redirections, and Read rules cover what Grep finds. */
const DENIED_PATHS: readonly string[] = [
  ...["Edit(**)", "Edit(//**)", "Write(**)", "Write(//**)"],
  ...["Read(**/.env)", "Read(**/.env.local)", "Read(**/.env.*.local)", "Read(**/.env.development)", "Read(**/.envrc)"],
  ...["Read(**/.env.production)", "Read(**/.env.staging)", "Read(**/.netrc)", "Read(**/.npmrc)", "Read(**/.pypirc)"],
  ...["Read(**/*.pem)", "Read(**/*.key)", "Read(**/*.p12)", "Read(**/*.pfx)", "Read(**/.git-credentials)"],
];

/** A tool denied by its name alone is left out of the request, which costs the prompt cache. The guard denies by name too. */
const DENIED_TOOLS: readonly string[] = [
  ...[
    "NotebookEdit",
    "Agent",
    "Task",
    "SendMessage",
    "CronCreate",
    "EnterWorktree",
    "Monitor",
    "ScheduleWakeup",
    "Skill",
  ],
];

/** Settings that allow nothing beyond the reviewer's arguments, and still deny what they denied. */
export function withoutPermissions(settings: Json): Json {
  const { allow: _allow, ask: _ask, defaultMode: _mode, deny, ...others } = asObject(settings.permissions);
  return { ...settings, permissions: { ...others, deny: [...(Array.isArray(deny) ? deny : []), ...DENIED_PATHS] } };
}

/** Settings that enable no plugin, whose hooks, agents and servers a session would have otherwise. */
export function withoutPlugins({ enabledPlugins: _enabled, extraKnownMarketplaces: _known, ...others }: Json): Json {
  return others;
}

/** Settings with more folders that the session may use. */
export function withFolders(settings: Json, folders: readonly string[]): Json {
  if (folders.length === 0) return settings;
  const permissions = asObject(settings.permissions);
  const additionalDirectories = [...givenFolders(settings), ...folders];
  return { ...settings, permissions: { ...permissions, additionalDirectories } };
}

/** The folders outside the project that settings let a session use. */
export function givenFolders(settings: Json): string[] {
  const { additionalDirectories: given } = asObject(settings.permissions);
  return Array.isArray(given) ? given.filter((folder) => typeof folder === "string") : [];
}

/**
 * For the reviewer's environment: nothing that it starts may outlive it, and a session that is too long must fail.
 * Compacted, it would go on as the agent, without the review's instructions. Claude Code would retry a failing API for
 * minutes; a user who wants it to retry less gets that.
 */
export function reviewerEnv(inherited: Env, retries: number): Readonly<Record<string, string>> {
  const { [MAX_RETRIES]: wanted = "" } = inherited;
  const most = /^\d+$/.test(wanted) ? Math.min(Number(wanted), retries) : retries;
  return {
    CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1",
    DISABLE_COMPACT: "1",
    [MAX_RETRIES]: String(most),
  };
}

const MAX_RETRIES = "CLAUDE_CODE_MAX_RETRIES";
