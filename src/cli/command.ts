import { parseArgs } from "node:util";
import type { ArgDef, ArgsDef, ParsedArgs } from "citty";
import { type AnyCommand, type Definition, define } from "../commands/arguments.ts";
import { CccError, EXIT, usageError } from "../errors.ts";
import { SECRET_NAME, SHORTEST_KEY } from "../text/redact.ts";
import { wrap } from "../text/table.ts";
import { nearest } from "../text/words.ts";
import type { World } from "../world.ts";

/**
 * Runs a command, or the subcommand that its arguments name. citty only defines commands: ccc parses the arguments, and
 * prints help and usage errors itself. `path` is the command as users type it.
 */
export async function runCommand(
  command: AnyCommand,
  path: string,
  args: readonly string[],
  world: World,
): Promise<number> {
  const found = leaf({ definition: await define(command), path, args });
  const { definition } = found;
  if (asksForHelp(found.args)) {
    world.stdout(renderHelp(definition, found.path, helpWidth(world)));
    return EXIT.ok;
  }
  try {
    const { run } = definition.command;
    const isWord = found.args[0]?.startsWith("-") === false;
    if (run === undefined || (definition.children.length > 0 && isWord)) throw noSubcommand(found);
    const args = parseArguments(found.args, definition.args);
    const result: unknown = await run({ rawArgs: [...found.args], args, cmd: definition.command });
    return typeof result === "number" ? result : EXIT.ok;
  } catch (error) {
    if (!(error instanceof CccError) || error.exitCode !== EXIT.usage || error.advice !== undefined) throw error;
    throw usageError(error.message, `Usage: ${usageLine(definition, found.path)}\nSee ${found.path} --help.`);
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

const HELP_WIDTH = 100;

/** As wide as the terminal, if that is narrower. */
export function helpWidth(world: World): number {
  return world.isTerminal(1) ? Math.min(HELP_WIDTH, world.columns()) : HELP_WIDTH;
}

function noSubcommand({ definition, path, args: [word] }: ResolvedCommand): CccError {
  const names = shownChildren(definition).map(({ name }) => name);
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
function parseArguments(words: readonly string[], defined: ArgsDef): ParsedArgs {
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
  const passed = { ...values, ...Object.fromEntries(positionals.map((word, index) => [positional[index], word])) };
  const args = Object.keys(defined).map((name) => [name, passed[name] ?? defined[name]?.default]);
  return { ...Object.fromEntries(args), _: positionals };
}

const BOOLEAN = "boolean" as const;
const STRING = "string" as const;

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

/** A long word may be a key, so it is not repeated. */
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

/**
 * The help of the command `path`. Plain paragraphs of its description come first. Sections (a title with indented lines
 * below) come last, with their lines.
 */
function renderHelp(definition: Definition, path: string, width: number): string {
  const paragraphs = definition.description.split("\n\n");
  const isSection = (paragraph: string) => paragraph.includes("\n  ");
  const { args } = definition;
  const children = shownChildren(definition);
  const parts = [
    ...paragraphs.filter((each) => !isSection(each)).map((each) => filled(each, width)),
    `Usage\n  ${usageLine(definition, path, width - 2)}`,
    table("Arguments", entries(args, true), width),
    table("Commands", children.map(childRow), width),
    table("Options", [...entries(args, false), ["-h, --help", "show this help"]], width),
    ...paragraphs.filter(isSection).map((each) => wrap(each, width)),
    ...(children.length === 0 ? [] : [`Help for one command: ${path} <command> --help`]),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

function shownChildren({ children }: Definition): readonly Definition[] {
  return children.filter(({ isHidden }) => !isHidden);
}

/** If the options do not fit on the line, they become "[options]". */
function usageLine(definition: Definition, path: string, width = HELP_WIDTH): string {
  const { args } = definition;
  const children = shownChildren(definition);
  if (children.length > 0) {
    const line = `${path} ${children.map(({ name }) => name).join("|")} …`;
    return line.length <= width ? line : `${path} <command> …`;
  }
  const all = Object.entries(args);
  const options = all.filter(([, { type }]) => type !== "positional").map((each) => `[${label(...each)}]`);
  const positionals = all.filter(([, { type }]) => type === "positional").map((each) => bracketed(...each));
  const line = [path, ...options, ...positionals].join(" ");
  return line.length <= width ? line : [path, "[options]", ...positionals].join(" ");
}

type Row = readonly [left: string, right: string];

function entries(args: Definition["args"], positional: boolean): Row[] {
  const wanted = Object.entries(args).filter(([, { type }]) => (type === "positional") === positional);
  return wanted.map(([name, argument]) => [label(name, argument), described(argument)]);
}

function label(name: string, { type, valueHint, ...argument }: ArgDef): string {
  if (type === "positional") return valueHint ?? name;
  if (type === "boolean") return `--${name}`;
  const values = "options" in argument ? argument.options?.join("|") : undefined;
  return `--${name} ${valueHint ?? values ?? name.toUpperCase()}`;
}

function bracketed(name: string, argument: ArgDef): string {
  const text = label(name, argument);
  if (argument.required === false) return `[${text}]`;
  return text.includes("|") ? text : `<${text}>`;
}

function described({ type, description = "", default: value }: ArgDef): string {
  return value === undefined || type === "boolean" ? description : `${description} (default: ${value})`;
}

function childRow({ name, summary }: Definition): Row {
  return [name, summary.charAt(0).toLowerCase() + summary.slice(1)];
}

function table(title: string, rows: readonly Row[], width: number): string {
  if (rows.length === 0) return "";
  const beside = 2 + Math.max(...rows.map(([left]) => left.length)) + 4;
  const indent = width - beside >= NARROWEST ? beside : BELOW;
  const lines = rows.flatMap(([left, right]) => {
    const [first = "", ...rest] = wrap(right.replaceAll(/\s+/g, " "), Math.max(width - indent, NARROWEST), 0).split(
      "\n",
    );
    if (indent === BELOW) return [`  ${left}`, ...[first, ...rest].map((line) => " ".repeat(indent) + line)];
    return [`  ${left}`.padEnd(indent) + first, ...rest.map((line) => " ".repeat(indent) + line)];
  });
  return [title, ...lines].join("\n");
}

const NARROWEST = 24;

/** The indent of a description that does not fit beside its name. */
const BELOW = 6;

function filled(text: string, width: number): string {
  return wrap(text.replaceAll(/\s+/g, " "), width, 0);
}
