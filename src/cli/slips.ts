import { optionsIn } from "../claude/arguments.ts";
import { CLAUDE_SUBCOMMANDS, takesSettings } from "../claude/subcommands.ts";
import { COMMAND_NAMES } from "../config/command-names.ts";
import { LAUNCH_OPTIONS } from "../config/launch-options.ts";
import { shellWord } from "../launch/shell.ts";
import { nearest } from "../text/nearest.ts";
import type { KnownNames } from "./route.ts";
import { switcherWords } from "./switcher-words.ts";

/** A command line that would do, and cost, something else than its author wants. */
export interface Mistake {
  readonly kind: "mistake";
  readonly message: string;
  readonly advice: string;
}

export function mistake(message: string, advice: string): Mistake {
  return { kind: "mistake", message, advice };
}

/** A first word that is not a provider, and hardly a prompt. */
export function wordSlip(word: string, names: readonly string[], known: KnownNames): Mistake | undefined {
  if (names.length === 0 || !/^[A-Za-z0-9._-]+$/.test(word) || CLAUDE_SUBCOMMANDS.has(word)) return undefined;
  const asWord = (before = names[0]) =>
    `To pass "${word}" to claude, put a provider before it: \`ccc ${before} ${word}\`.`;
  const [expected, advised] = [word.toLowerCase(), switcherWords()];
  if (Object.hasOwn(advised, expected))
    return mistake(`"${word}" is not a command of ccc`, `${advised[expected]}\n${asWord()}`);
  const provider = nearest(word, names);
  if (provider !== undefined) {
    const message = `unknown provider "${word}": did you mean "${provider}"?`;
    return mistake(message, `Type \`ccc ${provider}\`. ${asWord(provider)}`);
  }
  // Short names are one typo away from too many words.
  const commands = COMMAND_NAMES.filter((name) => name.length > 5);
  const command = nearest(word, commands, () => 1);
  if (command !== undefined)
    return mistake(`unknown command "${word}": did you mean "${command}"?`, `Type \`ccc ${command}\`. ${asWord()}`);
  if (known.presets().includes(word))
    return mistake(`"${word}" is not set up yet`, `Add it: \`ccc provider add ${word}\`. ${asWord()}`);
  return undefined;
}

const OPTIONS: readonly string[] = LAUNCH_OPTIONS.map(({ name }) => name);

/** A first word that looks like one of ccc's options. */
export function optionSlip(word: string): Mistake | undefined {
  const name = withoutValue(word);
  const option = OPTIONS.includes(name) ? undefined : nearest(name, OPTIONS, () => 2);
  if (option === undefined) return undefined;
  return mistake(`unknown option ${name}: did you mean ${option}?`, "To pass it to claude, put a provider before it.");
}

/** An option of ccc among claude's arguments, where it would do nothing but end claude with an error. */
export function misplacedOption(args: readonly string[], provider: string | undefined): Mistake | undefined {
  if (!args.some((word) => word.startsWith("--") && OPTIONS.includes(withoutValue(word)))) return undefined;
  if (CLAUDE_SUBCOMMANDS.has(args[0] ?? "") || !takesSettings(args)) return undefined;
  const found = optionsIn(args).find((word) => OPTIONS.includes(withoutValue(word)));
  if (found === undefined) return undefined;
  const value = optionValue(found, args[args.indexOf(found) + 1]);
  const option = [found, ...value].map(shellWord);
  const others = args.length > option.length || provider === undefined ? ["…"] : [];
  const where = provider === undefined ? "before everything that is for claude" : "before the provider";
  return mistake(
    `${withoutValue(found)} is an option of ccc: it belongs ${where}`,
    `Type \`${["ccc", ...option, ...(provider === undefined ? [] : [provider]), ...others].join(" ")}\`. Nothing was run.`,
  );
}

/** The value that belongs to an option, if the word after it can be one; else an example. */
function optionValue(option: string, next: string | undefined): string[] {
  const { values } = LAUNCH_OPTIONS.find(({ name }) => name === option) ?? { values: undefined };
  if (values === undefined) return [];
  const [example = "COMMAND"] = values;
  const isValue = next !== undefined && (values.length === 0 || values.some((value) => value === next));
  return [isValue ? next : example];
}

function withoutValue(word: string): string {
  return word.replace(/=.*$/s, "");
}
