import type { Env } from "../world.ts";

/** Set in the reviewer's environment: a Stop hook that finds it belongs to the reviewer's own session. */
export const REVIEWER_MARK = "CCC_SUPERVISOR_HOOK";

/** What a hook says that has nothing to do, because its session is a reviewer's; undefined for every other command. */
export function guard([command]: readonly string[], env: Env): string | undefined {
  if (command !== "supervisor-hook" || env[REVIEWER_MARK] !== "1") return undefined;
  return `ccc supervisor-hook: skipped, this is the reviewer's own session (${REVIEWER_MARK}=1)\n`;
}
