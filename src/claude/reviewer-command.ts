import { asObject, type Json } from "../text/json.ts";
import { LONGEST_ARGUMENT, NOT_PERSISTED } from "./arguments.ts";

export interface ReviewCommand {
  readonly sessionId: string;
  /** The reviewer's settings: a file, or JSON without secrets. */
  readonly settings: string;
  readonly systemPrompt: string | undefined;
  /** The JSON schema of the verdict. */
  readonly schema: object;
  /** Commands that it may run, word for word, whatever else its settings allow. */
  readonly mayRun: readonly string[];
  /** Files and folders that it may not read, as patterns of Claude Code's permission rules. */
  readonly mayNotRead: readonly string[];
}

/**
 * Arguments for a reviewer: a fork of the session that is not saved, prompted on stdin, answering in a schema. It does not
 * load the user's settings, because a permission in them to use Bash would be a permission to write. In the mode "dontAsk"
 * Claude Code may read the project folder and run commands that it knows to be read-only; it refuses everything else
 * unless rules or a hook allow it.
 */
export function reviewerArguments(command: ReviewCommand): string[] {
  const denied = [...REVIEWER_MAY_NOT, ...command.mayNotRead.map((path) => `Read(${path})`)];
  return [
    ...["--print", "--fork-session", NOT_PERSISTED, "--resume", command.sessionId],
    ...["--verbose", "--output-format", "stream-json", "--json-schema", JSON.stringify(command.schema)],
    // Newer versions ignore it with --resume, so the review message repeats the text.
    ...(command.systemPrompt === undefined ? [] : ["--system-prompt", command.systemPrompt.slice(0, LONGEST_ARGUMENT)]),
    ...["--settings", command.settings],
    ...["--setting-sources", "", "--strict-mcp-config", "--permission-mode", "dontAsk"],
    ...["--allowedTools", command.mayRun.map((each) => `Bash(${each})`).join(",")],
    ...["--disallowedTools", denied.join(",")],
  ];
}

/** In all versions, rules on paths also cover shell redirections, and Read rules cover what Grep finds. */
const REVIEWER_MAY_NOT: readonly string[] = [
  ...["Edit(**)", "Edit(//**)", "Write(**)", "Write(//**)", "NotebookEdit"],
  ...["Agent", "Task", "SendMessage", "CronCreate", "EnterWorktree", "Monitor", "ScheduleWakeup", "Skill"],
  ...["Read(**/.env)", "Read(**/.env.local)", "Read(**/.env.*.local)", "Read(**/.env.development)", "Read(**/.envrc)"],
  ...["Read(**/.env.production)", "Read(**/.env.staging)", "Read(**/.netrc)", "Read(**/.npmrc)", "Read(**/.pypirc)"],
  ...["Read(**/*.pem)", "Read(**/*.key)", "Read(**/*.p12)", "Read(**/*.pfx)", "Read(**/.git-credentials)"],
];

/** Settings that allow nothing beyond the reviewer's arguments, and still deny what they denied. */
export function withoutPermissions(settings: Json): Json {
  const { allow: _allow, ask: _ask, defaultMode: _mode, deny, ...others } = asObject(settings.permissions);
  const denied = [...(Array.isArray(deny) ? deny : []), ...REVIEWER_MAY_NOT];
  return { ...settings, permissions: { ...others, deny: denied } };
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

/** For the reviewer's environment: nothing that it starts may outlive it. */
export const REVIEWER_ENV: Readonly<Record<string, string>> = { CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1" };
