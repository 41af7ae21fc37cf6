/** A word as a POSIX shell reads it back, quoted only where it has to be. */
export function shellWord(word: string): string {
  return /^[A-Za-z0-9_/.,:=@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/**
 * A command line as a POSIX shell reads it back. Usually no word needs quotes, and one look at all of them is enough: if a
 * launch looked at each word, the engine would start threads to compile that, which costs more than the whole plan.
 */
export function shellLine(words: readonly string[]): string {
  const line = words.join(" ");
  const isPlain = /^[A-Za-z0-9_/.,:=@%+-]+( [A-Za-z0-9_/.,:=@%+-]+)*$/.test(line);
  return isPlain && line.split(" ").length === words.length ? line : words.map(shellWord).join(" ");
}

/**
 * A path or name as a program that cmd.exe starts reads it back. Windows allows no double quote in a path. The name of a
 * variable between two percent signs is replaced even in quotes, and nothing prevents that.
 */
export function cmdWord(word: string): string {
  return /^[A-Za-z0-9_\\/.:@+-]+$/.test(word) ? word : `"${word.replace(/\\+$/, "$&$&")}"`;
}
