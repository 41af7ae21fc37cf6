import { type Definition, define } from "../commands/definition.ts";
import { CccError, EXIT, usageError } from "../errors.ts";
import { nearest } from "../text/nearest.ts";
import { SHORTEST_KEY } from "../text/secret.ts";
import type { World } from "../world.ts";
import { HELP_WIDTH, renderHelp, usageLine } from "./command-usage.ts";
import { COMMANDS } from "./commands.ts";
import { either, parseArguments } from "./parse-arguments.ts";

/** Runs one of ccc's own commands. citty parses the arguments; ccc prints help and usage errors itself. */
export async function runCommand(name: keyof typeof COMMANDS, args: readonly string[], world: World): Promise<number> {
  const found = leaf({ definition: await define(COMMANDS[name](world)), path: `ccc ${name}`, args });
  const { definition, path } = found;
  if (asksForHelp(found.args)) {
    world.stdout(renderHelp(definition, path, helpWidth(world)));
    return EXIT.ok;
  }
  try {
    const { run } = definition.command;
    if (run === undefined) throw noSubcommand(found);
    const args = parseArguments(found.args, definition.args);
    const result: unknown = await run({ rawArgs: [...found.args], args, cmd: definition.command });
    return typeof result === "number" ? result : EXIT.ok;
  } catch (error) {
    if (!(error instanceof CccError) || error.exitCode !== EXIT.usage || error.advice !== undefined) throw error;
    throw usageError(error.message, `Usage: ${usageLine(definition, path)}\nSee ${path} --help.`);
  }
}

interface ResolvedCommand {
  readonly definition: Definition;
  /** As typed: "ccc provider add". */
  readonly path: string;
  readonly args: readonly string[];
}

/** Descends into subcommands as long as the next word names one. */
function leaf(found: ResolvedCommand): ResolvedCommand {
  const [word, ...args] = found.args;
  const definition = found.definition.children.find(({ name }) => name === word);
  return definition === undefined ? found : leaf({ definition, path: `${found.path} ${word}`, args });
}

function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf("--");
  return args.slice(0, end === -1 ? undefined : end).some((word) => word === "--help" || word === "-h");
}

function helpWidth(world: World): number {
  return world.isTerminal(1) ? Math.min(HELP_WIDTH, world.columns()) : HELP_WIDTH;
}

function noSubcommand({ definition, path, args: [word] }: ResolvedCommand): CccError {
  const names = definition.children.map(({ name }) => name);
  if (word === undefined) return usageError(`a subcommand is missing: ${either(names)}`);
  if (word.startsWith("-")) parseArguments([word], {});
  const meant = nearest(word, names);
  if (meant !== undefined) return usageError(`unknown command "${path} ${word}": did you mean "${meant}"?`);
  return usageError(word.length < SHORTEST_KEY ? `unknown command "${path} ${word}"` : `unknown subcommand`);
}
