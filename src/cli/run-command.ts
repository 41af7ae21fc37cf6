import { parseArgs } from "node:util";
import type { ArgDef, ArgsDef, ParsedArgs } from "citty";
import { calibrateCommand } from "../commands/calibrate/command.ts";
import { completionsCommand } from "../commands/completions/command.ts";
import { demoCommand } from "../commands/demo.ts";
import { doctorCommand } from "../commands/doctor/command.ts";
import { keyCommand } from "../commands/key.ts";
import { migrateCommand } from "../commands/migrate/command.ts";
import { pinCommand } from "../commands/pin.ts";
import { providerCommand } from "../commands/provider/command.ts";
import { reportCommand } from "../commands/report/command.ts";
import { reviewCommand } from "../commands/review/command.ts";
import { type AnyCommand, type Definition, define } from "../commands/shared.ts";
import { upgradeCommand, versionCommand } from "../commands/upgrade.ts";
import { usageCommand } from "../commands/usage.ts";
import { useCommand } from "../commands/use/command.ts";
import { validateCommand } from "../commands/validate/command.ts";
import { whyCommand } from "../commands/why/command.ts";
import type { CommandName } from "../config/command-line.ts";
import { CccError, EXIT, usageError } from "../errors.ts";
import type { HookName } from "../markers.ts";
import { SECRET_NAME, SHORTEST_KEY } from "../text/redact.ts";
import { nearest } from "../text/words.ts";
import type { World } from "../world.ts";
import { HELP_WIDTH, renderHelp, usageLine } from "./help.ts";

/** The commands that citty defines. Hooks, the guard and the status line have their own entries, which start faster. */
export const COMMANDS: Record<
  Exclude<CommandName, HookName | "statusline" | "supervisor-guard">,
  (world: World) => AnyCommand
> = {
  calibrate: calibrateCommand,
  completions: completionsCommand,
  demo: demoCommand,
  doctor: doctorCommand,
  key: keyCommand,
  migrate: migrateCommand,
  pin: pinCommand,
  provider: providerCommand,
  report: reportCommand,
  review: reviewCommand,
  upgrade: upgradeCommand,
  usage: usageCommand,
  use: useCommand,
  validate: validateCommand,
  version: versionCommand,
  why: whyCommand,
};

/** Runs one of ccc's own commands. citty only defines them: ccc parses the arguments and prints help and usage errors itself. */
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

/**
 * Parses the arguments of a command. citty's own parser is not used: it ignores unknown options and extra arguments, and
 * drops every word that starts with --no-.
 */
export function parseArguments(words: readonly string[], defined: ArgsDef): ParsedArgs {
  const positional = Object.keys(defined).filter((name) => defined[name]?.type === "positional");
  const names = Object.keys(defined).filter((name) => !positional.includes(name));
  const isBoolean = (name: string) => defined[name]?.type === "boolean";
  const options = Object.fromEntries(names.map((name) => [name, { type: isBoolean(name) ? BOOLEAN : STRING }]));
  const { tokens, values, positionals } = parseArgs({ args: [...words], options, strict: false, tokens: true });
  for (const token of tokens) {
    if (token.kind !== "option") continue;
    if (!names.includes(token.name)) throw unknownOption(token.rawName, names);
    if (isBoolean(token.name) && token.value !== undefined) throw usageError(`${token.rawName} takes no value`);
    if (!isBoolean(token.name)) checkValue(token.rawName, token.value, defined[token.name]);
  }
  const [extra] = positionals.slice(positional.length);
  if (extra !== undefined) throw usageError(`unexpected argument${quoted(extra)}`);
  const missing = positional.slice(positionals.length).find((name) => defined[name]?.required !== false);
  if (missing !== undefined) throw usageError(`the ${MEANINGS[missing] ?? missing} is missing`);
  const given = { ...values, ...Object.fromEntries(positionals.map((word, index) => [positional[index], word])) };
  const args = Object.keys(defined).map((name) => [name, given[name] ?? defined[name]?.default]);
  return { ...Object.fromEntries(args), _: positionals };
}

function unknownOption(name: string, known: readonly string[]): CccError {
  const meant = nearest(name.replace(/^-+/, ""), known);
  if (meant !== undefined) return usageError(`unknown option ${name}: did you mean --${meant}?`);
  const isKey = SECRET_NAME.test(name) || /pass|auth/.test(name);
  const why = "keys are never passed as arguments, because every user of this machine could read them";
  return usageError(`unknown option ${name}${isKey ? `: ${why}` : ""}`);
}

function checkValue(option: string, value: string | undefined, defined: ArgDef | undefined): void {
  const values = defined?.type === "enum" ? (defined.options ?? []) : [];
  if (values.length > 0 && !values.includes(value ?? "")) throw usageError(`${option} takes ${either(values)}`);
  if (value === undefined) throw usageError(`${option} needs a value`);
}

/** A long word may be a key: do not print it again. */
function quoted(word: string): string {
  if (word.length < SHORTEST_KEY) return ` "${word}"`;
  return ". Never pass a key as an argument: if this was one, it is now in your shell history";
}

const MEANINGS: Readonly<Record<string, string>> = {
  name: "provider's name",
  "new-name": "new name",
  provider: "provider's name",
};

/** "hook or loop" */
function either(words: readonly string[]): string {
  return words.join(", ").replace(/, ([^,]*)$/, " or $1");
}

const BOOLEAN = "boolean" as const;

const STRING = "string" as const;
