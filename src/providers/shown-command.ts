import { withoutUrlSecrets } from "../text/look-alikes.ts";
import { MASK, SECRET_NAME } from "../text/secret.ts";

/**
 * A shell command with everything masked that may be a key. Programs, options, operators and clearly harmless words stay, so
 * that users recognise it.
 */
export function shownCommand(command: string): string {
  let shown = "";
  let state: State = START;
  for (let rest = command; rest !== ""; ) {
    const [word = ""] = WORD.exec(rest) ?? [];
    const [between = ""] = word === "" ? (BETWEEN.exec(rest) ?? []) : [];
    // An unclosed quote: it is unclear where words end.
    if (word === "" && between === "") return shown + MASK;
    shown += word === "" ? between : shownWord(word, state);
    state = word === "" ? afterOperator(between, state) : afterWord(word, state);
    rest = rest.slice(word.length + between.length);
  }
  return shown;
}

const WORD = /^(?:'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^\s'"\\;|&()<>])+/s;
const BETWEEN = /^(?:\s+|[;|&()<>]+)/;

interface State {
  /** Whether the next word is a program, or a variable for one. */
  readonly isProgram: boolean;
  /** Whether the next word is probably a key. */
  readonly isSecret: boolean;
  /** Whether the program prints its arguments. */
  readonly isEcho: boolean;
  /** Whether the next word is the target of a redirection. */
  readonly isFile: boolean;
}

const START: State = { isProgram: true, isSecret: false, isEcho: false, isFile: false };
const ASSIGNMENT = /^(\w+=)(.*)$/s;
const OPTION = /^(--?[a-z][a-z-]*)(?:(=)(.*))?$/is;
const HEADER = /^(["']?[a-z][a-z-]*:\s*(?:(?:bearer|basic|token)\s+)?)[^/\\].*?(["']?)$/is;
/** Options of curl and similar programs: user, header, data, form, cookie, password. */
const SECRET_OPTIONS = ["-u", "-H", "-d", "-F", "-b", "-p", "-P", "--user", "--header", "--data", "--form", "--auth"];

function afterOperator(between: string, state: State): State {
  if (/[<>]/.test(between)) return { ...state, isFile: true };
  return /[;|&(\n]/.test(between) ? START : state;
}

function afterWord(word: string, state: State): State {
  if (state.isFile) return { ...state, isFile: false };
  if (state.isProgram)
    return ASSIGNMENT.test(word) ? state : { ...START, isProgram: false, isEcho: /^(echo|printf|print)$/.test(word) };
  const [, name = "", equals] = OPTION.exec(word) ?? [];
  return { ...state, isSecret: equals === undefined && isSecretOption(name) };
}

function isSecretOption(name: string): boolean {
  return (
    SECRET_OPTIONS.includes(name) || (name.startsWith("--") && (SECRET_NAME.test(name) || /auth|pass/i.test(name)))
  );
}

function shownWord(word: string, { isProgram, isSecret, isEcho, isFile }: State): string {
  if (isFile) return shownValue(word);
  const [, variable, assigned = ""] = isProgram ? (ASSIGNMENT.exec(word) ?? []) : [];
  if (variable !== undefined) return variable + (SECRET_NAME.test(variable) ? MASK : shownValue(assigned));
  const [, option, equals, value = ""] = OPTION.exec(word) ?? [];
  if (option !== undefined && equals === undefined) return word;
  if (option !== undefined) return `${option}=${isSecretOption(option) ? MASK : shownValue(value)}`;
  const [, header, quote] = HEADER.exec(word) ?? [];
  if (header !== undefined) return `${header}${MASK}${quote}`;
  if (isProgram && PROGRAM.test(word) && !isLikeKey(word)) return word;
  return isSecret || isEcho ? MASK : shownValue(word);
}

const PROGRAM = /^[\w.+/~[-]+$/;

function shownValue(value: string): string {
  if (value.includes("://")) {
    const segments = withoutUrlSecrets(value).split("/");
    return segments.map((each) => (each.split(".").some(isLikeKey) ? MASK : each)).join("/");
  }
  const bare = /^(["'])([^"'\\$`]*)\1$/.exec(value)?.[2] ?? value;
  return HARMLESS.some((pattern) => pattern.test(bare)) && !bare.split(/[/\\]/).some(isLikeKey) ? value : MASK;
}

const HARMLESS = [
  // A number, a variable, an option with digits or a sign, as for cut and head.
  /^[+-]?\d{1,4}$/,
  /^\$[\w{}$?!@*]*$/,
  /^-[a-z]\W?\d{0,2}$/i,
  // A word, words joined by slashes, a path.
  /^[\p{L}_.,@+%-]{0,24}$/u,
  /^[a-z][a-z0-9._-]*(?:\/[a-z][a-z0-9._-]*)+$/,
  /^(?:~|\.{0,2}\/|[a-z]:[\\/])[^"`$]*$/i,
];

/** A long word with a digit in it, or a very long one. */
function isLikeKey(word: string): boolean {
  return word.length >= 24 || (word.length >= 16 && /\d/.test(word));
}
