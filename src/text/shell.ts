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
 * newline is an operator; a comment and the number of a redirection are words. The guard of each command runs this once:
 * loops, since the engine would take longer to compile regular expressions.
 */
export function shellTokens(line: string): ShellToken[] {
  const tokens: ShellToken[] = [];
  for (let at = 0; at < line.length; ) {
    let kind: ShellToken["kind"] = "blank";
    let end = endOfBlank(line, at);
    if (end === at) {
      kind = "operator";
      end = endOfOperator(line, at);
    }
    if (end === at) {
      kind = "word";
      for (let next = endOfPiece(line, at); next > end; next = endOfPiece(line, end)) end = next;
    }
    if (end === at) {
      kind = "unclosed";
      end = line.length;
    }
    tokens.push({ kind, raw: line.slice(at, end) });
    at = end;
  }
  return tokens;
}

function endOfBlank(line: string, from: number): number {
  let end = from;
  for (;;) {
    if (line[end] === " " || line[end] === "\t") end++;
    else if (line.startsWith("\\\n", end)) end += 2;
    else return end;
  }
}

function endOfOperator(line: string, from: number): number {
  if (line.startsWith("&>>", from)) return from + 3;
  if (OPERATORS_OF_TWO.includes(line.slice(from, from + 2))) return from + 2;
  return OPERATORS_OF_ONE.includes(line[from] ?? "") ? from + 1 : from;
}

const OPERATORS_OF_TWO = ["&>", "&&", "||", "|&", "<<", "<>", "<&", ">>", ">&", ">|"];
const OPERATORS_OF_ONE = ";&|()<>\n";

/** The end of the piece of a word that begins here; the beginning itself if there is none, or if it does not end. */
function endOfPiece(line: string, from: number): number {
  const first = line[from];
  if (first === "\\") return from + 1 < line.length ? from + 2 : from;
  // Without a quote at the end, indexOf returns -1.
  if (first === "'") return line.indexOf("'", from + 1) + 1 || from;
  let end = from;
  if (first === '"') {
    for (end++; end < line.length; end++) {
      if (line[end] === '"') return end + 1;
      if (line[end] === "\\") end++;
    }
    return from;
  }
  while (end < line.length && !ENDS_PIECE.includes(line[end] ?? "")) end++;
  return end;
}

const ENDS_PIECE = ` \t'"\\${OPERATORS_OF_ONE}`;

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
  const pieces: WordPiece[] = [];
  for (let at = 0; at < word.length; ) {
    const end = endOfPiece(word, at);
    if (end === at) throw new Error(`Not a word: ${word}`);
    pieces.push(pieceOf(word.slice(at, end)));
    at = end;
  }
  return pieces;
}

function pieceOf(written: string): WordPiece {
  const quote = written[0];
  if (quote === "'") return { quote, raw: written.slice(1, -1), text: written.slice(1, -1) };
  if (quote === "\\") return { quote, raw: written.slice(1), text: written === "\\\n" ? "" : written.slice(1) };
  if (quote !== '"') return { quote: "", raw: written, text: written };
  const raw = written.slice(1, -1);
  const text = raw.replaceAll(/\\([$`"\\\n])/g, (_, char: string) => (char === "\n" ? "" : char));
  return { quote, raw, text };
}
