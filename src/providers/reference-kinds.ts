/** Where a key is kept: in a variable, in a file, in what a command prints, in the keychain of the system. */
const KINDS = ["env:", "file:", "cmd:", "keychain:"] as const;

export function isReference(value: string): boolean {
  return KINDS.some((kind) => value.startsWith(kind));
}
