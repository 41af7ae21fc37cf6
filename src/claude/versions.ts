/** What each version of Claude Code can do. */

/** A command hook in settings. With `args`, Claude Code starts the program itself; without, its shell reads the command. */
export interface HookCommand {
  readonly command: string;
  readonly args?: readonly string[];
}

export type HookForm = "exec" | "shell";

/**
 * The form in which hooks are written. On Windows without Git Bash the shell is PowerShell, for which a quoted path is a
 * string: nothing runs, and nothing is reported. An unknown version may be one that ignores `args`, where only `command` would
 * run; on Windows such an old one is less likely than one without Git Bash.
 */
export function hookForm(version: string | undefined, platform: string): HookForm {
  const isExec = version === undefined ? platform === "win32" : canDo(version, "hookArguments");
  return isExec ? "exec" : "shell";
}

/**
 * What Claude Code can do, with the first version that can: measured, or from its release notes. `bun run test:versions`
 * measures every fact on real versions, and fails if this table says something else.
 */
export const VERSION_FACTS = {
  pluginFolder: { since: "2.0.77", what: "`--plugin-dir`: commands of ccc in a session" },
  lastAnswers: { since: "2.1.47", what: "a Stop hook gets the agent's last answer" },
  wakingHooks: { since: "2.1.96", what: "a hook that runs in the background can wake the session (`asyncRewake`)" },
  hookArguments: { since: "2.1.139", what: "hooks with `args`, which no shell reads" },
  backgroundSessions: {
    since: "2.1.139",
    what: "background sessions, and `claude auth status`, which says whose key is used",
  },
  hookNotifications: { since: "2.1.141", what: "`terminalSequence` in a hook's answer: a desktop notification" },
  statusLineRefresh: {
    since: "2.1.142",
    what: "the status line is refreshed while nothing happens (`refreshInterval`)",
  },
  blockCap: {
    since: "2.1.143",
    what: "Claude Code itself ends a turn after 8 blocks in a row, unless a variable allows more",
  },
  backgroundTasks: { since: "2.1.163", what: "a Stop hook learns which tasks run in the background" },
  scheduledPrompts: { since: "2.1.163", what: "a Stop hook learns which prompts are scheduled" },
  stopFeedback: {
    since: "2.1.163",
    what: "`additionalContext` in a Stop hook's answer: the agent continues with it, and no error is shown",
  },
  promptIds: { since: "2.1.196", what: "events say which prompt they belong to (`prompt_id`)" },
  processIds: { since: "2.1.240", what: "hooks get the process of the session (`CLAUDE_PID`)" },
  keptSystemPrompt: {
    since: "2.1.269",
    what: "a resumed session keeps its system prompt, whatever `--system-prompt` says",
  },
  retriesInTranscript: {
    since: "2.1.269",
    what: "the transcript names requests that are sent again: a supervised `-p` ends at once if its key is refused, and not after three minutes of retries",
  },
  sharedCacheOfPrint: {
    since: "2.1.269",
    what: "a fork of a `-p` session begins with the same bytes as the session's own requests",
  },
  sharedCacheOfTerminal: {
    since: "2.1.308",
    what: "so does a fork of a terminal session, without the attribution block",
  },
  blockingFailures: {
    since: "2.1.308",
    what: "a tool is refused if the hook before it fails (`onFailure`): the reviewer's guard fails closed",
  },
  resumeCommand: {
    since: "2.1.325",
    what: "the last line of a session names ccc instead of claude (`CLAUDE_CODE_RESUME_HINT_COMMAND`)",
  },
} as const;

export type VersionFact = keyof typeof VERSION_FACTS;

/** Whether a version of Claude Code can do something. An unknown version cannot. */
export function canDo(version: string | null | undefined, fact: VersionFact): boolean {
  return typeof version === "string" && Bun.semver.order(version, VERSION_FACTS[fact].since) >= 0;
}

/** Whether a StopFailure hook can wake the session, and notices when the session ends. Older versions drop settings with it. */
export function canWake(version: string | undefined): boolean {
  return canDo(version, "wakingHooks") && canDo(version, "processIds");
}

/** The oldest and newest versions of Claude Code that the supervisor is tested with. */
export const OLDEST_TESTED = "2.0.77";
export const NEWEST_TESTED = "2.1.325";

/** "2.1.325 (Claude Code)" → "2.1.325" */
export function parseVersion(output: string): string | undefined {
  return /^(\d+\.\d+\.\d+)\b/.exec(output.trim())?.[1];
}

export function isTested(version: string): boolean {
  return Bun.semver.satisfies(version, `>=${OLDEST_TESTED} <=${NEWEST_TESTED}`);
}
