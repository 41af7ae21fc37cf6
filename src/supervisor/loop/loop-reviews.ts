import { join } from "node:path";
import type { ReviewWay } from "../../claude/reviewer-command.ts";
import { savedSession } from "../../claude/sessions.ts";
import type { Paths } from "../../config/ccc-paths.ts";
import type { Redactor } from "../../text/redactor.ts";
import type { World } from "../../world.ts";
import { bestEffort } from "../best-effort.ts";
import { leftOutFinding } from "../checks/describe-checks.ts";
import { projectFiles } from "../project-folder.ts";
import type { LaunchRecord } from "../record/launch-record.ts";
import { appendPrompts } from "../record/prompt-record.ts";
import { sessionRecord } from "../record/session-record.ts";
import { stateOnRecord } from "../record/state-on-record.ts";
import { recordOutcome, recordStop } from "../record/stop-record.ts";
import { instructionsChange, readInstructions } from "../review/instructions.ts";
import type { Outcome } from "../review/outcome.ts";
import { reviewStop } from "../review/review-stop.ts";
import { reviewerProgram } from "../review/reviewer-program.ts";
import { sessionChecks } from "../review/session-checks.ts";
import { sessionEvidence } from "../review/session-evidence.ts";
import { sessionWay } from "../review/session-way.ts";
import { whySkipped } from "../review/why-skipped.ts";
import type { SupervisorLog } from "../supervisor-log.ts";
import type { SupervisorOptions } from "../supervisor-options.ts";
import type { LoopBaseline } from "./loop-baseline.ts";
import type { LoopStop } from "./run-loop.ts";

export interface LoopReviews {
  readonly paths: Paths;
  readonly launch: LaunchRecord;
  /** ccc's folder in the project. */
  readonly folder: string;
  /** The reviewer's settings file. */
  readonly settings: string | undefined;
  readonly options: SupervisorOptions;
  readonly log: SupervisorLog;
  readonly redactor: Redactor;
  readonly baseline: LoopBaseline;
}

/** Reviews the stops of a loop as the hook does, but without events from Claude Code. */
export function loopReviews(
  world: World,
  { paths, launch, folder, settings, options, log, redactor, baseline }: LoopReviews,
) {
  const { files } = world;
  const project = launch.cwd;
  const startedAt = world.now().toISOString();
  let recorded = 0;
  const write = (action: () => void) => bestEffort(log.say, "write the session record", action);
  return async (id: string, { prompts, round, usedTools }: LoopStop): Promise<Outcome> => {
    const record = sessionRecord(paths, id);
    const stopId = crypto.randomUUID();
    const at = world.now().toISOString();
    const added = prompts.slice(recorded).map((text) => ({ at, prompt_id: null, by_user: true, text, mode: null }));
    if (added.length > 0) write(() => appendPrompts(files, record, added));
    recorded = prompts.length;
    write(() => baseline.save(record));
    write(() => recordStop(files, record, stopId, at, world.pid));
    const change = instructionsChange(launch.instructions, readInstructions(files, project, paths.folder, log.say));
    const transcript = savedSession(files, world, id)?.transcript;
    const place = {
      world,
      id,
      project,
      files: bestEffort(log.say, "save the state in the project", () => projectFiles(files, project, folder)),
      outputFile: join(folder, `supervisor-${id}-output.jsonl`),
    };
    const session = {
      ...place,
      ...{ options, log, redactor, instructions: launch.instructions, states: [stateOnRecord(place, record)] },
      checks: sessionChecks(world, launch, record, settings),
      way: sessionWay(files, {
        context: options.context,
        launch,
        settings,
        isTerminal: false,
      }),
      reviewer: (way: ReviewWay, cwd: string) =>
        reviewerProgram(world, {
          way,
          claude: launch.claude,
          sessionId: id,
          settings,
          systemPrompt: undefined,
          project,
          cwd,
          transcript,
        }),
    };
    const stop = {
      // Each prompt of the user restarts the count.
      asked: { prompts, userPromptId: `loop ${startedAt} ${prompts.length}` },
      recorded: undefined,
      tasks: [],
      cwd: project,
      isRepeated: round > 1,
      findings: [change, leftOutFinding(launch.checks.left_out, project)].filter((each) => each !== undefined),
      changes: baseline.changes(),
      evidence: () => sessionEvidence({ project, transcript, lastMessage: undefined }),
    };
    const skipped = whySkipped({ ...NOTHING_SKIPPED, usedTools, when: options.when });
    const outcome: Outcome =
      skipped === undefined ? await reviewStop(session, stop) : { kind: "skipped", why: skipped };
    write(() => recordOutcome(files, record, stopId, world.now().toISOString(), outcome));
    return outcome;
  };
}

/** An agent that has exited neither delegates nor waits. In plan mode the plan is what the loop is for. */
const NOTHING_SKIPPED = { tasks: [], isPlanning: false, hasWakeUp: false, changedSinceDone: undefined };
