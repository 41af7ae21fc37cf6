import { join } from "../os/path.ts";

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
