import { isWindowsPath } from "../os/path.ts";
import { shellLine } from "./shell.ts";

/**
 * The command line of Claude Code's status line, which always goes through a shell. Undefined on Windows for a path that
 * needs quotes: the shell there is bash or PowerShell, and to the latter a quoted program is a string.
 */
export function statusCommandLine(self: string, args: readonly string[]): string | undefined {
  if (!isWindowsPath(self)) return shellLine([self, ...args]);
  const program = self.replaceAll("\\", "/");
  const words = args.map((word) => word.replaceAll("\\", "/"));
  if (!/^[A-Za-z]:[\w/.+-]+$/.test(program) || words.some((word) => /["$`]/.test(word))) return undefined;
  return [program, ...words.map((word) => (/^[\w/.:+-]+$/.test(word) ? word : `"${word}"`))].join(" ");
}
