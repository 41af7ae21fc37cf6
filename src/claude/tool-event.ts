import { asObject, type Json, parseJson } from "../text/json.ts";

/** A tool that Claude Code is about to use, as a PreToolUse hook is told. */
export interface ToolEvent {
  readonly tool: string;
  readonly input: Json;
  /** Where its shell is. */
  readonly cwd: string;
  /** Claude Code's name for the project, in the paths of what it keeps about it. */
  readonly slug: string | undefined;
}

/** Reads the event by hand: a hook before every tool has no time to load a library for it. */
export function readToolEvent(text: string): ToolEvent | undefined {
  const { tool_name: tool, tool_input: input, cwd, transcript_path: transcript } = asObject(parseJson(text));
  if (typeof tool !== "string" || typeof cwd !== "string") return undefined;
  const slug = typeof transcript === "string" ? transcript.split(/[/\\]/).at(-2) : undefined;
  return { tool, input: asObject(input), cwd, slug: slug || undefined };
}

/** Answers the event: allowed whatever the mode is, or refused with a reason that the model is told. */
export function toolAnswer(refusal: string | undefined): string {
  const decision = refusal === undefined ? "allow" : "deny";
  const reason = refusal ?? "part of a review";
  return JSON.stringify({
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      permissionDecision: decision,
      permissionDecisionReason: reason,
    },
  });
}

/** Settings in which this hook is the only one, and is asked before every tool. */
export function withToolHook({ hooks: _, ...settings }: Json, command: string): Json {
  const hook = { matcher: "*", hooks: [{ type: "command", command, timeout: TIMEOUT_SECONDS }] };
  return { ...settings, disableAllHooks: false, allowManagedHooksOnly: false, hooks: { PreToolUse: [hook] } };
}

/** Whether settings have a hook with such a command before every tool, and nothing that keeps it from running. */
export function hasToolHook(settings: Json, word: string): boolean {
  const hooks = asObject(settings.hooks).PreToolUse;
  return settings.disableAllHooks !== true && JSON.stringify(hooks ?? "").includes(word);
}

/** Claude Code goes by its own rules when the hook does not answer in time. */
const TIMEOUT_SECONDS = 60;
