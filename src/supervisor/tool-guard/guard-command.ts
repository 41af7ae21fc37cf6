import type { HookCommand, HookForm } from "../../claude/hook-form.ts";
import { hookCommand } from "../../launch/hook-command.ts";
import { GUARD_COMMAND } from "../../marks.ts";

/** The hook command that calls the guard. */
export function guardCommand(form: HookForm, self: string): HookCommand {
  return hookCommand(form, self, [GUARD_COMMAND]);
}
