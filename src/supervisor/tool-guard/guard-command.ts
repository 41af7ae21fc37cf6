import { shellWord } from "../../launch/shell.ts";
import { GUARD_COMMAND } from "../../marks.ts";

/** The hook command that calls the guard. A shell line, because older versions of Claude Code know nothing else. */
export function guardCommandLine(self: string): string {
  return `${shellWord(self)} ${GUARD_COMMAND}`;
}
