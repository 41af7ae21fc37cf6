import { join } from "node:path";
import type { BackgroundTask } from "../claude/stop-event.ts";
import type { Paths } from "../config/paths.ts";
import { messageOf } from "../io/errors.ts";
import type { World } from "../world.ts";
import type { Outcome } from "./answer.ts";
import { makeStateFolder } from "./folder.ts";
import { readInstructions } from "./instructions.ts";
import type { HookLog } from "./log.ts";
import type { SupervisorOptions } from "./options.ts";
import type { Asked } from "./prompts.ts";
import { reviewMessage } from "./request.ts";
import { review } from "./reviewer.ts";
import { reviewerProgram } from "./reviewer-program.ts";
import { claimRound, type Round, recordFeedback } from "./state.ts";

/** A session that is supervised, and everything that its reviews need. */
export interface Session {
  readonly world: World;
  readonly id: string;
  /** The folder that it began in. */
  readonly project: string;
  /** Where state and output are kept. */
  readonly folder: string;
  readonly paths: Paths;
  /** The reviewer's settings. */
  readonly settings: string | undefined;
  readonly options: SupervisorOptions;
  readonly log: HookLog;
  /** Removes secrets from a text. */
  readonly clean: (text: string) => string;
}

/** What is known of a stop. */
export interface Stop {
  readonly asked: Asked;
  readonly tasks: readonly BackgroundTask[];
  /** Where the agent is now. */
  readonly cwd: string;
  /** Whether it follows a review, as far as Claude Code tells. */
  readonly isRepeated: boolean;
}

export function outputFile({ folder, id }: Pick<Session, "folder" | "id">): string {
  return join(folder, `supervisor-${id}-output.jsonl`);
}

/** Reviews a stop, if the limit allows: state → request → reviewer → verdict. */
export async function reviewStop(session: Session, stop: Stop): Promise<Outcome> {
  const { world, log, options, project } = session;
  attempt(session, () => makeStateFolder(world.files, session.folder));
  const claimed = claim(session, stop);
  if (claimed === undefined) return { kind: "limit" };

  const { round, statePath } = claimed;
  const keep = keepOutput(session);
  const instructions = readInstructions(world.files, project, session.paths.folder, log.say);
  const stdin = reviewMessage({
    instructions,
    prompts: stop.asked.prompts,
    round: round.number,
    limit: options.maxIterations,
    earlier: round.earlier,
    tasks: stop.tasks,
    cwd: stop.cwd === project ? undefined : stop.cwd,
  });
  const result = await review({
    child: {
      program: await reviewerProgram(world, session.settings, session.id, instructions, [project, stop.cwd]),
      cwd: project,
      stdin,
    },
    timeoutSeconds: options.timeoutSeconds,
    marker: options.completionMarker,
    run: world.run,
    clock: () => world.now().getTime(),
    onText: (text) => world.stderr(`${session.clean(text)}\n`),
    onLine: keep.line,
    onNoise: log.say,
  }).finally(keep.close);

  if ("failure" in result) return { kind: "unreviewed", why: result.failure };
  const { costUsd } = result;
  const { completed } = result.verdict;
  const feedback = session.clean(result.verdict.feedback);
  log.say(`round ${round.number}: ${completed ? "done" : "not done"}`);
  if (completed) return { kind: "done", rounds: round.number, feedback, costUsd };
  attempt(session, () => statePath && recordFeedback(world.files, statePath, feedback, world.now().toISOString()));
  return { kind: "rework", round: round.number, feedback, costUsd };
}

const NEWLINE = Buffer.from("\n");

/** Keeps the review as it comes, as long as that works: it must not cost the review. */
function keepOutput(session: Session) {
  let output = attempt(session, () => session.world.files.openAppend(outputFile(session)));
  const close = () => {
    output?.close();
    output = undefined;
  };
  const line = (bytes: Uint8Array) => {
    try {
      output?.write(Buffer.concat([bytes, NEWLINE]));
    } catch (error) {
      session.log.say(`the review is not kept: ${messageOf(error)}`);
      close();
    }
  };
  return { line, close };
}

/** Counts the review. Where the project's folder cannot be written, ccc's own keeps the count. */
function claim({ world, id, folder, paths, options, log }: Session, { asked, isRepeated }: Stop) {
  const name = `supervisor-${id}.json`;
  const now = world.now().toISOString();
  const wanted = { sessionId: id, userPromptId: asked.userPromptId, limit: options.maxIterations, now };
  for (const statePath of [join(folder, name), join(paths.generated, name)]) {
    try {
      const round = claimRound(world.files, statePath, wanted, log.say);
      return round && { round, statePath };
    } catch (error) {
      log.say(`the state was not saved: ${messageOf(error)}`);
    }
  }
  // Nothing can be counted, and no loop may be endless: only the first stop of a prompt is reviewed.
  const round: Round = { number: 1, earlier: [] };
  return isRepeated ? undefined : { round, statePath: undefined };
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
