import type { Paths } from "../../config/ccc-paths.ts";
import { prepare } from "../../launch/execute.ts";
import type { Plan } from "../../launch/plan.ts";
import { NOTES_MARK } from "../../marks.ts";
import { createLog } from "../../terminal/log.ts";
import type { World } from "../../world.ts";
import { openRunNotes } from "../record/run-notes.ts";
import { printEnding } from "./print-ending.ts";

/**
 * Carries out the plan of a supervised `-p`. Nobody looks at a screen then, so ccc waits for claude and says on stderr and
 * in the exit code how the supervision ended. stdout is claude's alone.
 */
export async function runPrint(plan: Plan, world: World, paths: Paths): Promise<number> {
  const env = prepare(plan, world, paths);
  const notes = openRunNotes(world.files, paths);
  try {
    const end = await world.handOver({ file: plan.file, args: plan.args, env: { ...env, [NOTES_MARK]: notes.name } });
    const { code, lines } = printEnding(notes.read(), end, plan.provider);
    for (const line of lines) createLog(world).info(line);
    return code;
  } finally {
    notes.remove();
  }
}
