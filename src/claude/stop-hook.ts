import { asObject, type Json } from "../io/json.ts";

/** What a Stop hook may answer. No answer lets the agent stop. */
export interface StopAnswer {
  readonly decision?: "block";
  readonly reason?: string;
  readonly systemMessage?: string;
}

/** Claude Code replaces longer strings by a reference to a file. */
export const LONGEST_REASON = 10_000;

/** Variables with which Claude Code runs no hooks at all. */
export const WITHOUT_HOOKS = ["CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_SAFE_MODE"] as const;

/** Options with the same effect. */
export const OPTIONS_WITHOUT_HOOKS: readonly string[] = ["--bare", "--safe-mode"];

/** After so many blocks in a row Claude Code ends the turn itself, 8 unless this variable says otherwise. */
export const BLOCK_CAP = "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP";

/** A Stop hook as it stands in settings. */
export function stopHook(command: string, timeoutSeconds: number) {
  const hook = { type: "command", command, timeout: timeoutSeconds, statusMessage: "supervisor reviews the work" };
  return { hooks: [hook] };
}

/** Settings with a Stop hook behind those that they have. */
export function withStopHook(settings: Json, hook: ReturnType<typeof stopHook>): Json {
  const hooks = asObject(settings.hooks);
  const others = Array.isArray(hooks.Stop) ? hooks.Stop : [];
  return { ...settings, hooks: { ...hooks, Stop: [...others, hook] } };
}

/** Settings that say that hooks run, whatever weaker ones say. */
export function withHooksAllowed(settings: Json): Json {
  return { ...settings, disableAllHooks: false, allowManagedHooksOnly: false };
}
