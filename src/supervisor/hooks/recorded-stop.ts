import { isTerminalSession } from "../../claude/session-env.ts";
import type { StopEvent } from "../../claude/stop-event.ts";
import { canDo } from "../../claude/version-facts.ts";
import { cccPaths } from "../../config/ccc-paths.ts";
import type { World } from "../../world.ts";
import { readBaseline } from "../baseline/baseline.ts";
import { bestEffort } from "../best-effort.ts";
import { leftOutFinding } from "../checks/describe-checks.ts";
import type { HookOptions } from "../hook-options.ts";
import { launchEnvironment } from "../record/launch-environment.ts";
import { openStop } from "../record/open-stop.ts";
import { readPromptRecord } from "../record/prompt-record.ts";
import { hasWakeUp, saveScheduled } from "../record/scheduled-prompts.ts";
import { sessionRecord } from "../record/session-record.ts";
import { readDone } from "../record/state.ts";
import { stateOnRecord } from "../record/state-on-record.ts";
import { promptsOnRecord } from "../record/user-prompts.ts";
import { instructionsChange, readInstructions } from "../review/instructions.ts";
import { sessionChecks } from "../review/session-checks.ts";
import { sessionEvidence } from "../review/session-evidence.ts";
import { sessionReviewers } from "../review/session-reviewers.ts";
import { readOptions } from "../supervisor-options.ts";
import { changesWhenAsked } from "../tampering/changes-when-asked.ts";
import { bindLaunch, claudeOf } from "./bind-launch.ts";
import { eventPrompts } from "./event-prompts.ts";
import { nothingToReview } from "./nothing-to-review.ts";
import type { HookSession, ReadyStop } from "./ready-stop.ts";
import { stopNotifier } from "./stop-notifier.ts";

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
  const write = <T>(action: () => T) => bestEffort(base.log.say, "write the session record", action);
  const read = <T>(action: () => T) => bestEffort(base.log.say, "read the session record", action);
  const open = openStop(base.world, record, { promptId: event.prompt_id, clean: base.redactor.value, write });
  const launch = bindLaunch(
    base.world,
    paths,
    record,
    { project: base.project, isPersistent: hook.isPersistent, isNew: false },
    write,
  );
  const env = { ...launchEnvironment(launch.environment, base.world.env), CCC_CONFIG_DIR: configDir };
  const world: World = { ...base.world, env };
  const change = instructionsChange(
    launch.instructions,
    readInstructions(files, launch.cwd, paths.folder, base.log.say),
  );
  const recorded = readPromptRecord(files, record);
  const state = stateOnRecord(base, record);
  const asked = recorded === undefined ? await eventPrompts(files, event, [state]) : promptsOnRecord(recorded);
  const { userPromptId } = asked;
  const crons = event.session_crons;
  write(() => saveScheduled(files, record, crons, userPromptId));
  const cwd = event.cwd ?? base.project;
  const options = readOptions(world, base.log.say);
  const changes = changesWhenAsked(world, { paths, launch, project: base.project, cwd }, readBaseline(files, record));
  const question = {
    event,
    recorded,
    done: read(() => readDone(state, userPromptId)),
    changes,
    hasWakeUp: read(() => hasWakeUp(files, record, crons, userPromptId)) ?? false,
    when: options.when,
  };
  const skipped = hook.isDue ? undefined : await nothingToReview(question);
  const evidence = () =>
    sessionEvidence({
      project: base.project,
      transcript: event.transcript_path,
      lastMessage: event.last_assistant_message,
    });
  return {
    skipped,
    // Which Claude Code runs a session that ccc did not start is not certain, and one that is too old would just stop.
    takesFeedback: !hook.isPersistent && canDo(launch.version, "stopFeedback"),
    notify: stopNotifier(world, base, {
      ...{ hook, hookEnv: base.world.env, launch, recorded },
      ...{ notify: options.notify, folder: paths.folder },
    }),
    session: {
      ...base,
      world,
      options,
      instructions: launch.instructions,
      checks: sessionChecks(world, launch, record, hook.settings),
      states: [state],
      now: record.now,
      reviewers: sessionReviewers(world, {
        launch,
        settings: hook.settings,
        context: options.context,
        isTerminal: isTerminalSession(base.world.env),
        claude: claudeOf(world, launch),
        sessionId: base.id,
        project: base.project,
        transcript: event.transcript_path,
      }),
      onTrouble: base.log.say,
      note: open.note,
    },
    stop: {
      asked,
      recorded: recorded?.length,
      tasks: event.background_tasks,
      cwd,
      isRepeated: event.stop_hook_active === true,
      findings: [change, leftOutFinding(launch.checks.left_out, launch.cwd)].filter((each) => each !== undefined),
      changes,
      evidence,
      lastMessage: async () => event.last_assistant_message ?? (await evidence()).lastMessage,
      agentTokens: 0,
    },
    close: open.close,
  };
}
