import { canDo } from "./version-facts.ts";

/** A command hook in settings. With `args`, Claude Code starts the program itself; without, its shell reads the command. */
export interface HookCommand {
  readonly command: string;
  readonly args?: readonly string[];
}

export type HookForm = "exec" | "shell";

/**
 * The form in which hooks are written. On Windows without Git Bash the shell is PowerShell, for which a quoted path is a
 * string: nothing runs, and nobody is told. An unknown version may be one that ignores `args`, where only `command` would
 * run; on Windows such an old one is less likely than one without Git Bash.
 */
export function hookForm(version: string | undefined, platform: string): HookForm {
  const isExec = version === undefined ? platform === "win32" : canDo(version, "hookArguments");
  return isExec ? "exec" : "shell";
}
