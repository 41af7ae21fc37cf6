import { parseArgs } from "node:util";
import { type ArgsDef, type CommandDef, renderUsage, runCommand as runCitty } from "citty";
import { CccError, EXIT, usageError } from "../io/errors.ts";
import { SECRET_NAME } from "../io/redact.ts";
import type { World } from "../world.ts";
import { COMMANDS } from "./commands.ts";

/**
 * Runs one of ccc's own commands. citty parses and renders; what it lets pass (unknown options, `constructor` as a
 * subcommand, usage on stdout after a mistake) is settled here.
 */
export async function runCommand(name: keyof typeof COMMANDS, args: readonly string[], world: World): Promise<number> {
  const found = await leaf({ command: COMMANDS[name](world), parents: ["ccc"], args });
  const usage = async () =>
    `${Bun.stripANSI(await renderUsage(found.command, { meta: { name: found.parents.join(" ") } }))}\n`;
  if (asksForHelp(found.args)) {
    world.stdout(await usage());
    return EXIT.ok;
  }
  try {
    if (found.command.run === undefined) throw usageError(missing(found));
    checkOptions(found.args, await resolve(found.command.args));
    const { result } = await runCitty(found.command, { rawArgs: [...found.args] });
    return typeof result === "number" ? result : EXIT.ok;
  } catch (error) {
    if (isUsageMistake(error)) throw usageError(Bun.stripANSI(error.message), adviceOf(error) ?? (await usage()));
    throw error;
  }
}

interface Found {
  readonly command: CommandDef;
  readonly parents: readonly string[];
  readonly args: readonly string[];
}

/** Follows subcommands as far as the words go. */
async function leaf(found: Found): Promise<Found> {
  const children = await resolve(found.command.subCommands);
  const word = found.args[0];
  if (children === undefined || word === undefined || !Object.hasOwn(children, word)) return found;
  const meta = await resolve(found.command.meta);
  const command = (await resolve(children[word])) as CommandDef;
  return leaf({ command, parents: [...found.parents, meta?.name ?? ""], args: found.args.slice(1) });
}

function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf("--");
  return args.slice(0, end === -1 ? undefined : end).some((word) => word === "--help" || word === "-h");
}

/** citty passes over what it does not know. */
function checkOptions(args: readonly string[], defined: ArgsDef = {}): void {
  const isBoolean = (name: string) => defined[name]?.type === "boolean";
  const names = Object.keys(defined).filter((name) => defined[name]?.type !== "positional");
  const options = Object.fromEntries(names.map((name) => [name, { type: isBoolean(name) ? BOOLEAN : STRING }]));
  const { tokens, positionals } = parseArgs({ args: [...args], options, strict: false, tokens: true });
  for (const token of tokens) {
    if (token.kind !== "option") continue;
    if (!names.includes(token.name)) throw unknownOption(token.rawName);
    if (isBoolean(token.name) && token.value !== undefined) throw usageError(`${token.rawName} takes no value`);
    if (!isBoolean(token.name) && token.value === undefined) throw usageError(`${token.rawName} needs a value`);
  }
  const allowed = Object.keys(defined).length - names.length;
  const [extra] = positionals.slice(allowed);
  if (extra === undefined) return;
  // A long word may be a key, which nobody wants to see in a terminal's history twice.
  throw usageError(extra.length < SHORTEST_KEY ? `unexpected "${extra}"` : "there is one argument too many");
}

function unknownOption(name: string): CccError {
  const isKey = SECRET_NAME.test(name) || /pass|auth/.test(name);
  const why = "a key is never given as an argument, where everybody on this machine can see it";
  return usageError(`unknown option ${name}${isKey ? `: ${why}` : ""}`);
}

const SHORTEST_KEY = 16;
const BOOLEAN = "boolean" as const;
const STRING = "string" as const;

function missing({ args }: Found): string {
  return args[0] === undefined ? "a subcommand is missing" : `there is no subcommand "${args[0]}"`;
}

function isUsageMistake(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  return error.name === "CLIError" || (error instanceof CccError && error.exitCode === EXIT.usage);
}

function adviceOf(error: Error): string | undefined {
  return error instanceof CccError ? error.advice : undefined;
}

async function resolve<T>(value: T | Promise<T> | (() => T | Promise<T>)): Promise<T> {
  return typeof value === "function" ? (value as () => T | Promise<T>)() : value;
}
