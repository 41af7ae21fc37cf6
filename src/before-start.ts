/** What is decided before anything else is loaded. The build bundles it on its own, so that no file is shared with the rest. */
export { plainKey } from "./commands/key/plain-key.ts";
export { GUARD_COMMAND, type HookName, IDLE_FLAG, isHook, STATUS_COMMAND } from "./marks.ts";
export { skipReason } from "./supervisor/hooks/skip.ts";
