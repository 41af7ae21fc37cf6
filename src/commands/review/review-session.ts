import type { Paths } from "../../config/ccc-paths.ts";
import type { ReviewContext } from "../../config/defaults.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { readBaseline } from "../../supervisor/baseline/baseline.ts";
import type { SettledChecks } from "../../supervisor/checks/known-checks.ts";
import { GO_ON } from "../../supervisor/loop/limit-wait.ts";
import { rememberEnvironment } from "../../supervisor/record/launch-environment.ts";
import { readLaunch } from "../../supervisor/record/launch-record.ts";
import { readPromptRecord } from "../../supervisor/record/prompt-record.ts";
import { readLastAnswer } from "../../supervisor/record/read-transcript.ts";
import { sessionPrompts } from "../../supervisor/record/session-prompts.ts";
import { sessionRecord } from "../../supervisor/record/session-record.ts";
import { savedState } from "../../supervisor/record/state.ts";
import type { StopNotes } from "../../supervisor/record/stop-notes.ts";
import { unsavedState } from "../../supervisor/record/unsaved-state.ts";
import type { Instructions } from "../../supervisor/review/instructions.ts";
import type { Outcome } from "../../supervisor/review/outcome.ts";
import { reviewStop } from "../../supervisor/review/review-stop.ts";
import { sessionChecks } from "../../supervisor/review/session-checks.ts";
import { sessionEvidence } from "../../supervisor/review/session-evidence.ts";
import { sessionReviewers } from "../../supervisor/review/session-reviewers.ts";
import { supervisorOptions } from "../../supervisor/supervisor-options.ts";
import { changesWhenAsked } from "../../supervisor/tampering/changes-when-asked.ts";
import type { Redactor } from "../../text/redactor.ts";
import type { EndSignal, World } from "../../world.ts";
import { interruptibleWorld } from "../interruptible-world.ts";
import type { FoundSession } from "./find-session.ts";
import type { PreparedReviewers } from "./prepare-reviewers.ts";
import { sessionFindings } from "./session-findings.ts";

export interface ReviewOrder {
  readonly session: FoundSession;
  readonly loaded: LoadedConfig;
  readonly paths: Paths;
  readonly reviewers: PreparedReviewers;
  readonly instructions: Instructions;
  readonly checks: SettledChecks;
  readonly context: ReviewContext;
  readonly redactor: Redactor;
  /** Gets what the review does now, in a few words. */
  readonly onStep: (step: string) => void;
  readonly onTrouble: (message: string) => void;
}

export interface SessionReview {
  readonly outcome: Outcome;
  readonly notes: StopNotes;
  readonly findings: readonly string[];
  /** The signal that ended it. */
  readonly signal: EndSignal | undefined;
}

/** Reviews a session as it is now, like a stop. Nothing of it is kept. */
export async function reviewSession(world: World, order: ReviewOrder): Promise<SessionReview> {
  const { paths, reviewers, instructions, checks } = order;
  const { id, transcript, facts: told } = order.session;
  const { files, cwd: project } = world;
  const record = sessionRecord(paths, id);
  const state = savedState(files.read(record.state));
  const { prompts, isUnrecorded } = sessionPrompts(readPromptRecord(files, record) ?? [], told.prompts, [
    ...(state?.feedback ?? []),
    GO_ON,
  ]);
  const launch = {
    ...{ cwd: project, ...reviewers.record, instructions, checks },
    environment: rememberEnvironment(world.env),
  };
  const baseline = readBaseline(files, record);
  const cwd = told.cwd !== undefined && files.identify(told.cwd)?.isFolder === true ? told.cwd : project;
  const findings = sessionFindings({
    ...{ instructions, project, prompts: told.prompts, leftOut: checks.left_out },
    launched: readLaunch(files, record.launch)?.instructions,
    answer: await readLastAnswer(transcript),
    isBaselineOlder: baseline !== undefined && isUnrecorded,
  });

  const { world: there, signal, stopListening } = interruptibleWorld(world);
  const quiet: World = { ...there, stderr: () => {} };
  let notes: StopNotes = {};
  const evidence = () => sessionEvidence({ project, transcript, lastMessage: undefined });
  const isWarm = world.now().getTime() - (files.modified(transcript) ?? 0) < WARM_MS;
  const outcome = await reviewStop(
    {
      ...{ world: quiet, id, project, files: undefined, outputFile: "", states: [unsavedState(state)] },
      ...{ instructions, redactor: order.redactor, log: { say: () => {} } },
      // The user asks for one review, whatever it costs.
      isOnDemand: true,
      options: { ...supervisorOptions(order.loaded.config), maxIterations: 1, budgetTokens: 0, stalemate: 0 },
      checks: { ...sessionChecks(world, launch, record, reviewers.settings), memory: undefined },
      reviewers: sessionReviewers(quiet, {
        ...{ launch, settings: reviewers.settings, isTerminal: told.isTerminal, claude: launch.claude },
        context: order.context === "auto" && !isWarm ? "fresh" : order.context,
        ...{ sessionId: id, project, transcript },
      }),
      onTrouble: order.onTrouble,
      onStep: order.onStep,
      note: (more) => {
        notes = { ...notes, ...more };
      },
    },
    {
      asked: { prompts, userPromptId: undefined },
      ...{ recorded: undefined, tasks: [], isRepeated: false, agentTokens: 0, cwd, findings, evidence },
      changes: changesWhenAsked(quiet, { paths, launch, project, cwd }, baseline),
      lastMessage: async () => (await evidence()).lastMessage,
    },
  ).finally(stopListening);
  return { outcome, notes, findings, signal: signal() };
}

/** How long a prompt cache is kept at least. Later, a fork of a long session would be paid for in full. */
const WARM_MS = 5 * 60 * 1000;
