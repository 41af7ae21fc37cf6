import { join } from "node:path";
import type { BackgroundTask } from "../claude/stop-event.ts";
import type { Paths } from "../config/paths.ts";
import { messageOf } from "../io/errors.ts";
import type { World } from "../world.ts";
import type { Outcome } from "./answer.ts";
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
}

/** What is known of a stop. */
export interface Stop {
  readonly asked: Asked;
  readonly tasks: readonly BackgroundTask[];
  /** Whether it follows a review, as far as Claude Code tells. */
  readonly isRepeated: boolean;
}

export function outputFile({ folder, id }: Pick<Session, "folder" | "id">): string {
  return join(folder, `supervisor-${id}-output.jsonl`);
}

/** Reviews a stop, if the limit allows: state → request → reviewer → verdict. */
export async function reviewStop(session: Session, stop: Stop): Promise<Outcome> {
  const { world, log, options, project } = session;
  const claimed = claim(session, stop);
  if (claimed === undefined) return { kind: "limit" };

  const { round, statePath } = claimed;
  attempt(session, () => world.files.writePrivate(join(session.folder, ".gitignore"), "*\n"));
  const output = attempt(session, () => world.files.openAppend(outputFile(session)));
  const instructions = readInstructions(world.files, project, session.paths.folder, log.say);
  const stdin = reviewMessage({
    instructions,
    prompts: stop.asked.prompts,
    round: round.number,
    limit: options.maxIterations,
    earlier: round.earlier,
    tasks: stop.tasks,
  });
  const result = await review({
    child: { program: reviewerProgram(world, session.settings, session.id, instructions), cwd: project, stdin },
    timeoutSeconds: options.timeoutSeconds,
    marker: options.completionMarker,
    run: world.run,
    clock: () => world.now().getTime(),
    onText: (text) => world.stderr(`${text}\n`),
    onLine: (line) => output?.write(Buffer.concat([line, NEWLINE])),
    onNoise: log.say,
  }).finally(() => output?.close());

  if ("failure" in result) return { kind: "unreviewed", why: result.failure };
  const { costUsd } = result;
  const { completed, feedback } = result.verdict;
  log.say(`round ${round.number}: ${completed ? "done" : "not done"}`);
  if (completed) return { kind: "done", rounds: round.number, feedback, costUsd };
  attempt(session, () => statePath && recordFeedback(world.files, statePath, feedback, world.now().toISOString()));
  return { kind: "rework", round: round.number, feedback, costUsd };
}

const NEWLINE = Buffer.from("\n");

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
