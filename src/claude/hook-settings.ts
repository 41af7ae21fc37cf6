import { join } from "../os/path.ts";
import { asObject, type Json } from "../text/json.ts";
import type { HookCommand } from "./versions.ts";

/** Settings of Claude Code's extension for VS Code. */
export const EDITOR_SETTINGS = {
  /** The program that starts Claude Code. Its first argument is the path of the extension's own claude. */
  wrapper: "claudeCode.claudeProcessWrapper",
  /** Whether the extension goes without a Claude login. */
  noLogin: "claudeCode.disableLoginPrompt",
  /** Variables for Claude Code, as a list of names and values. */
  variables: "claudeCode.environmentVariables",
} as const;

/** What the user types in a session. Claude Code completes it; ccc's UserPromptSubmit hook answers it. */
export const SESSION_COMMAND = "/ccc:supervisor";

/** Where ccc generates it, in its own folder. */
export function pluginFolder(generated: string): string {
  return join(generated, "plugin");
}

/** The files of a plugin with ccc's command. */
export function pluginFiles(folder: string): { readonly path: string; readonly content: string }[] {
  return [
    { path: join(folder, ".claude-plugin/plugin.json"), content: MANIFEST },
    { path: join(folder, "commands/supervisor.md"), content: COMMAND },
  ];
}

/** In front of another option: older versions take all words up to the next option for plugins. */
export function withPlugin(folder: string, args: readonly string[]): readonly string[] {
  return ["--plugin-dir", folder, ...args];
}

const MANIFEST = `{
  "name": "ccc",
  "version": "1.0.0",
  "description": "Commands of ccc in a session"
}
`;

/** The text below the front matter reaches a model only where ccc's hook does not run. */
const COMMAND = `---
description: Reviews of this session by ccc's supervisor
argument-hint: "[on|off|status|now]"
disable-model-invocation: true
---
Do nothing but tell the user this: ccc's hooks do not run in this session, so nothing was switched. \`ccc doctor\` says why.
`;

/**
 * Settings with a status line. It is run again at this interval, not only when something happens in the conversation;
 * versions that do not know the interval ignore it.
 */
export function withStatusLine(settings: Json, command: string, refreshSeconds: number): Json {
  return { ...settings, statusLine: { type: "command", command, refreshInterval: refreshSeconds } };
}

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
