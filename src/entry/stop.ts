import { superviseStop, waitAfterFailure } from "../supervisor/hooks/stop.ts";
import { runHookOf } from "./hook.ts";
import type { HookInput } from "./idle.ts";

/** `ccc supervisor-hook` and `ccc supervisor-failure`: the agent stops, by itself or because of an error. */
export function stopHook(host: NodeJS.Process, input: HookInput | undefined): Promise<void> {
  return runHookOf(host, host.argv[2] === "supervisor-failure" ? waitAfterFailure : superviseStop, input);
}
