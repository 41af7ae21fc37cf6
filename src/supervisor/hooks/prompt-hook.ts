import { type PromptAnswer, type PromptEvent, RecordEventSchema } from "../../claude/prompt-event.ts";
import type { Prompt } from "../../claude/transcript.ts";
import { cccPaths } from "../../config/ccc-paths.ts";
import { CccError } from "../../errors.ts";
import type { World } from "../../world.ts";
import { recordBaseline } from "../baseline/record-baseline.ts";
import type { HookOptions } from "../hook-options.ts";
import { appendPrompts, isByUser, type RecordedPrompt, readPromptRecord } from "../record/prompt-record.ts";
import { sessionRecord } from "../record/session-record.ts";
import { readTranscriptPrompts } from "../record/user-prompts.ts";
import { bindLaunch } from "./bind-launch.ts";
import { missedReviewMessage } from "./missed-review-message.ts";
import { readEvent } from "./read-event.ts";

/**
 * Records the launch of a session when it starts, and each prompt and the files before the agent sees it. Tells the user
 * if the previous answer was not reviewed.
 */
export async function recordPrompt(world: World, { configDir, isPersistent }: HookOptions): Promise<void> {
  if (configDir === undefined) throw new CccError("--config-dir is missing, so there is nowhere to record the prompt");
  const event = readEvent(world, RecordEventSchema, "UserPromptSubmit or SessionStart");
  const paths = cccPaths({ env: { CCC_CONFIG_DIR: configDir }, platform: world.platform });
  const record = sessionRecord(paths, event.session_id);
  const { files } = world;
  const project = world.env.CLAUDE_PROJECT_DIR || event.cwd || world.cwd;
  // A resumed session belongs to the launch that resumes it; a compacted one stays with its launch.
  const isNew = event.hook_event_name === "SessionStart" && event.source !== "compact";
  const launch = bindLaunch(world, paths, record, { project, isPersistent, isNew }, (action) => action());
  if (event.hook_event_name === "SessionStart") return;
  const at = world.now().toISOString();
  const prompt = {
    at,
    prompt_id: event.prompt_id ?? null,
    by_user: isByUser(files, record, event.prompt),
    text: event.prompt,
    mode: event.permission_mode ?? null,
  };
  const before = readPromptRecord(files, record);
  appendPrompts(files, record, [...(before === undefined ? await earlierPrompts(event, at) : []), prompt]);
  if (prompt.by_user)
    await recordBaseline(world, record, { paths, launch, project, cwd: event.cwd ?? project }, prompt.prompt_id);
  const systemMessage = before && (await missedReviewMessage(world, event, record, before));
  if (systemMessage !== undefined) world.stdout(JSON.stringify({ systemMessage } satisfies PromptAnswer));
}

/** Unrecorded prompts of a resumed session, from its transcript as it is before the agent goes on. */
async function earlierPrompts(event: PromptEvent, at: string): Promise<RecordedPrompt[]> {
  const found = event.transcript_path === undefined ? [] : await readTranscriptPrompts(event.transcript_path);
  // Older versions may have logged this prompt already, without an id.
  const isCurrent = ({ id, text }: Prompt) => (id === undefined ? text === event.prompt : id === event.prompt_id);
  const earlier = found.filter((prompt) => prompt.byUser && !isCurrent(prompt)).slice(-MOST_EARLIER);
  return earlier.map(({ id, text }) => ({ at, prompt_id: id ?? null, by_user: true, text, mode: null }));
}

const MOST_EARLIER = 200;
