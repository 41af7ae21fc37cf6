import { asObject, type Json } from "../text/json.ts";
import type { HookCommand } from "./hook-form.ts";

/** The answer of a Stop hook. An empty one lets the agent stop. */
export interface StopAnswer {
  readonly decision?: "block";
  readonly reason?: string;
  readonly hookSpecificOutput?: { readonly hookEventName: "Stop"; readonly additionalContext: string };
  /** For the user alone. */
  readonly systemMessage?: string;
  /** Notifications and titles for the terminal: OSC 0, 1, 2, 9, 99, 777 and BEL, at most 4,096 bytes. */
  readonly terminalSequence?: string;
}

/** The agent goes on, with this feedback. As a block, which every version knows, it is shown as an error, and the agent gets it twice. */
export function goOn(feedback: string, takesFeedback: boolean): StopAnswer {
  if (!takesFeedback) return { decision: "block", reason: feedback };
  return { hookSpecificOutput: { hookEventName: "Stop", additionalContext: feedback } };
}

/** Claude Code replaces longer strings with a reference to a file. */
export const LONGEST_REASON = 10_000;

/** Variables that switch off all hooks. */
export const WITHOUT_HOOKS = ["CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_SAFE_MODE"] as const;

/** Options that switch off all hooks. */
export const OPTIONS_WITHOUT_HOOKS: readonly string[] = ["--bare", "--safe-mode"];

/** How many blocks in a row Claude Code accepts before it ends the turn itself; 8 by default. */
export const BLOCK_CAP = "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP";

/** A Stop hook, as in settings. */
export function stopHook(command: HookCommand, timeoutSeconds: number) {
  return { hooks: [{ type: "command", ...command, timeout: timeoutSeconds, statusMessage: STOP_STATUS }] };
}

/** A Stop hook that has nothing to do unless supervision is switched on in the session. */
export function switchableHook(command: HookCommand, timeoutSeconds: number) {
  return { hooks: [{ type: "command", ...command, timeout: timeoutSeconds, statusMessage: SWITCHABLE_STATUS }] };
}

/** Not the one below: in the transcript, that one says that the session is supervised. */
const SWITCHABLE_STATUS = "supervisor";

/** What the spinner says meanwhile. Newer versions also call the hook by it in the transcript. */
export const STOP_STATUS = "supervisor is reviewing the work";

/** A SessionStart or UserPromptSubmit hook, as in settings. The session waits for it. */
export function recordHook(command: HookCommand) {
  return { hooks: [{ type: "command", ...command, timeout: RECORD_TIMEOUT_SECONDS }] };
}

const RECORD_TIMEOUT_SECONDS = 10;

/** Hooks by event. */
export type Hooks = Readonly<Record<string, ReturnType<typeof recordHook>>>;

/** Settings with hooks added after their own. */
export function withHooks(settings: Json, added: Hooks): Json {
  const hooks = asObject(settings.hooks);
  const all = Object.entries(added).map(([event, hook]) => {
    const others = Array.isArray(hooks[event]) ? hooks[event] : [];
    return [event, [...others, hook]] as const;
  });
  return { ...settings, hooks: { ...hooks, ...Object.fromEntries(all) } };
}

/** Settings that let hooks run, whatever settings of lower precedence say. */
export function withHooksAllowed(settings: Json): Json {
  return { ...settings, disableAllHooks: false, allowManagedHooksOnly: false };
}
