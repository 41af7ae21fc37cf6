import {
  type PromptAnswer,
  type PromptEvent,
  RecordEventSchema,
  readEvent,
  type StartEvent,
} from "../../claude/events.ts";
import { SESSION_COMMAND } from "../../claude/hook-settings.ts";
import { isFromClaudeCode, type Prompt } from "../../claude/prompts.ts";
import { isTerminalSession } from "../../claude/sessions.ts";
import { cccPaths } from "../../config/paths.ts";
import { CccError } from "../../errors.ts";
import type { Env, World } from "../../world.ts";
import { recordBaseline } from "../changes/baseline.ts";
import { bestEffort, type HookOptions } from "../options.ts";
import { openTerminal } from "../record/launch.ts";
import { missedReviewMessage } from "../record/missed.ts";
import { noteRun } from "../record/run-notes.ts";
import { type LaunchRecord, openSession } from "../record/session.ts";
import { answerCommand, readSessionCommand, type TypedCommand } from "./session-command.ts";
import { bindLaunch, startInTerminal } from "./session-start.ts";

/**
 * Records the launch of a session when it starts, and each prompt and the files before the agent sees it. Tells the user
 * if the previous answer was not reviewed.
 */
export async function recordPrompt(world: World, hook: HookOptions, input: () => unknown): Promise<void> {
  const { configDir, isPersistent } = hook;
  if (configDir === undefined) throw new CccError("--config-dir is missing, so there is nowhere to record the prompt");
  const event = readEvent(input(), RecordEventSchema, "UserPromptSubmit or SessionStart");
  const isStart = event.hook_event_name === "SessionStart";
  const paths = cccPaths({ env: { CCC_CONFIG_DIR: configDir }, platform: world.platform });
  const { files } = world;
  const record = openSession(files, paths, event.session_id);
  // Whatever happens here, nothing is to wake the session later for what was before.
  bestEffort(world.stderr, "end the wait for a usage limit", () =>
    openTerminal(files, paths, world.env.CLAUDE_PID ?? "").wait.remove(),
  );
  const project = world.env.CLAUDE_PROJECT_DIR || event.cwd || world.cwd;
  if (!isPersistent && isTerminalSession(world.env)) {
    const answer = await answerInTerminal(world, { event, hook, paths, record, project });
    if (answer !== undefined) world.stdout(JSON.stringify(answer));
    if (answer !== undefined && "decision" in answer) return;
  }
  noteRun(world, hook, { event: isStart ? "start" : "prompt", session: event.session_id });
  const switched = record.switch.read();
  if (hook.isIdle && (isStart || switched === undefined)) return;
  // A resumed session belongs to the launch that resumes it; a compacted one stays with its launch.
  const isNew = event.hook_event_name === "SessionStart" && event.source !== "compact";
  const launch = bindLaunch(world, paths, record, { project, isPersistent, isNew }, (action) => action());
  if (event.hook_event_name === "SessionStart") {
    const notices = isPersistent
      ? []
      : [isNew ? launch.notice : undefined, startMessage(event.source, launch, world.env)];
    const said = notices.filter((each) => each !== undefined);
    if (said.length > 0) tell(world, said.join("\n"));
    return;
  }
  const at = world.now().toISOString();
  const prompt = {
    at,
    prompt_id: event.prompt_id ?? null,
    by_user: !isFromClaudeCode(event.prompt) && !record.scheduled.has(event.prompt),
    text: event.prompt,
    mode: event.permission_mode ?? null,
  };
  const before = record.prompts.read();
  // Older versions may have logged this prompt already, without an id.
  const isCurrent = ({ id, text }: Prompt) => (id === undefined ? text === event.prompt : id === event.prompt_id);
  const unrecorded = await record.prompts.unrecorded(event.transcript_path, isCurrent, at);
  record.prompts.append(...unrecorded, prompt);
  if (switched?.is_on === false) return;
  if (prompt.by_user)
    await recordBaseline(world, record, { paths, launch, project, cwd: event.cwd ?? project }, prompt.prompt_id);
  const systemMessage = before && (await missedReviewMessage(world, event, record, before));
  if (systemMessage !== undefined) tell(world, systemMessage);
}

function tell(world: World, systemMessage: string): void {
  world.stdout(JSON.stringify({ systemMessage } satisfies PromptAnswer));
}

/** What a session in a terminal is told, and the answer to ccc's own command. */
async function answerInTerminal(
  world: World,
  { event, ...session }: Omit<TypedCommand, "word" | "event"> & { readonly event: PromptEvent | StartEvent },
): Promise<PromptAnswer | undefined> {
  if (event.hook_event_name === "SessionStart") {
    const { hook, paths, record, project } = session;
    const systemMessage = startInTerminal(world, event, hook, paths, record, project);
    return systemMessage === undefined ? undefined : { systemMessage };
  }
  const word = readSessionCommand(event.prompt);
  return word && { decision: "block", reason: await answerCommand(world, { ...session, event, word }) };
}

/** What the user sees when a supervised session starts in a terminal, and only then: not after /clear or /compact. */
function startMessage(source: string | undefined, { reviewer }: LaunchRecord, env: Env): string | undefined {
  if (!isTerminalSession(env) || (source !== "startup" && source !== "resume")) return undefined;
  const by = reviewer === "" ? "" : ` by ${reviewer}`;
  return `Every stop is reviewed${by}. To switch that off in this session: ${SESSION_COMMAND} off`;
}
