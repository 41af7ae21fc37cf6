import { refuseCommand } from "./refusal.ts";

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
  const commands: ShellCommand[] = [];
  let command: ShellCommand = { words: [], inputs: [], isPiped: false };
  let at = 0;
  const endCommand = (isPiped: boolean) => {
    const isEmpty = command.words.length === 0 && command.inputs.length === 0;
    if (!isEmpty) commands.push({ ...command, isPiped: command.isPiped || isPiped });
    command = { words: [], inputs: [], isPiped };
  };
  while (at < line.length) {
    const rest = line.slice(at);
    const space = rest.match(/^([ \t]|\\\n)+/)?.[0];
    // No operators in it, in case a shell does not treat it as a comment.
    const comment = rest.match(/^#[^\n;&|<>()`$\\'"]*(?=\n|$)/)?.[0];
    const operator = rest.match(/^(&&|\|\||[|;\n])(?!&)/)?.[0];
    const redirection = rest.match(/^(&>>?|\d*(<<|<>|<&|<\(|>\(|>\||>>|>&|<|>))/)?.[0];
    if (space !== undefined) at += space.length;
    else if (comment !== undefined) at += comment.length;
    else if (operator !== undefined) {
      at += operator.length;
      endCommand(operator === "|");
    } else if (redirection !== undefined) {
      const { word, end } = target(line, at + redirection.length, home);
      if (/^\d*<$/.test(redirection)) command.inputs.push(word);
      else if (!isHarmless(redirection, word.text)) refuseCommand(`the redirection ${redirection}${word.text}`);
      at = end;
    } else {
      const { word, end } = readWord(line, at, home);
      command.words.push(word);
      at = end;
    }
  }
  endCommand(false);
  return commands;
}

function target(line: string, from: number, home: string) {
  const start = from + (line.slice(from).match(/^[ \t]*/)?.[0].length ?? 0);
  return readWord(line, start, home);
}

function isHarmless(redirection: string, to: string): boolean {
  return redirection.endsWith(">&") ? /^[12]$/.test(to) : /^(&|\d*)>>?$/.test(redirection) && to === "/dev/null";
}

const ENDS_WORD = /[\s;&|<>]/;

function readWord(line: string, from: number, home: string): { word: Word; end: number } {
  let text = "";
  let hasGlob = false;
  let hasStatus = false;
  let at = from;
  for (; at < line.length && !ENDS_WORD.test(line[at] ?? ""); at++) {
    const char = line[at] ?? "";
    const next = line[at + 1] ?? "";
    if (char === "'") {
      const end = line.indexOf("'", at + 1);
      if (end === -1) refuseCommand("an unclosed quote");
      text += line.slice(at + 1, end);
      at = end;
    } else if (char === '"') {
      const quoted = readQuoted(line, at + 1);
      text += quoted.text;
      hasStatus ||= quoted.hasStatus;
      at = quoted.end;
    } else if (char === "\\") {
      // It would join both lines, for example a $ and a name.
      if (next === "" || next === "\n") refuseCommand("a backslash at the end of a line");
      text += next;
      at++;
    } else if (char === "$") {
      if (/[\w{(['"!@#*$-]/.test(next)) refuseCommand("a variable or a substitution");
      hasStatus ||= next === "?";
      text += char;
    } else if ("`()".includes(char) || (char === "{" && !isBraces(line, from, at)))
      refuseCommand(`an unquoted ${char}`);
    else if (at === from && "=#".includes(char)) refuseCommand(`a word that begins with ${char}`);
    else if (char === "~" && /[=:]/.test(line[at - 1] ?? "")) refuseCommand("~ in the middle of a word");
    else if (at === from && char === "~") {
      if (next !== "" && next !== "/" && !ENDS_WORD.test(next)) refuseCommand("the home folder of another user");
      text += home;
    } else {
      hasGlob ||= "*?[".includes(char);
      text += char;
    }
  }
  if (at === from) refuseCommand(`"${line[at] ?? "the end"}" where a word should be`);
  return { word: { text, hasGlob, hasStatus }, end: at };
}

/** `{}` is an argument of find and has no meaning to a shell. */
function isBraces(line: string, from: number, at: number): boolean {
  return at === from && /^\{\}(?=[\s;&|<>]|$)/.test(line.slice(at));
}

function readQuoted(line: string, from: number): { text: string; hasStatus: boolean; end: number } {
  let text = "";
  let hasStatus = false;
  for (let at = from; at < line.length; at++) {
    const char = line[at] ?? "";
    const next = line[at + 1] ?? "";
    if (char === '"') return { text, hasStatus, end: at };
    if (char === "`" || (char === "$" && /[\w{([!@#*$-]/.test(next))) refuseCommand("a variable or a substitution");
    hasStatus ||= char === "$" && next === "?";
    if (char === "\\" && next === "\n") refuseCommand("a backslash at the end of a line");
    if (char === "\\" && '$`"\\'.includes(next)) {
      text += next;
      at++;
    } else text += char;
  }
  return refuseCommand("an unclosed quote");
}
