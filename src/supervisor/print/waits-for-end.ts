import { isBackground, isInquiry, isPrint } from "../../claude/arguments.ts";

/**
 * Whether ccc waits for a supervised claude, to say how the supervision ended. Claude Code answers once and exits with `-p`,
 * and also if stdout is not a terminal. A session on a terminal shows it by itself; an editor expects claude alone.
 */
export function waitsForEnd(
  args: readonly string[],
  { isByEditor, isOnTerminal }: { readonly isByEditor: boolean; readonly isOnTerminal: boolean },
): boolean {
  if (isByEditor || isBackground(args) || isInquiry(args)) return false;
  return isPrint(args) || !isOnTerminal;
}
