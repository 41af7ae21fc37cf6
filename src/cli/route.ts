import { CLAUDE_SUBCOMMANDS } from "../claude/subcommands.ts";
import { type CommandName, isCommandName } from "./command-names.ts";
import { nearest } from "./near.ts";

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

export type Engine = "hook" | "loop";

/**
 * Decides what `argv` asks for. ccc's options count only before the provider; from the first word that is not one of
 * them every argument is claude's. `providers` is asked only when that word could be a provider.
 */
export function route(argv: readonly string[], providers: () => readonly string[]): Route {
  let supervisor = false;
  let engine: Engine | undefined;
  let dryRun = false;

  for (let index = 0; index < argv.length; index++) {
    const word = argv[index] ?? "";
    if (word === "--supervisor") supervisor = true;
    else if (word === "--dry-run") dryRun = true;
    else if (word === "-h" || word === "--help") return { kind: "help" };
    else if (word === "-v" || word === "--version") return { kind: "version" };
    else if (word === "--engine" || word.startsWith("--engine=")) {
      const value = word === "--engine" ? argv[++index] : word.slice("--engine=".length);
      if (value !== "hook" && value !== "loop") return mistake("--engine takes hook or loop", "See ccc --help.");
      engine = value;
    } else if (isCommandName(word)) {
      if (index === 0) return { kind: "command", name: word, args: argv.slice(1) };
      return mistake(`${argv[0]} does not go with \`ccc ${word}\``, `See ccc ${word} --help.`);
    } else return claude(word, argv.slice(index));
  }
  return claude("", []);

  function claude(word: string, rest: readonly string[]): Route {
    const options = { supervisor, engine, dryRun };
    const names = word === "" || word.startsWith("-") ? [] : providers();
    if (names.includes(word)) return { kind: "launch", launch: { provider: word, ...options, args: rest.slice(1) } };
    const isName = names.length > 0 && /^[A-Za-z0-9._-]+$/.test(word) && !CLAUDE_SUBCOMMANDS.has(word);
    const meant = isName ? nearest(word, names) : undefined;
    if (meant === undefined) return { kind: "launch", launch: { provider: undefined, ...options, args: rest } };
    return mistake(
      `there is no provider "${word}": did you mean "${meant}"?`,
      `Type \`ccc ${meant}\`. To hand the word "${word}" to claude, name a provider before it: \`ccc ${meant} ${word}\`.`,
    );
  }
}

function mistake(message: string, advice: string): Route {
  return { kind: "mistake", message, advice };
}
