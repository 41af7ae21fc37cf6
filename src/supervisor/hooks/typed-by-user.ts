import { SESSION_COMMAND } from "../../claude/plugin.ts";
import type { PromptEvent } from "../../claude/prompt-event.ts";
import { SCHEDULED_TASKS, scheduledCalls } from "../../claude/scheduled-calls.ts";
import type { Paths } from "../../config/ccc-paths.ts";
import { EXEC_MARK } from "../../marks.ts";
import { join } from "../../os/path.ts";
import type { World } from "../../world.ts";
import { readTranscript } from "../record/read-transcript.ts";
import { readScheduled } from "../record/scheduled-prompts.ts";
import type { SessionRecord } from "../record/session-record.ts";
import { readTerminal } from "../record/terminal-record.ts";

/** What is known about where a command in a session comes from. */
export interface CommandOrigin {
  /** Whether the Claude Code in whose session it was typed has passed it to the hook. */
  readonly isFromSession: boolean;
  /** Whether that Claude Code was started by an agent. */
  readonly isNested: boolean;
  /** Whether a prompt with ccc's command was scheduled, which arrives like the user's. */
  readonly isScheduled: boolean;
}

/** Why a command does not count as the user's; undefined if it does. */
export function whyNotUsers({ isFromSession, isNested, isScheduled }: CommandOrigin): string | undefined {
  if (!isFromSession) return "this does not come from the Claude Code that runs this session";
  if (isNested) return "this Claude Code was started from within another session";
  return isScheduled
    ? `a prompt with ${SESSION_COMMAND} was scheduled in this session, so ccc cannot tell whether you typed this`
    : undefined;
}

export async function commandOrigin(
  world: World,
  paths: Paths,
  record: SessionRecord,
  event: PromptEvent,
  project: string,
): Promise<CommandOrigin> {
  const terminal = readTerminal(world.files, paths, callingClaude(world));
  const planned = [
    ...readScheduled(world.files, record.scheduled).map(({ prompt }) => prompt),
    world.files.read(join(project, SCHEDULED_TASKS)) ?? "",
  ];
  await readTranscript(event.transcript_path ?? "", (line) => planned.push(...scheduledCalls(line)));
  return {
    isFromSession: terminal?.sessions.includes(event.session_id) === true,
    isNested: Number(world.env[EXEC_MARK]?.split(".")[1] ?? 1) > 1,
    isScheduled: planned.some((prompt) => prompt.includes(SESSION_COMMAND)),
  };
}

/**
 * The process id of the Claude Code that calls the hook, undefined if it is not one: whoever passes the event must be whom
 * the environment names.
 */
export function callingClaude({ env, stdinWriter }: Pick<World, "env" | "stdinWriter">): string | undefined {
  const writer = stdinWriter();
  if (writer === null) return env.CLAUDE_PID;
  return writer !== undefined && String(writer) === (env.CLAUDE_PID ?? String(writer)) ? String(writer) : undefined;
}
