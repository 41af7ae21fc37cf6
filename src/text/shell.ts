/** How shells read command lines: quoting words for them, and splitting their lines. */

/** A word as a POSIX shell reads it back, quoted only where it has to be. */
export function shellWord(word: string): string {
  return /^[A-Za-z0-9_/.,:=@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** A command line as a POSIX shell reads it back. */
export function shellLine(words: readonly string[]): string {
  return words.map(shellWord).join(" ");
}

/**
 * A path or name as a program that cmd.exe starts reads it back. Windows allows no double quote in a path. The name of a
 * variable between two percent signs is replaced even in quotes, and nothing prevents that.
 */
export function cmdWord(word: string): string {
  return /^[A-Za-z0-9_\\/.:@+-]+$/.test(word) ? word : `"${word.replace(/\\+$/, "$&$&")}"`;
}

/** A part of a command line, as it is written there. */
export interface ShellToken {
  /** Only the last token is unclosed: with a quote that does not end, or a backslash before nothing. */
  readonly kind: "word" | "blank" | "operator" | "unclosed";
  readonly raw: string;
}

/**
 * The tokens of a command line in the grammar of POSIX shells, before anything is expanded. Together they are the line. A
 * newline is an operator; a comment and the number of a redirection are words.
 */
export function shellTokens(line: string): ShellToken[] {
  const tokens: ShellToken[] = [];
  for (let at = 0; at < line.length; ) {
    const found = KINDS.map(({ kind, pattern }) => ({ kind, raw: matchAt(pattern, line, at) }));
    const token = found.find(({ raw }) => raw !== "") ?? ({ kind: "unclosed", raw: line.slice(at) } as const);
    tokens.push(token);
    at += token.raw.length;
  }
  return tokens;
}

const KINDS = [
  { kind: "blank", pattern: /(?:[ \t]|\\\n)+/y },
  { kind: "operator", pattern: /&>>?|&&|\|[|&]|<[<>&]|>[>&|]|[;&|()<>\n]/y },
  { kind: "word", pattern: /(?:'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^ \t\n'"\\;&|()<>])+/sy },
] as const;

function matchAt(pattern: RegExp, line: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(line)?.[0] ?? "";
}

/** A part of a word: between quotes, after a backslash, or neither. */
export interface WordPiece {
  readonly quote: "" | "'" | '"' | "\\";
  /** As it is written, without the quotes. */
  readonly raw: string;
  /** As the shell reads it. */
  readonly text: string;
}

/** The pieces of a word among the tokens of a line. */
export function wordPieces(word: string): WordPiece[] {
  return [...word.matchAll(/'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|([^'"\\]+)/gs)].map(
    ([, single, double, escaped, bare]): WordPiece => {
      if (single !== undefined) return { quote: "'", raw: single, text: single };
      if (double !== undefined) {
        const text = double.replaceAll(/\\([$`"\\\n])/g, (_, char: string) => (char === "\n" ? "" : char));
        return { quote: '"', raw: double, text };
      }
      if (escaped !== undefined) return { quote: "\\", raw: escaped, text: escaped === "\n" ? "" : escaped };
      return { quote: "", raw: bare ?? "", text: bare ?? "" };
    },
  );
}
