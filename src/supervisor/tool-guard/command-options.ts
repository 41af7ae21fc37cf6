import { refuseCommand } from "./refusal.ts";

export interface CommandOptions {
  /** Letters without a value. */
  readonly flags: string;
  /** Letters with a value. */
  readonly values?: string;
  /** Long options, with or without `=value`. */
  readonly long?: readonly string[];
  /** Whether `-20` means a number of lines. */
  readonly isNumeric?: boolean;
  readonly takesOperands?: false;
  /** Whether every argument is plain text, even with a dash. */
  readonly isFree?: true;
}

/** Refuses options that are not listed; returns the letters and operands used. */
export function checkOptions(program: string, args: readonly string[], options: CommandOptions) {
  const letters = new Set<string>();
  const operands: string[] = [];
  if (options.isFree) return { letters, operands };
  for (let index = 0; index < args.length; index++) {
    const word = args[index] ?? "";
    if (word === "--") {
      operands.push(...args.slice(index + 1));
      break;
    }
    if (!word.startsWith("-") || word === "-") operands.push(word);
    else if (word.startsWith("--")) {
      const [name = ""] = word.slice(2).split("=");
      if (!options.long?.includes(name)) refuseCommand(`${program} with --${name}`);
    } else if (!(options.isNumeric && /^-\d+$/.test(word))) {
      if (checkLetters(program, word, options, letters)) index++;
    }
  }
  if (options.takesOperands === false && operands.length > 0) refuseCommand(`${program} with ${operands[0]}`);
  return { letters, operands };
}

/** Returns whether the next word is the value of the last letter. */
function checkLetters(
  program: string,
  word: string,
  { flags, values = "" }: CommandOptions,
  letters: Set<string>,
): boolean {
  for (let at = 1; at < word.length; at++) {
    const letter = word[at] ?? "";
    letters.add(letter);
    if (values.includes(letter)) return at === word.length - 1;
    if (!flags.includes(letter)) refuseCommand(`${program} with -${letter}`);
  }
  return false;
}
