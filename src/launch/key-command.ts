import { isWindowsPath } from "../os/path.ts";
import { cmdWord, shellLine } from "./shell.ts";

/**
 * The command with which Claude Code asks ccc for a provider's key. It goes through a shell: on Windows that is always
 * cmd.exe, with Git Bash too. The folder is explicit, so that no variable can change it. The server is the one that the
 * session sends the key to: a provider that has moved to another one since has another key.
 */
export function keyCommandLine(self: string, provider: string, folder: string, server: string): string {
  const words = [self, "key", provider, "--config-dir", folder, "--server", serverMark(server)];
  return isWindowsPath(self) ? words.map(cmdWord).join(" ") : shellLine(words);
}

/** Whether a base URL is the one that a key command names. */
export function isServer(url: string, mark: string): boolean {
  return serverMark(url) === mark;
}

/** A hash, because an address may have a password in it. */
function serverMark(url: string): string {
  return Bun.hash(url).toString(36);
}

/** Parses such a command; undefined for any other. */
export function readKeyCommand(command: unknown): { readonly provider: string; readonly folder: string } | undefined {
  const found = typeof command === "string" ? / key (\S+) --config-dir (.+?)(?: --server \w+)?$/s.exec(command) : null;
  const [, provider, folder] = found ?? [];
  return provider === undefined || folder === undefined ? undefined : { provider, folder: unquoted(folder) };
}

function unquoted(word: string): string {
  if (word.startsWith('"')) return word.slice(1, -1).replace(/(\\+)\1$/, "$1");
  return word.startsWith("'") ? word.slice(1, -1).replaceAll(`'\\''`, "'") : word;
}
