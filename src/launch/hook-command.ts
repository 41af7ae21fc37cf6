import type { HookCommand, HookForm } from "../claude/hook-form.ts";
import { shellLine } from "./shell.ts";

/** A program and its arguments as a hook in settings. */
export function hookCommand(form: HookForm, program: string, args: readonly string[]): HookCommand {
  return form === "exec" ? { command: program, args } : { command: shellLine([program, ...args]) };
}
