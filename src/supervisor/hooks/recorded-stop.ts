import type { StopEvent } from "../../claude/stop-event.ts";
import { cccPaths } from "../../config/paths.ts";
import { messageOf } from "../../errors.ts";
import type { World } from "../../world.ts";
import type { HookOptions } from "../hook-options.ts";
import { launchEnvironment } from "../record/launch-environment.ts";
import { readPromptRecord } from "../record/prompt-record.ts";
import { hasWakeUp, saveScheduled } from "../record/scheduled-prompts.ts";
import { sessionRecord } from "../record/session-record.ts";
import { readDone } from "../record/state.ts";
import { stateOnRecord } from "../record/state-on-record.ts";
import { recordOutcome, recordStop } from "../record/stop-record.ts";
import { askedInTranscript, askedOnRecord } from "../record/user-prompts.ts";
import { instructionsChange, readInstructions } from "../review/instructions.ts";
import { reviewerProgram } from "../review/reviewer-program.ts";
import { readOptions } from "../supervisor-options.ts";
import { bindLaunch, claudeOf } from "./bind-launch.ts";
import type { HookSession, ReadyStop } from "./ready-stop.ts";
import { skipReason } from "./skip-reason.ts";

/**
 * A stop of a session with a record. The review depends on the record, as it was at the launch: not on the project, nor
 * on the hook's environment, both of which the agent or the project's settings can change.
 */
export async function recordedStop(
  base: HookSession,
  hook: HookOptions,
  event: StopEvent,
  configDir: string,
): Promise<ReadyStop> {
  const { files } = base.world;
  const paths = cccPaths({ env: { CCC_CONFIG_DIR: configDir }, platform: base.world.platform });
  const record = sessionRecord(paths, base.id);
  const stopId = crypto.randomUUID();
  const now = () => base.world.now().toISOString();
  const attempt = <T>(action: () => T): T | undefined => {
    try {
      return action();
    } catch (error) {
      base.log.say(`could not use the session record: ${messageOf(error)}`);
      return undefined;
    }
  };
  attempt(() => recordStop(files, record, stopId, now()));
  const launch = bindLaunch(
    base.world,
    paths,
    record,
    { project: base.project, isPersistent: hook.isPersistent, isNew: false },
    attempt,
  );
  const env = { ...launchEnvironment(launch.environment, base.world.env), CCC_CONFIG_DIR: configDir };
  const world: World = { ...base.world, env };
  const change = instructionsChange(
    launch.instructions,
    readInstructions(files, launch.cwd, paths.folder, base.log.say),
  );
  const recorded = readPromptRecord(files, record);
  const asked =
    recorded === undefined
      ? await askedInTranscript(files, event.transcript_path, event.prompt_id)
      : askedOnRecord(recorded);
  const { userPromptId } = asked;
  const crons = event.session_crons;
  attempt(() => saveScheduled(files, record, crons, userPromptId));
  const options = readOptions(world, base.log.say);
  const state = stateOnRecord(base, record);
  const skipped = await skipReason({
    event,
    recorded,
    done: attempt(() => readDone(state, userPromptId)),
    hasWakeUp: attempt(() => hasWakeUp(files, record, crons, userPromptId)) ?? false,
    when: options.when,
  });
  return {
    skipped,
    session: {
      ...base,
      world,
      options,
      instructions: launch.instructions,
      states: [state],
      reviewer: (cwd) =>
        reviewerProgram(world, {
          claude: claudeOf(world, launch),
          sessionId: base.id,
          settings: hook.settings,
          systemPrompt: undefined,
          project: base.project,
          cwd,
        }),
    },
    stop: {
      asked,
      recorded: recorded?.length,
      tasks: event.background_tasks,
      cwd: event.cwd ?? base.project,
      isRepeated: event.stop_hook_active === true,
      findings: change === undefined ? [] : [change],
    },
    close: (outcome) => attempt(() => recordOutcome(files, record, stopId, now(), outcome)),
  };
}
