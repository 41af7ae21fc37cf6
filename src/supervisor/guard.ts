import type { Env } from "../world.ts";

/** Set in the reviewer's environment: a Stop hook that finds it belongs to the reviewer's own session. */
export const REVIEWER_MARK = "CCC_SUPERVISOR_HOOK";

/** Set by the settings of a launch, which decides about supervision itself; `ccc use` blanks it for plain claude. */
export const LAUNCH_MARK = "CCC_LAUNCH";
/** Tells the hook that it stands in the user's settings.json, where launches find it too. */
export const PERSISTENT_FLAG = "--persistent";

/** What a hook says that has nothing to do in this session; undefined for every other command. */
export function guard([command, ...args]: readonly string[], env: Env): string | undefined {
  if (command !== "supervisor-hook" && command !== "supervisor-prompt") return undefined;
  const skipped = (why: string) => `ccc ${command}: skipped, ${why}\n`;
  if (env[REVIEWER_MARK] === "1") return skipped(`this is the reviewer's own session (${REVIEWER_MARK}=1)`);
  if (env[LAUNCH_MARK] === "1" && args.includes(PERSISTENT_FLAG)) {
    return skipped("this session was started by ccc, which decides about its supervision itself");
  }
  return undefined;
}
