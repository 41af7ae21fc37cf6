import { shellWord } from "./shell.ts";

/** The command with which Claude Code asks ccc for a provider's key. The folder is explicit, so that no variable can change it. */
export function keyCommandLine(self: string, provider: string, folder: string): string {
  return [self, "key", provider, "--config-dir", folder].map(shellWord).join(" ");
}

/** Parses such a command; undefined for any other. */
export function readKeyCommand(command: unknown): { readonly provider: string; readonly folder: string } | undefined {
  const found = typeof command === "string" ? / key (\S+) --config-dir (.+)$/s.exec(command) : null;
  const [, provider, folder] = found ?? [];
  return provider === undefined || folder === undefined ? undefined : { provider, folder: unquoted(folder) };
}

function unquoted(word: string): string {
  return word.startsWith("'") ? word.slice(1, -1).replaceAll(`'\\''`, "'") : word;
}
