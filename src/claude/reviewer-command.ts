import { asObject, type Json } from "../io/json.ts";
import { LONGEST_ARGUMENT, UNKEPT } from "./arguments.ts";

/** What a review is asked with. */
export interface ReviewCommand {
  readonly sessionId: string;
  /** The reviewer's settings file. */
  readonly settings: string | undefined;
  readonly systemPrompt: string | undefined;
  /** The JSON schema of the verdict. */
  readonly schema: object;
}

/**
 * Arguments for claude as a reviewer: a copy of the session that is kept nowhere, asked on stdin, answering in a schema.
 * The user's own settings stay out of it, because a permission in them to use Bash would be one to write.
 */
export function reviewerArguments({ sessionId, settings, systemPrompt, schema }: ReviewCommand): string[] {
  return [
    ...["--print", "--fork-session", UNKEPT, "--resume", sessionId],
    ...["--verbose", "--output-format", "stream-json", "--json-schema", JSON.stringify(schema)],
    // Newer versions drop it on --resume: the review message holds the same text.
    ...(systemPrompt === undefined ? [] : ["--system-prompt", systemPrompt.slice(0, LONGEST_ARGUMENT)]),
    ...(settings === undefined ? [] : ["--settings", settings]),
    ...["--setting-sources", "", "--strict-mcp-config", "--permission-mode", "dontAsk"],
    ...["--allowedTools", REVIEWER_MAY.join(","), "--disallowedTools", REVIEWER_MAY_NOT.join(",")],
  ];
}

/**
 * In the mode "dontAsk" Claude Code runs commands that it knows to be read-only and refuses all others that are not
 * listed. The first are commands that older versions do not count as read-only and that have no option to write. Test
 * runners whose arguments are targets, or switch to mending, may be run as they stand here and no other way.
 */
export const REVIEWER_MAY: readonly string[] = [
  ...["Read", "Grep", "Glob"],
  ...withArguments("cat", "grep", "head", "ls", "stat", "tail", "wc"),
  ...withArguments("npm test", "npm run test", "pnpm test", "yarn test", "bun test", "bun run test", "deno test"),
  ...withArguments("pytest", "python -m pytest", "python3 -m pytest", "python -m unittest", "python3 -m unittest"),
  ...withArguments("go test", "go vet", "cargo test", "cargo check", "dotnet test", "swift test", "mix test", "ctest"),
  ...asTheyAre("npm t", "npm run lint", "npm run typecheck", "npm run check", "bun run check", "bun run lint"),
  ...asTheyAre("npx tsc --noEmit", "npx vitest run", "npx jest", "node --test", "deno check", "cargo clippy"),
  ...asTheyAre("make test", "make check", "mvn test", "gradle test", "./gradlew test", "rake test", "tox"),
  ...asTheyAre("uv run pytest", "phpunit", "composer test", "rspec", "bundle exec rspec", "bundle exec rake test"),
];

/** The rules on paths also hold for a shell's redirections, in all versions. */
const REVIEWER_MAY_NOT: readonly string[] = [
  ...["Edit(**)", "Edit(//**)", "Write(**)", "Write(//**)", "NotebookEdit"],
  ...["Agent", "Task", "SendMessage", "CronCreate", "EnterWorktree", "Monitor", "ScheduleWakeup", "Skill"],
];

/** Settings that permit nothing beyond the reviewer's arguments, and keep all that was denied. */
export function withoutPermissions(settings: Json): Json {
  const { allow: _allow, ask: _ask, defaultMode: _mode, deny, ...others } = asObject(settings.permissions);
  const denied = [...(Array.isArray(deny) ? deny : []), ...REVIEWER_MAY_NOT];
  return { ...settings, permissions: { ...others, deny: denied } };
}

/** For the reviewer's environment: what it starts ends with it. */
export const REVIEWER_ENV: Readonly<Record<string, string>> = { CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1" };

function withArguments(...commands: string[]): string[] {
  return commands.map((command) => `Bash(${command}:*)`);
}

function asTheyAre(...commands: string[]): string[] {
  return commands.map((command) => `Bash(${command})`);
}
