import { type ShellToken, shellTokens, type WordPiece, wordPieces } from "../../text/shell.ts";
import { absolute, type Disk, refuseCommand } from "./places.ts";

/** A word of a command line, after quotes are removed. */
export interface Word {
  readonly text: string;
  readonly hasGlob: boolean;
  /** Whether it contains `$?`, whose value is not known in advance. */
  readonly hasStatus: boolean;
}

/** One simple command. */
export interface ShellCommand {
  readonly words: Word[];
  /** Files read with `<`. */
  readonly inputs: Word[];
  isPiped: boolean;
}

/**
 * Parses a command line as POSIX shells, bash and zsh do. It refuses whatever they could read differently: variables,
 * substitutions, groups, redirections to files.
 */
export function parseShell(line: string, home: string): ShellCommand[] {
  if (/[^\P{Cc}\t\n]/u.test(line)) refuseCommand("a control character");
  const tokens = shellTokens(line);
  const commands: ShellCommand[] = [];
  let command: ShellCommand = { words: [], inputs: [], isPiped: false };
  const endCommand = (isPiped: boolean) => {
    const isEmpty = command.words.length === 0 && command.inputs.length === 0;
    if (!isEmpty) commands.push({ ...command, isPiped: command.isPiped || isPiped });
    command = { words: [], inputs: [], isPiped };
  };
  for (let at = 0; at < tokens.length; at++) {
    const { kind = "blank", raw = "" } = tokens[at] ?? {};
    const next = tokens[at + 1]?.raw ?? "";
    if (kind === "unclosed") refuseCommand(raw === "\\" ? "a backslash at the end of a line" : "an unclosed quote");
    if (kind === "blank") continue;
    const number = kind === "word" && /^\d+$/.test(raw) && /^[<>]/.test(next) ? raw : "";
    const operator = number === "" ? raw : next;
    if (kind === "word" && raw.startsWith("#")) at = endOfComment(tokens, at);
    else if (kind === "word" && number === "") command.words.push(readWord(raw, home));
    else if (operator.includes("<") || operator.includes(">")) {
      if (number !== "") at++;
      // Only blanks may precede the file.
      if (/^[ \t]+$/.test(tokens[at + 1]?.raw ?? "")) at++;
      const target = tokens[++at];
      if (target?.kind !== "word") refuseCommand(`the redirection ${number}${operator}`);
      const word = readWord(target.raw, home);
      if (operator === "<") command.inputs.push(word);
      else if (!isHarmless(number + operator, word.text))
        refuseCommand(`the redirection ${number}${operator}${word.text}`);
    } else {
      if (!["&&", "||", "|", ";", "\n"].includes(raw) || next.startsWith("&")) refuseCommand(`an unquoted ${raw}`);
      endCommand(raw === "|");
    }
  }
  endCommand(false);
  return commands;
}

/** Every path that a word may stand for; too many rather than too few. */
export function pathsOf({ text, hasGlob }: Word, cwd: string, disk: Disk): string[] {
  if (hasGlob) refuseOptions(text, cwd, disk);
  const paths: string[] = [];
  for (const reading of readings(text))
    paths.push(...(hasGlob ? expanded(reading, cwd, disk) : [absolute(reading, cwd)]));
  return paths;
}

/** The last token of a comment. It has no operators and no quotes, in case a shell does not treat it as a comment. */
function endOfComment(tokens: readonly ShellToken[], from: number): number {
  const newline = tokens.findIndex(({ raw }, at) => at > from && raw === "\n");
  const end = newline === -1 ? tokens.length : newline;
  const isPlain = ({ kind, raw }: ShellToken) => (kind === "word" || kind === "blank") && !/[`$\\'"]/.test(raw);
  if (!tokens.slice(from, end).every(isPlain)) refuseCommand("a word that begins with #");
  return end - 1;
}

function isHarmless(redirection: string, to: string): boolean {
  return redirection.endsWith(">&") ? /^[12]$/.test(to) : /^(&|\d*)>>?$/.test(redirection) && to === "/dev/null";
}

function readWord(raw: string, home: string): Word {
  // A file name after a redirection, too: shells take it for a comment.
  if (raw.startsWith("=") || raw.startsWith("#")) refuseCommand(`a word that begins with ${raw[0]}`);
  const isInHome = raw.startsWith("~");
  if (isInHome && (raw[1] ?? "/") !== "/") refuseCommand("the home folder of another user");
  const pieces = wordPieces(raw);
  let text = "";
  let hasGlob = false;
  let hasStatus = false;
  let at = 0;
  // One loop: the engine has to compile `entries`, `map` and `some` when they are first used.
  for (const piece of pieces) {
    // An argument of find, without a meaning to a shell.
    if (raw !== "{}") refuseExpansion(piece, pieces[at - 1], pieces[at + 1]);
    text += piece.text;
    hasGlob ||= piece.quote === "" && /[*?[]/.test(piece.raw);
    hasStatus ||= (piece.quote === "" || piece.quote === '"') && unescaped(piece).includes("$?");
    at++;
  }
  return { text: isInHome ? home + text.slice(1) : text, hasGlob, hasStatus };
}

/** Refuses a piece that is not, character by character, what the command gets. */
function refuseExpansion(piece: WordPiece, before: WordPiece | undefined, after: WordPiece | undefined): void {
  const { quote, raw } = piece;
  if (quote === "'") return;
  const written = unescaped(piece);
  // It would join both lines, for example a $ and a name.
  if (quote === "\\" ? raw === "\n" : written.includes("\\\n")) refuseCommand("a backslash at the end of a line");
  if (quote === "\\") return;
  const isQuoting = quote === "" && raw.endsWith("$") && /^["']$/.test(after?.quote ?? "");
  if (isQuoting || /`|\$[\w{([!@#*$-]/.test(written)) refuseCommand("a variable or a substitution");
  if (quote === '"') return;
  const [special] = /[{\s]/.exec(raw) ?? [];
  if (special !== undefined) refuseCommand(`an unquoted ${special}`);
  const escaped = before?.quote === "\\" ? before.raw : "";
  if (/[=:]~/.test(escaped + raw)) refuseCommand("~ in the middle of a word");
}

/** With a blank for every escaped character. */
function unescaped({ quote, raw }: WordPiece): string {
  return quote === '"' ? raw.replaceAll(/\\[$`"\\]/g, " ") : raw;
}

/** The whole word, even if it looks like an option; the value of an option in it; the file in `file::test`. */
function readings(text: string): string[] {
  const found = [text];
  if (text.includes("=")) found.push(text.slice(text.indexOf("=") + 1));
  if (text.includes(":")) found.push(text.replace(/::?[^/]*$/, ""));
  // In `-abVALUE`, the value may start after any letter.
  const [, letters = ""] = /^-(\w*)(?!$)/.exec(text) ?? [];
  // Each of them is looked up on the disk.
  if (letters.length > MOST_LETTERS) refuseCommand(`a value behind more than ${MOST_LETTERS} letters of options`);
  // A loop, because the engine has to compile its own `Array.from` when it is first used.
  for (let at = 2; at < letters.length + 2; at++) found.push(text.slice(at));
  return found;
}

const MOST_LETTERS = 100;

/** A wildcard may expand to a file name with a leading dash, which the program takes for an option. */
function refuseOptions(text: string, cwd: string, disk: Disk): void {
  const isOption = /^-[^=]*[*?[]/.test(text) || expanded(text, cwd, disk).some((path) => path.startsWith(`${cwd}/-`));
  if (isOption && !/^--?\w[\w-]*=/.test(text)) refuseCommand(`${text}, which may stand for options`);
}

function expanded(pattern: string, cwd: string, disk: Disk): string[] {
  const path = absolute(pattern, cwd);
  const [root = "", ...parts] = path.split("/");
  let found = [root];
  for (const part of parts) {
    if (part.includes("**")) refuseCommand("the wildcard **");
    found = /[*?[]/.test(part)
      ? found.flatMap((folder) => matches(part, folder, disk))
      : found.map((each) => `${each}/${part}`);
    if (found.length > MOST_PATHS) refuseCommand(`${pattern}, which stands for too many files`);
  }
  return found;
}

const MOST_PATHS = 2_000;

function matches(part: string, folder: string, disk: Disk): string[] {
  const source = part.replace(/\[[^\]]*\]?|[*?]|[^[*?]+/g, (piece) => {
    if (piece === "*") return ".*";
    return piece === "?" || piece.startsWith("[") ? "." : piece.replace(/[\\^$.|+(){}]/g, "\\$&");
  });
  const isMatch = new RegExp(`^${source}$`, "s");
  return disk.list(folder || "/").flatMap(({ name }) => (isMatch.test(name) ? [`${folder}/${name}`] : []));
}
