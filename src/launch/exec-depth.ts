import { CccError, EXIT } from "../errors.ts";
import type { World } from "../world.ts";

/** Tells claude's process by whom it was started: the process id, and how many ccc are below one another. */
export const EXEC_MARK = "CCC_EXEC";

/** An agent may well run ccc itself, but not without end. */
const DEEPEST = 8;

export function nextMark(world: World): string {
  return `${world.pid}.${depth(world) + 1}`;
}

/** A claude that turns out to run ccc again, a wrapper script for instance, would do so for ever. */
export function refuseLoop(world: World, claude: string): void {
  const isSameProcess = world.env[EXEC_MARK]?.split(".")[0] === String(world.pid);
  if (!isSameProcess && depth(world) < DEEPEST) return;
  throw new CccError(`the claude that ccc found leads back to ccc, and the next one would be ${claude}`, {
    exitCode: EXIT.noClaude,
    advice: "Set CCC_CLAUDE to the path of Claude Code.",
  });
}

function depth({ env }: World): number {
  return Number(env[EXEC_MARK]?.split(".")[1] ?? 0) || 0;
}
