/** Events that Claude Code waits for too often to load valibot: the status line, and tool calls of a reviewer. */
import { asObject, type Json, parseJson } from "../text/json.ts";
import { SESSION_ID } from "./sessions.ts";
import type { HookCommand } from "./versions.ts";

/** The stdin of a status line command, as far as ccc shows it. Versions differ in what they send. */
export interface StatusEvent {
  readonly session: string | undefined;
  /** The folder in which the session was started. */
  readonly folder: string | undefined;
  readonly model: string | undefined;
  /** How much of the model's context is used, in percent; unknown before the first answer. */
  readonly contextUsed: number | undefined;
}

export function readStatusEvent(text: string): StatusEvent {
  const { session_id: session, model, context_window: context, workspace, cwd } = asObject(parseJson(text));
  const { project_dir: project } = asObject(workspace);
  const { display_name: name, id } = asObject(model);
  const { used_percentage: used } = asObject(context);
  return {
    session: typeof session === "string" && SESSION_ID.test(session) ? session : undefined,
    folder: [project, cwd].find(isText),
    model: [name, id].find(isText),
    contextUsed: typeof used === "number" && Number.isFinite(used) ? used : undefined,
  };
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}

/** A tool call that Claude Code is about to make, from the stdin of a PreToolUse hook. */
export interface ToolEvent {
  readonly tool: string;
  readonly input: Json;
  /** The current folder of the session's shell. */
  readonly cwd: string;
  /** The name of the project's folder in Claude Code's own data. */
  readonly slug: string | undefined;
}

export function readToolEvent(text: string): ToolEvent | undefined {
  const { tool_name: tool, tool_input: input, cwd, transcript_path: transcript } = asObject(parseJson(text));
  if (typeof tool !== "string" || typeof cwd !== "string") return undefined;
  const parts = typeof transcript === "string" ? transcript.replaceAll("\\", "/").split("/") : [];
  return { tool, input: asObject(input), cwd, slug: parts[parts.length - 2] || undefined };
}

/** The hook's answer: allowed in every permission mode, or denied with a reason for the model. */
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

/** Settings whose only hook is this one, before every tool call. */
export function withToolHook({ hooks: _, ...settings }: Json, command: HookCommand): Json {
  const hook = { matcher: "*", hooks: [{ type: "command", ...command, timeout: TIMEOUT_SECONDS, onFailure: "block" }] };
  return { ...settings, disableAllHooks: false, allowManagedHooksOnly: false, hooks: { PreToolUse: [hook] } };
}

/** Whether settings have a tool hook whose command contains this word, and let it run. */
export function hasToolHook(settings: Json, word: string): boolean {
  const hooks = asObject(settings.hooks).PreToolUse;
  return settings.disableAllHooks !== true && JSON.stringify(hooks ?? "").includes(word);
}

/** Whether a timeout blocks the tool depends on the version: blockingFailures. */
const TIMEOUT_SECONDS = 60;
