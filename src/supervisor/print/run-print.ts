import type { Paths } from "../../config/ccc-paths.ts";
import { prepare } from "../../launch/execute.ts";
import type { Plan } from "../../launch/plan.ts";
import { NOTES_MARK } from "../../marks.ts";
import { pause } from "../../os/pause.ts";
import { createLog } from "../../terminal/log.ts";
import type { World } from "../../world.ts";
import { openRunNotes, type RunNotes } from "../record/run-notes.ts";
import { earlierReviews, printEnding } from "./print-ending.ts";

/**
 * Carries out the plan of a supervised `-p`. Nobody looks at a screen then, so ccc waits for claude and says on stderr and
 * in the exit code how the supervision ended. stdout is claude's alone.
 */
export async function runPrint(plan: Plan, world: World, paths: Paths): Promise<number> {
  const env = prepare(plan, world, paths);
  const notes = openRunNotes(world.files, paths);
  try {
    const running = world.handOver({
      ...{ file: plan.file, args: plan.args },
      env: { ...env, [NOTES_MARK]: notes.name },
    });
    const log = createLog(world);
    await tellReviews(running, notes, log.info);
    const { code, lines } = printEnding(notes.read(), await running, plan.provider);
    for (const line of lines) log.info(line);
    return code;
  } finally {
    notes.remove();
  }
}

/** Tells of each review while claude works on. */
async function tellReviews(
  running: Promise<unknown>,
  { read }: Pick<RunNotes, "read">,
  tell: (line: string) => void,
): Promise<void> {
  let told = 0;
  let isOver = false;
  const ended = running.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    await pause(SECONDS_BETWEEN_LOOKS, ended);
    const lines = earlierReviews(read());
    for (const line of lines.slice(told)) tell(line);
    told = lines.length;
  }
}

const SECONDS_BETWEEN_LOOKS = 1;
