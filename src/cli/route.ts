import { CLAUDE_SUBCOMMANDS } from "../claude/subcommands.ts";
import { COMMAND_NAMES, type CommandName, isCommandName } from "../config/command-names.ts";
import { ENGINES, type Engine } from "../config/defaults.ts";
import { LAUNCH_OPTIONS } from "../config/launch-options.ts";
import { nearest } from "../text/nearest.ts";

/** What a command line asks for. */
export type Route =
  | { readonly kind: "launch"; readonly launch: LaunchRequest }
  | { readonly kind: "command"; readonly name: CommandName; readonly args: readonly string[] }
  | { readonly kind: "help" }
  | { readonly kind: "version" }
  | { readonly kind: "mistake"; readonly message: string; readonly advice: string };

export interface LaunchRequest {
  /** The provider as named, undefined for the current one. */
  readonly provider: string | undefined;
  readonly supervisor: boolean;
  readonly engine: Engine | undefined;
  readonly dryRun: boolean;
  /** Claude's arguments, exactly as they came. */
  readonly args: readonly string[];
}

/** The names that a first word may mean, asked for only where it could mean one. */
export interface KnownNames {
  readonly providers: () => readonly string[];
  /** Providers that ccc could add. */
  readonly presets: () => readonly string[];
}

/**
 * Decides what `argv` asks for. ccc's options count only before the provider; from the first word that is not one of
 * them every argument is claude's, unless it is plainly a slip: nobody wants to pay for a prompt that says "valdate".
 */
export function route(argv: readonly string[], known: KnownNames): Route {
  let supervisor = false;
  let engine: Engine | undefined;
  let dryRun = false;

  for (let index = 0; index < argv.length; index++) {
    const word = argv[index] ?? "";
    if (word === "--supervisor") supervisor = true;
    else if (word === "--dry-run") dryRun = true;
    else if (word === "-h" || word === "--help" || (word === "help" && argv.length === 1)) return { kind: "help" };
    else if (word === "-v" || word === "--version") return { kind: "version" };
    else if (word === "--engine" || word.startsWith("--engine=")) {
      const value = word === "--engine" ? argv[++index] : word.slice("--engine=".length);
      engine = ENGINES.find((each) => each === value);
      if (engine === undefined) return mistake(`--engine takes ${ENGINES.join(" or ")}`, "See ccc --help.");
    } else if (isCommandName(word)) {
      if (index === 0) return { kind: "command", name: word, args: argv.slice(1) };
      return mistake(`${argv[0]} cannot be combined with \`ccc ${word}\``, `See ccc ${word} --help.`);
    } else return claude(word, argv.slice(index));
  }
  return claude("", []);

  function claude(word: string, rest: readonly string[]): Route {
    const options = { supervisor, engine, dryRun };
    const names = word === "" || word.startsWith("-") ? [] : known.providers();
    if (names.includes(word)) return { kind: "launch", launch: { provider: word, ...options, args: rest.slice(1) } };
    const slip = word.startsWith("--") ? optionSlip(word) : wordSlip(word, names, known);
    return slip ?? { kind: "launch", launch: { provider: undefined, ...options, args: rest } };
  }
}

function wordSlip(word: string, names: readonly string[], known: KnownNames): Route | undefined {
  if (names.length === 0 || !/^[A-Za-z0-9._-]+$/.test(word) || CLAUDE_SUBCOMMANDS.has(word)) return undefined;
  const provider = nearest(word, names);
  const asWord = `To hand the word "${word}" to claude, name a provider before it: \`ccc ${provider ?? names[0]} ${word}\`.`;
  if (provider !== undefined)
    return mistake(
      `there is no provider "${word}": did you mean "${provider}"?`,
      `Type \`ccc ${provider}\`. ${asWord}`,
    );
  // Short ones are near to many words.
  const commands = COMMAND_NAMES.filter((name) => name.length > 5);
  const command = nearest(word, commands, () => 1);
  if (command !== undefined)
    return mistake(`there is no command "${word}": did you mean "${command}"?`, `Type \`ccc ${command}\`. ${asWord}`);
  if (known.presets().includes(word))
    return mistake(`"${word}" is not among your providers yet`, `Add it: \`ccc provider add ${word}\`. ${asWord}`);
  return undefined;
}

function optionSlip(word: string): Route | undefined {
  const name = word.replace(/=.*$/s, "");
  const options: string[] = LAUNCH_OPTIONS.map((each) => each.name);
  const option = options.includes(name) ? undefined : nearest(name, options, () => 2);
  if (option === undefined) return undefined;
  return mistake(
    `there is no option ${name}: did you mean ${option}?`,
    "To hand it to claude, name a provider before it.",
  );
}

function mistake(message: string, advice: string): Route {
  return { kind: "mistake", message, advice };
}
