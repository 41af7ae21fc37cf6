import { type CccError, usageError } from "../../errors.ts";
import { isReference } from "../../providers/references.ts";
import type { World } from "../../world.ts";

export const TOKEN_STDIN = { type: "boolean", default: false, description: "read the key from stdin" } as const;

export const TOKEN_REF = {
  type: "string",
  valueHint: "REF",
  description: "where the key is: env:NAME, file:PATH, cmd:COMMAND or keychain:NAME",
} as const;

export const STORE = {
  type: "enum",
  options: ["keychain", "file"],
  description: "where to store the key (default: the keychain, if the system has one, or else ccc.json)",
} as { readonly type: "enum"; readonly options: ["keychain", "file"]; readonly description: string };

export function checkReference(reference: string): void {
  if (!isReference(reference)) throw usageError("--token-ref takes env:NAME, file:PATH, cmd:COMMAND or keychain:NAME");
}

export function missingKey(): CccError {
  return usageError("the key is missing", "Pipe it in with --token-stdin, or refer to it with --token-ref env:NAME");
}

const LONGEST_KEY = 100_000;

export function keyFromStdin(world: World): string {
  if (world.isTerminal(0)) throw usageError("--token-stdin needs a file or a pipe, but stdin is a terminal");
  const key = (world.stdin(LONGEST_KEY) ?? "").trim();
  if (key === "") throw usageError("--token-stdin: stdin is empty, so there is no key");
  return key;
}
