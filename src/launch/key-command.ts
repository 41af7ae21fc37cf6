import { shellWord } from "./shell.ts";

/** The command by which Claude Code asks ccc for a provider's key; no variable of a folder's settings changes where it looks. */
export function keyCommandLine(self: string, provider: string, folder: string): string {
  return [self, "key", provider, "--config-dir", folder].map(shellWord).join(" ");
}
