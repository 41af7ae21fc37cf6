import { join } from "node:path";
import { savedSession } from "../../claude/sessions.ts";
import type { Paths } from "../../config/ccc-paths.ts";
import { prettyJson } from "../../text/json.ts";
import type { Redactor } from "../../text/redactor.ts";
import type { World } from "../../world.ts";
import { bestEffort } from "../best-effort.ts";
import { leftOutFinding } from "../checks/describe-checks.ts";
import { projectFiles } from "../project-folder.ts";
import type { LaunchRecord } from "../record/launch-record.ts";
import { type LoopEnd, recordLoopEnd } from "../record/loop-end.ts";
import { openStop } from "../record/open-stop.ts";
import { readLastAnswer } from "../record/read-transcript.ts";
import { sessionRecord } from "../record/session-record.ts";
import { stateOnRecord } from "../record/state-on-record.ts";
import { instructionsChange, readInstructions } from "../review/instructions.ts";
import { notReviewed, type Outcome } from "../review/outcome.ts";
import { reviewStop } from "../review/review-stop.ts";
import { sessionChecks } from "../review/session-checks.ts";
import { sessionEvidence } from "../review/session-evidence.ts";
import { sessionReviewers } from "../review/session-reviewers.ts";
import { whySkipped } from "../review/why-skipped.ts";
import type { SupervisorLog } from "../supervisor-log.ts";
import type { SupervisorOptions } from "../supervisor-options.ts";
import type { LoopBaseline } from "./loop-baseline.ts";
import { loopPrompts } from "./loop-prompts.ts";
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
  /** Every message that the agent got so far. */
  readonly sent: ReadonlySet<string>;
  /** Tells the user about trouble with a reviewer, or with its instructions. */
  readonly onTrouble: (message: string) => void;
}

/** The supervision of a loop's session. */
export interface LoopSupervisor {
  /** Reviews a stop as the hook does, but without events from Claude Code. */
  readonly review: (id: string, stop: LoopStop) => Promise<Outcome>;
  /** Keeps how the loop ended, and the prompts since the last review: hooks may supervise the session from now on. */
  readonly close: (id: string, ended: LoopEnding) => Promise<void>;
}

export interface LoopEnding extends Pick<LoopEnd, "usage_limit"> {
  readonly prompts: readonly string[];
  readonly outcome: string;
  readonly reason: string;
}

export function loopSupervisor(
  world: World,
  { paths, launch, folder, settings, options, log, redactor, baseline, sent, onTrouble }: LoopReviews,
): LoopSupervisor {
  const { files } = world;
  const project = launch.cwd;
  const write = (action: () => void) => bestEffort(log.say, "write the session record", action);
  const asked = loopPrompts(files, world.now, write, sent);
  let told: string | undefined;
  const keepPrompts = async (id: string, prompts: readonly string[]) => {
    const record = sessionRecord(paths, id);
    const everyPrompt = await asked.record({ record, transcript: savedSession(files, world, id)?.transcript }, prompts);
    write(() => files.writePrivate(record.launch, prettyJson(launch)));
    write(() => baseline.save(record));
    return everyPrompt;
  };
  const review = async (id: string, { prompts, round, usedTools, answer, agentTokens }: LoopStop): Promise<Outcome> => {
    const record = sessionRecord(paths, id);
    const transcript = savedSession(files, world, id)?.transcript;
    const cwd = (transcript && (await readLastAnswer(transcript))?.cwd) || project;
    const everyPrompt = await keepPrompts(id, prompts);
    const open = openStop(world, record, { promptId: undefined, clean: redactor.value, write });
    const change = instructionsChange(launch.instructions, readInstructions(files, project, paths.folder, log.say));
    if (change !== undefined && change !== told) onTrouble(change);
    told = change;
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
      now: record.now,
      reviewers: sessionReviewers(world, {
        ...{ launch, settings, context: options.context, isTerminal: false },
        ...{ claude: launch.claude, sessionId: id, project, transcript },
      }),
      onTrouble,
      note: open.note,
    };
    const stop = {
      asked: everyPrompt,
      recorded: undefined,
      tasks: [],
      cwd,
      isRepeated: round > 1,
      findings: [change, leftOutFinding(launch.checks.left_out, project)].filter((each) => each !== undefined),
      changes: baseline.changes(cwd),
      evidence: () => sessionEvidence({ project, transcript, lastMessage: undefined }),
      lastMessage: async () => answer,
      agentTokens,
    };
    const skipped = whySkipped({ ...NOTHING_SKIPPED, usedTools, when: options.when });
    const outcome: Outcome =
      skipped === undefined ? await reviewStop(session, stop).catch(notReviewed) : { kind: "skipped", why: skipped };
    open.close(outcome);
    return outcome;
  };
  const close = async (id: string, { prompts, outcome, reason, usage_limit }: LoopEnding) => {
    await keepPrompts(id, prompts);
    const ended = { at: world.now().toISOString(), outcome, reason: redactor.text(reason), usage_limit };
    write(() => recordLoopEnd(files, sessionRecord(paths, id), ended));
  };
  return { review, close };
}

/** An agent that has exited neither delegates nor waits. In plan mode the plan is what the loop is for. */
const NOTHING_SKIPPED = { tasks: [], isPlanning: false, hasWakeUp: false, changedSinceDone: undefined };
