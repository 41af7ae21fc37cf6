import { CccError, EXIT } from "../errors.ts";
import { EXEC_MARK } from "../marks.ts";
import type { World } from "../world.ts";

/** An agent may run ccc itself, but not endlessly. */
const DEEPEST = 8;

export function nextMark(world: World): string {
  return `${world.pid}.${depth(world) + 1}`;
}

/** A claude that runs ccc again, such as a wrapper script, would loop forever. */
export function refuseLoop(world: World, claude: string): void {
  const isSameProcess = world.env[EXEC_MARK]?.split(".")[0] === String(world.pid);
  if (!isSameProcess && depth(world) < DEEPEST) return;
  throw new CccError(`the claude that ccc found runs ccc again; it is now about to run ${claude}`, {
    exitCode: EXIT.noClaude,
    advice: "Set CCC_CLAUDE to the path of Claude Code.",
  });
}

function depth({ env }: World): number {
  return Number(env[EXEC_MARK]?.split(".")[1] ?? 0) || 0;
}
