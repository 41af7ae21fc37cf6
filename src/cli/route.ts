import { type CommandName, isCalledByClaudeCode, isCommandName } from "../config/command-names.ts";
import { ENGINES, type Engine } from "../config/defaults.ts";
import { type LaunchRequest, PLAIN_LAUNCH } from "../launch/launch-request.ts";
import { type Mistake, misplacedOption, mistake, optionSlip, wordSlip } from "./slips.ts";

/** What a command line asks for. */
export type Route =
  | { readonly kind: "launch"; readonly launch: LaunchRequest }
  | { readonly kind: "command"; readonly name: CommandName; readonly args: readonly string[] }
  | { readonly kind: "help"; readonly isWhole: boolean }
  | { readonly kind: "version" }
  | Mistake;

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
  let supervisor: boolean | undefined;
  let engine: Engine | undefined;
  let noHandover = false;
  let anyway = false;
  let dryRun = false;
  let json = false;
  const checks: string[] = [];

  for (let index = 0; index < argv.length; index++) {
    const word = argv[index] ?? "";
    const contradiction = contradicted(word, { supervisor, engine, checks });
    if (contradiction !== undefined) return contradiction;
    if (word === "--supervisor" || word === "--no-supervisor") supervisor = word === "--supervisor";
    else if (word === "--no-handover") noHandover = true;
    else if (word === "--anyway") anyway = true;
    else if (word === "--dry-run") dryRun = true;
    else if (word === "--json") json = true;
    else if (word === "-h" || word === "--help") return { kind: "help", isWhole: false };
    else if (word === "help" && index === 0) return helpFor(argv.slice(1));
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
    if (json && !dryRun) return mistake("--json needs --dry-run", "For example: ccc --dry-run --json glm");
    const count = start.claudeWords(rest);
    const options = {
      supervisor,
      engine,
      checks,
      noHandover,
      anyway,
      dryRun,
      json,
      isLinked: false,
      claude: rest.slice(0, count),
    };
    if (count > 0) return { kind: "launch", launch: { provider: undefined, ...options, args: rest.slice(count) } };
    const names = word === "" || word.startsWith("-") ? [] : known.providers();
    const provider = names.includes(word) ? word : undefined;
    const args = provider === undefined ? rest : rest.slice(1);
    const slip = provider === undefined && (word.startsWith("--") ? optionSlip(word) : wordSlip(word, names, known));
    return slip || misplacedOption(args, provider) || { kind: "launch", launch: { provider, ...options, args } };
  }
}

/** `ccc help provider add` is `ccc provider add --help`. */
function helpFor(words: readonly string[]): Route {
  const [name = "", ...rest] = words;
  if (words.length === 0 || (name === "all" && rest.length === 0)) return { kind: "help", isWhole: name === "all" };
  if (isCommandName(name)) return { kind: "command", name, args: [...rest, "--help"] };
  return mistake(
    `"${name}" is not a command of ccc`,
    "All of them: `ccc --help`. Claude Code's own help: `ccc NAME --help`.",
  );
}

/** --no-supervisor and an option that needs supervision, in whatever order. */
function contradicted(word: string, given: Pick<LaunchRequest, "supervisor" | "engine" | "checks">): Route | undefined {
  const wants = /^--(supervisor|engine|check)(?==|$)/.exec(word)?.[0];
  if (wants !== undefined && given.supervisor === false) return cannotCombine(wants);
  if (word !== "--no-supervisor") return undefined;
  if (given.supervisor === true) return cannotCombine("--supervisor");
  if (given.engine !== undefined) return cannotCombine("--engine");
  return given.checks.length > 0 ? cannotCombine("--check") : undefined;
}

function cannotCombine(option: string): Route {
  return mistake(`--no-supervisor cannot be combined with ${option}`, "Leave one of them out.");
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
  const claude = { claude: argv.slice(0, count), args: argv.slice(count) };
  const misplaced = count === 0 ? misplacedOption(argv, provider) : undefined;
  return misplaced ?? { kind: "launch", launch: { ...PLAIN_LAUNCH, provider, isLinked: true, ...claude } };
}
