import { recordPrompt } from "../supervisor/hooks/prompt.ts";
import { runHookOf } from "./hook.ts";
import type { HookInput } from "./idle.ts";

/** `ccc supervisor-prompt`: a session starts, or its user submits a prompt and waits. It loads no review code. */
export function promptHook(host: NodeJS.Process, input: HookInput | undefined): Promise<void> {
  return runHookOf(host, recordPrompt, input);
}
