import { asObject, type Json } from "../text/json.ts";

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

/** A SessionStart or UserPromptSubmit hook as it stands in settings. The session waits for it. */
export function recordHook(command: string) {
  return { hooks: [{ type: "command", command, timeout: RECORD_TIMEOUT_SECONDS }] };
}

const RECORD_TIMEOUT_SECONDS = 10;

/** A hook for each of some events. */
export type Hooks = Readonly<Record<string, ReturnType<typeof recordHook>>>;

/** Settings with hooks behind those that they have. */
export function withHooks(settings: Json, added: Hooks): Json {
  const hooks = asObject(settings.hooks);
  const all = Object.entries(added).map(([event, hook]) => {
    const others = Array.isArray(hooks[event]) ? hooks[event] : [];
    return [event, [...others, hook]] as const;
  });
  return { ...settings, hooks: { ...hooks, ...Object.fromEntries(all) } };
}

/** Settings that say that hooks run, whatever weaker ones say. */
export function withHooksAllowed(settings: Json): Json {
  return { ...settings, disableAllHooks: false, allowManagedHooksOnly: false };
}
