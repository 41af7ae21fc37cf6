/**
 * The names by which ccc is called and by which its processes recognize each other: commands, flags, environment variables.
 * Nothing else may set the variables: a launch sets them in the settings that it generates.
 */

/** Set in the reviewer's environment: a Stop hook that sees it is running in the reviewer's own session. */
export const REVIEWER_MARKER = "CCC_SUPERVISOR_HOOK";

/** Set in the settings of a launch, which itself decides whether to supervise. `ccc use` blanks it for plain claude. */
export const LAUNCH_MARKER = "CCC_LAUNCH";

/**
 * Tells the hook that it is installed in the user's settings.json, where launches see it too. A project's settings override
 * those, so this hook trusts no marker that a project could set: its flag carries a secret.
 */
export const PERSISTENT_FLAG = "--persistent";

/** Tells a hook which supervised launch it belongs to, by the id of its record. */
export const LAUNCH_FLAG = "--launch";

/** Tells a hook that its session is not supervised unless the user switches that on. */
export const IDLE_FLAG = "--idle";

/** The value of the markers when no hook of `ccc use` is installed. */
export const NO_SECRET = "1";

/** The value that tells all hooks, including the one with this secret, that a session is a reviewer's. */
export function reviewerMarker(secret: string): string {
  return `${NO_SECRET}:${secret}`;
}

/** The secret of the `ccc use` hook, found in the text of the user's settings. */
export function persistentSecret(settings: string): string | undefined {
  return settings.includes(PERSISTENT_FLAG) ? /[ "]--persistent=([0-9a-f]{32})\b/.exec(settings)?.[1] : undefined;
}

/** ccc's own commands. Providers cannot have these names. */
export const COMMAND_NAMES = [
  "calibrate",
  "completions",
  "default",
  "demo",
  "doctor",
  "key",
  "migrate",
  "pin",
  "provider",
  "report",
  "review",
  "statusline",
  "supervisor-failure",
  "supervisor-guard",
  "supervisor-hook",
  "supervisor-prompt",
  "supervisor-watch",
  "upgrade",
  "usage",
  "use",
  "validate",
  "why",
] as const;

export type CommandName = (typeof COMMAND_NAMES)[number];

export function isCommandName(word: string): word is CommandName {
  return (COMMAND_NAMES as readonly string[]).includes(word);
}

/** The commands that Claude Code calls as hooks of a session. */
export type HookName = "supervisor-hook" | "supervisor-prompt" | "supervisor-failure";

export function isHook(name: string | undefined): name is HookName {
  return name === "supervisor-hook" || name === "supervisor-prompt" || name === "supervisor-failure";
}

/** The command that Claude Code runs to ask whether the reviewer may use a tool. */
export const GUARD_COMMAND = "supervisor-guard";

/** The command that Claude Code runs for its status line. */
export const STATUS_COMMAND = "statusline";

/** The command of the watcher, a process that ends what ccc runs if ccc is killed. */
export const WATCH_COMMAND = "supervisor-watch";

/**
 * Whether Claude Code or ccc itself runs this command. It stays a command even if ccc's binary is named after a provider.
 */
export function isCalledByClaudeCode(word: string): word is CommandName {
  return isHook(word) || word === "key" || [GUARD_COMMAND, STATUS_COMMAND, WATCH_COMMAND].includes(word);
}

/** Set in the environment of every program that ccc runs, so all its descendants inherit it. */
export const RUN_MARKER = "CCC_RUN";

/** In claude's environment: the ccc process that started it, the nesting depth, and whether ccc only asks it something. */
export const EXEC_MARKER = "CCC_EXEC";

/** In the reviewer's environment: the folders it may read, as JSON. */
export const FOLDERS_VARIABLE = "CCC_REVIEW_FOLDERS";

/** In the reviewer's environment: the files about the session that it may also read, as JSON. */
export const FILES_VARIABLE = "CCC_REVIEW_FILES";

/** In the environment of a reviewer in a sandbox: the folders that were made for it, as JSON. */
export const SANDBOX_VARIABLE = "CCC_REVIEW_SANDBOX";

/** In the reviewer's environment: the folders outside the project that git may read, as JSON. */
export const GIT_FOLDERS_VARIABLE = "CCC_REVIEW_GIT_FOLDERS";

/** Starts the first argument when a script named after a provider runs ccc: `ccc --as=glm` is `ccc-glm`. */
export const NAME_FLAG = "--as=";
