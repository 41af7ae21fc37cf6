/** What ccc adds to the settings of a session: hooks, a status line, a plugin with its command. */
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

/** The command of ccc in a session. Claude Code completes it; ccc's UserPromptSubmit hook answers it. */
export const SESSION_COMMAND = "/ccc:supervisor";

/** The folder of the plugin with that command, below ccc's own. */
export function pluginFolder(generated: string): string {
  return join(generated, "plugin");
}

/** The files of the plugin. */
export function pluginFiles(folder: string): { readonly path: string; readonly content: string }[] {
  return [
    { path: join(folder, ".claude-plugin/plugin.json"), content: MANIFEST },
    { path: join(folder, "commands/supervisor.md"), content: COMMAND },
  ];
}

/** Goes before another option, because older versions take all words up to the next option for plugins. */
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

/** Variables that turn off all hooks. */
export const WITHOUT_HOOKS = ["CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_SAFE_MODE"] as const;

/** How many blocks in a row Claude Code accepts before it ends the turn itself; 8 by default. */
export const BLOCK_CAP = "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP";

/** What the spinner says during a review. In transcripts of newer versions it is the name of the Stop hook. */
export const STOP_STATUS = "supervisor is reviewing the work";

/**
 * The spinner's text for a hook that may have nothing to do. In a transcript, STOP_STATUS means that the session is
 * supervised.
 */
export const IDLE_STATUS = "supervisor";

/** The commands that Claude Code runs in an agent's session. Times are in seconds. */
interface SessionHooks {
  /** Runs when the session starts and at each prompt. The session waits for it. */
  readonly record: HookCommand;
  readonly stop: HookCommand & { readonly timeout: number; readonly statusMessage: string };
  /** Runs when an error of the API ended the turn, and may wake the session later. Older versions drop settings with it. */
  readonly failure: (HookCommand & { readonly timeout: number }) | undefined;
}

/** Adds hooks after the existing ones. Settings of lower precedence cannot turn them off. */
export function withHooks(settings: Json, { record, stop, failure }: SessionHooks): Json {
  const hooks = asObject(settings.hooks);
  const recording = { ...record, timeout: RECORD_TIMEOUT_SECONDS };
  const added = { SessionStart: recording, UserPromptSubmit: recording, Stop: stop };
  const waking = failure === undefined ? {} : { StopFailure: { ...failure, ...WAKING } };
  const all = Object.entries({ ...added, ...waking }).map(([event, command]) => {
    const others = Array.isArray(hooks[event]) ? hooks[event] : [];
    return [event, [...others, { hooks: [{ type: "command", ...command }] }]] as const;
  });
  return {
    ...settings,
    disableAllHooks: false,
    allowManagedHooksOnly: false,
    hooks: { ...hooks, ...Object.fromEntries(all) },
  };
}

const RECORD_TIMEOUT_SECONDS = 10;

/** Lets a StopFailure hook wake the session when it ends. */
export const WAKING = { asyncRewake: true, rewakeSummary: "the usage limit has reset" };
