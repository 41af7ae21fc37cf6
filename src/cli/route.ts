import { CLAUDE_SUBCOMMANDS } from "../claude/subcommands.ts";
import { COMMAND_NAMES, type CommandName, isCalledByClaudeCode, isCommandName } from "../config/command-names.ts";
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
  /** Undefined if no provider was named. */
  readonly provider: string | undefined;
  /** Whether a link's name says so, which does not change the current provider. */
  readonly isLinked: boolean;
  /** The Claude Code to run, as an editor passes it: its path, or those of Node and its script. Empty: find one. */
  readonly claude: readonly string[];
  readonly supervisor: boolean;
  readonly engine: Engine | undefined;
  /** Commands that must pass before a review. */
  readonly checks: readonly string[];
  readonly dryRun: boolean;
  /** Claude's arguments, unchanged. */
  readonly args: readonly string[];
}

/** Names that the first word can match. Functions, because most command lines never need them. */
export interface KnownNames {
  readonly providers: () => readonly string[];
  /** Providers that `ccc provider add` knows. */
  readonly presets: () => readonly string[];
}

/** How ccc was started. */
export interface Start {
  /** The provider that the link to ccc is named after. */
  readonly linked: string | undefined;
  /** How many of these words say which Claude Code to run. */
  readonly claudeWords: (words: readonly string[]) => number;
}

const BY_A_USER: Start = { linked: undefined, claudeWords: () => 0 };

/**
 * Decides what `argv` asks for. ccc's options come before the provider; from the first other word on, everything goes to
 * claude, unless that word is clearly a typo: nobody wants to pay for a prompt that says "valdate". Through a link named
 * after a provider all of it goes to claude: `ccc-glm` is `ccc glm`.
 */
export function route(argv: readonly string[], known: KnownNames, start = BY_A_USER): Route {
  if (start.linked !== undefined) return linked(start.linked, argv, known, start);
  let supervisor = false;
  let engine: Engine | undefined;
  let dryRun = false;
  const checks: string[] = [];

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
    } else if (word === "--check" || word.startsWith("--check=")) {
      const value = word === "--check" ? argv[++index] : word.slice("--check=".length);
      if (!value?.trim()) return mistake("--check takes a command", 'For example: ccc --supervisor --check "npm test"');
      checks.push(value);
    } else if (isCommandName(word)) {
      if (index === 0) return { kind: "command", name: word, args: argv.slice(1) };
      return mistake(`${argv[0]} cannot be combined with \`ccc ${word}\``, `See ccc ${word} --help.`);
    } else return claude(word, argv.slice(index));
  }
  return claude("", []);

  function claude(word: string, rest: readonly string[]): Route {
    const count = start.claudeWords(rest);
    const options = { supervisor, engine, checks, dryRun, isLinked: false, claude: rest.slice(0, count) };
    if (count > 0) return { kind: "launch", launch: { provider: undefined, ...options, args: rest.slice(count) } };
    const names = word === "" || word.startsWith("-") ? [] : known.providers();
    if (names.includes(word)) return { kind: "launch", launch: { provider: word, ...options, args: rest.slice(1) } };
    const typo = word.startsWith("--") ? optionTypo(word) : wordTypo(word, names, known);
    return typo ?? { kind: "launch", launch: { provider: undefined, ...options, args: rest } };
  }
}

function linked(provider: string, argv: readonly string[], known: KnownNames, start: Start): Route {
  const [word = "", ...rest] = argv;
  if (isCalledByClaudeCode(word)) return { kind: "command", name: word, args: rest };
  if (!known.providers().includes(provider))
    return mistake(
      `this program is called ccc-${provider}, but "${provider}" is not one of your providers`,
      `See ccc provider list. To add it: ccc provider add ${provider}`,
    );
  const count = start.claudeWords(argv);
  const options = { supervisor: false, engine: undefined, checks: [], dryRun: false };
  const claude = { claude: argv.slice(0, count), args: argv.slice(count) };
  return { kind: "launch", launch: { provider, isLinked: true, ...options, ...claude } };
}

function wordTypo(word: string, names: readonly string[], known: KnownNames): Route | undefined {
  if (names.length === 0 || !/^[A-Za-z0-9._-]+$/.test(word) || CLAUDE_SUBCOMMANDS.has(word)) return undefined;
  const provider = nearest(word, names);
  const asWord = `To pass "${word}" to claude, put a provider before it: \`ccc ${provider ?? names[0]} ${word}\`.`;
  if (provider !== undefined)
    return mistake(`unknown provider "${word}": did you mean "${provider}"?`, `Type \`ccc ${provider}\`. ${asWord}`);
  // Short names are one typo away from too many words.
  const commands = COMMAND_NAMES.filter((name) => name.length > 5);
  const command = nearest(word, commands, () => 1);
  if (command !== undefined)
    return mistake(`unknown command "${word}": did you mean "${command}"?`, `Type \`ccc ${command}\`. ${asWord}`);
  if (known.presets().includes(word))
    return mistake(`"${word}" is not set up yet`, `Add it: \`ccc provider add ${word}\`. ${asWord}`);
  return undefined;
}

function optionTypo(word: string): Route | undefined {
  const name = word.replace(/=.*$/s, "");
  const options: string[] = LAUNCH_OPTIONS.map((each) => each.name);
  const option = options.includes(name) ? undefined : nearest(name, options, () => 2);
  if (option === undefined) return undefined;
  return mistake(`unknown option ${name}: did you mean ${option}?`, "To pass it to claude, put a provider before it.");
}

function mistake(message: string, advice: string): Route {
  return { kind: "mistake", message, advice };
}
