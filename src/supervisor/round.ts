import type { BackgroundTask } from "../claude/stop-event.ts";
import { messageOf } from "../errors.ts";
import type { GuardedFiles } from "../os/files.ts";
import type { Redactor } from "../text/redactor.ts";
import type { Program, World } from "../world.ts";
import type { Outcome } from "./answer.ts";
import type { Instructions } from "./instructions.ts";
import type { HookLog } from "./log.ts";
import type { SupervisorOptions } from "./options.ts";
import type { Asked } from "./prompts.ts";
import { reviewMessage } from "./request.ts";
import { review } from "./reviewer.ts";
import { claimRound, type Round, recordFeedback, type StatePlace } from "./state.ts";

/** A session that is supervised, and everything that its reviews need. */
export interface Session {
  readonly world: World;
  readonly id: string;
  /** The folder that it began in. */
  readonly project: string;
  /** Where its state is kept: the first place that can be written counts. */
  readonly states: readonly StatePlace[];
  /** ccc's files in the project, undefined where it can have none. */
  readonly files: GuardedFiles | undefined;
  /** Keeps every line of its reviews. */
  readonly outputFile: string;
  readonly instructions: Instructions;
  /** The program that reviews it; the agent may have gone to another folder. */
  readonly reviewer: (cwd: string) => Promise<Program>;
  readonly options: SupervisorOptions;
  readonly log: HookLog;
  readonly redactor: Redactor;
}

/** What is known of a stop. */
export interface Stop {
  readonly asked: Asked;
  readonly tasks: readonly BackgroundTask[];
  /** Where the agent is now. */
  readonly cwd: string;
  /** Whether it follows a review, as far as Claude Code tells. */
  readonly isRepeated: boolean;
  /** What ccc itself noticed and the reviewer should know. */
  readonly findings: readonly string[];
}

/** Reviews a stop, if the limit allows: state → request → reviewer → verdict. */
export async function reviewStop(session: Session, stop: Stop): Promise<Outcome> {
  const { world, log, options, project } = session;
  const claimed = claim(session, stop);
  if (claimed === undefined) {
    log.say(`the limit of ${options.maxIterations} reviews for one prompt is reached`);
    return { kind: "limit" };
  }

  const { round, place } = claimed;
  const keep = keepOutput(session);
  const stdin = reviewMessage({
    instructions: session.instructions.text,
    prompts: stop.asked.prompts,
    round: round.number,
    limit: options.maxIterations,
    earlier: round.earlier,
    tasks: stop.tasks,
    cwd: stop.cwd === project ? undefined : stop.cwd,
    findings: stop.findings,
  });
  const result = await review({
    child: { program: await session.reviewer(stop.cwd), cwd: project, stdin },
    timeoutSeconds: options.timeoutSeconds,
    marker: options.completionMarker,
    run: world.run,
    clock: () => world.now().getTime(),
    clean: session.redactor.text,
    onText: (text) => world.stderr(`${session.redactor.text(text)}\n`),
    onLine: keep.line,
    onNoise: log.say,
  }).finally(keep.close);

  if ("failure" in result) return { kind: "unreviewed", why: result.failure };
  const { costUsd } = result;
  const { completed } = result.verdict;
  // The agent goes on with it: what only looks like a secret stays.
  const feedback = session.redactor.known(result.verdict.feedback);
  log.say(`round ${round.number}: ${completed ? "done" : "not done"}`);
  if (completed) return { kind: "done", rounds: round.number, feedback, costUsd };
  attempt(session, () => place && recordFeedback(place, feedback, world.now().toISOString()));
  return { kind: "rework", round: round.number, feedback, costUsd };
}

const NEWLINE = Buffer.from("\n");

/** Keeps the review as it comes, as long as that works: it must not cost the review. */
function keepOutput(session: Session) {
  let output = attempt(session, () => session.files?.openAppend(session.outputFile));
  const close = () => {
    output?.close();
    output = undefined;
  };
  const line = (bytes: Uint8Array) => {
    try {
      output?.write(Buffer.concat([session.redactor.line(bytes), NEWLINE]));
    } catch (error) {
      session.log.say(`the review is not kept: ${messageOf(error)}`);
      close();
    }
  };
  return { line, close };
}

/** Counts the review. Undefined once the limit is reached. */
function claim({ world, id, states, options, log }: Session, { asked, isRepeated }: Stop) {
  const now = world.now().toISOString();
  const wanted = { sessionId: id, userPromptId: asked.userPromptId, limit: options.maxIterations, now };
  for (const place of states) {
    try {
      const round = claimRound(place, wanted, log.say);
      return round && { round, place };
    } catch (error) {
      log.say(`the state was not saved: ${messageOf(error)}`);
    }
  }
  // Nothing can be counted, and no loop may be endless: only the first stop of a prompt is reviewed.
  const round: Round = { number: 1, earlier: [] };
  return isRepeated ? undefined : { round, place: undefined };
}

/** Does what the review can do without. */
function attempt<T>({ log }: Session, action: () => T): T | undefined {
  try {
    return action();
  } catch (error) {
    log.say(messageOf(error));
    return undefined;
  }
}
