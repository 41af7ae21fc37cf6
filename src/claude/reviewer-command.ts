import { asObject, type Json } from "../text/json.ts";
import { LONGEST_ARGUMENT, NOT_PERSISTED } from "./arguments.ts";

/** What a review is asked with. */
export interface ReviewCommand {
  readonly sessionId: string;
  /** The reviewer's settings: a file, or JSON without secrets. */
  readonly settings: string;
  readonly systemPrompt: string | undefined;
  /** The JSON schema of the verdict. */
  readonly schema: object;
  /** Commands that it may run exactly as they stand, whatever else its settings allow. */
  readonly mayRun: readonly string[];
  /** Files and folders that it may not read, as Claude Code's rules name them. */
  readonly mayNotRead: readonly string[];
}

/**
 * Arguments for claude as a reviewer: a copy of the session that is kept nowhere, asked on stdin, answering in a schema.
 * The user's own settings stay out of it, because a permission in them to use Bash would be one to write. In the mode
 * "dontAsk" Claude Code reads in the project's folder, runs what it knows to be read-only there, and refuses all else
 * that is not allowed by rules or by a hook.
 */
export function reviewerArguments(command: ReviewCommand): string[] {
  const denied = [...REVIEWER_MAY_NOT, ...command.mayNotRead.map((path) => `Read(${path})`)];
  return [
    ...["--print", "--fork-session", NOT_PERSISTED, "--resume", command.sessionId],
    ...["--verbose", "--output-format", "stream-json", "--json-schema", JSON.stringify(command.schema)],
    // Newer versions drop it on --resume: the review message holds the same text.
    ...(command.systemPrompt === undefined ? [] : ["--system-prompt", command.systemPrompt.slice(0, LONGEST_ARGUMENT)]),
    ...["--settings", command.settings],
    ...["--setting-sources", "", "--strict-mcp-config", "--permission-mode", "dontAsk"],
    ...["--allowedTools", command.mayRun.map((each) => `Bash(${each})`).join(",")],
    ...["--disallowedTools", denied.join(",")],
  ];
}

/** The rules on paths also hold for a shell's redirections, in all versions; those on reading, for what Grep finds. */
const REVIEWER_MAY_NOT: readonly string[] = [
  ...["Edit(**)", "Edit(//**)", "Write(**)", "Write(//**)", "NotebookEdit"],
  ...["Agent", "Task", "SendMessage", "CronCreate", "EnterWorktree", "Monitor", "ScheduleWakeup", "Skill"],
  ...["Read(**/.env)", "Read(**/.env.local)", "Read(**/.env.*.local)", "Read(**/.env.development)", "Read(**/.envrc)"],
  ...["Read(**/.env.production)", "Read(**/.env.staging)", "Read(**/.netrc)", "Read(**/.npmrc)", "Read(**/.pypirc)"],
  ...["Read(**/*.pem)", "Read(**/*.key)", "Read(**/*.p12)", "Read(**/*.pfx)", "Read(**/.git-credentials)"],
];

/** Settings that permit nothing beyond the reviewer's arguments, and keep all that was denied. */
export function withoutPermissions(settings: Json): Json {
  const { allow: _allow, ask: _ask, defaultMode: _mode, deny, ...others } = asObject(settings.permissions);
  const denied = [...(Array.isArray(deny) ? deny : []), ...REVIEWER_MAY_NOT];
  return { ...settings, permissions: { ...others, deny: denied } };
}

/** Settings with folders that the session was given. */
export function withFolders(settings: Json, folders: readonly string[]): Json {
  if (folders.length === 0) return settings;
  const permissions = asObject(settings.permissions);
  const additionalDirectories = [...givenFolders(settings), ...folders];
  return { ...settings, permissions: { ...permissions, additionalDirectories } };
}

/** The folders beside the project that settings give to a session. */
export function givenFolders(settings: Json): string[] {
  const { additionalDirectories: given } = asObject(settings.permissions);
  return Array.isArray(given) ? given.filter((folder) => typeof folder === "string") : [];
}

/** For the reviewer's environment: what it starts ends with it. */
export const REVIEWER_ENV: Readonly<Record<string, string>> = { CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1" };
