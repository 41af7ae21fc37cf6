import { shellWord } from "../../launch/shell.ts";
import { GUARD_COMMAND } from "../guard.ts";

/** How the reviewer's hook calls the guard. In a shell, because older versions of Claude Code know no other way. */
export function guardCommandLine(self: string): string {
  return `${shellWord(self)} ${GUARD_COMMAND}`;
}
