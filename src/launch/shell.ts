/** A word as a POSIX shell reads it back, quoted only where it has to be. */
export function shellWord(word: string): string {
  return /^[A-Za-z0-9_/.,:=@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/**
 * A path or name as a program that cmd.exe starts reads it back. Windows allows no double quote in a path. The name of a
 * variable between two percent signs is replaced even in quotes, and nothing prevents that.
 */
export function cmdWord(word: string): string {
  return /^[A-Za-z0-9_\\/.:@+-]+$/.test(word) ? word : `"${word.replace(/\\+$/, "$&$&")}"`;
}
