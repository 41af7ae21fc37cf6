import type { ArgsDef } from "citty";
import type { HelpOption, HelpPage } from "../../claude/asked.ts";
import { savedSessions } from "../../claude/sessions.ts";
import { loadConfig } from "../../config/check.ts";
import { LAUNCH_OPTIONS } from "../../config/command-line.ts";
import { cccPaths } from "../../config/paths.ts";
import { folderPin, type Pin } from "../../config/pins.ts";
import { CccError, EXIT } from "../../errors.ts";
import { claudeHelp, type ReadHelp } from "../../launch/ask-claude.ts";
import { findClaude } from "../../launch/find.ts";
import { PRESET_NAMES } from "../../providers/preset-list.ts";
import type { World } from "../../world.ts";
import { ownCases } from "../calibrate/own-cases.ts";
import { type AnyCommand, type Definition, define } from "../shared.ts";

export interface Candidate {
  readonly value: string;
  readonly description: string;
}

/** The candidates for a word; "files" leaves completion to the shell. */
export type Completion = readonly Candidate[] | "files";

/**
 * `ccc completions complete INDEX WORD…`, called by the completion scripts. It bypasses citty, which would parse options
 * among the words as its own.
 */
export async function completeWords(
  [index, ...words]: readonly string[],
  all: Readonly<Record<string, (world: World) => AnyCommand>>,
  world: World,
): Promise<number> {
  const commands = await Promise.all(Object.values(all).map((command) => readTree(command(world))));
  const sessions = savedSessions(world.files, world).map(({ id }) => id);
  const found = await complete(words, Number(index), {
    commands: commands.filter(({ name }) => !FOR_PROGRAMS.includes(name)),
    ...providersHere(world),
    presets: PRESET_NAMES,
    cases: () => Object.keys(ownCases()),
    sessions,
    completeClaude: (before, current) => completeClaude(before, current, helpOf(world), sessions),
  });
  const lines = found === "files" ? [":files"] : found.map(({ value, description }) => `${value}\t${description}`);
  world.stdout(lines.map((line) => `${line}\n`).join(""));
  return EXIT.ok;
}

const FOR_PROGRAMS = ["key"];

/** Without claude there is nothing to complete; the launch will say so. */
function helpOf(world: World): ReadHelp {
  try {
    return claudeHelp(world, findClaude(world), cccPaths(world));
  } catch (error) {
    if (error instanceof CccError) return async () => undefined;
    throw error;
  }
}

/** An unreadable ccc.json must not interrupt someone who is typing. */
function providersHere(world: World): Pick<CompletionData, "providers" | "pin"> {
  try {
    const loaded = loadConfig(world);
    return { providers: [...loaded.providers.keys()], pin: folderPin(loaded, world) };
  } catch {
    return { providers: [], pin: undefined };
  }
}

export interface CompletionData {
  readonly commands: readonly CommandNode[];
  readonly providers: readonly string[];
  /** That of this folder. */
  readonly pin: Pin | undefined;
  readonly presets: readonly string[];
  /** The names of ccc's own cases for calibration. */
  readonly cases: () => readonly string[];
  /** The sessions of this folder. */
  readonly sessions: readonly string[];
  /** Completes a word after those that claude gets. */
  readonly completeClaude: (before: readonly string[], current: string) => Promise<Completion>;
}

/** Completes the word at `index`. `words` are those after `ccc`; a word not yet typed is empty. */
export async function complete(words: readonly string[], index: number, known: CompletionData): Promise<Completion> {
  // Bash splits --engine=hook into three words.
  const before = words.slice(0, index).filter((word) => word !== "=");
  const typed = words[index] ?? "";
  const current = typed === "=" ? "" : typed;
  const found = await at(before, current, known);
  return found === "files" ? found : found.filter(({ value }) => value.startsWith(current));
}

function at(before: readonly string[], current: string, known: CompletionData): Completion | Promise<Completion> {
  const [first, ...rest] = before;
  const command = known.commands.find(({ name }) => name === first);
  if (command !== undefined) return ofCommand(command, rest, current, known);
  const { open, position } = walk(before, OPTIONS);
  // From the first word that is not an option of ccc, everything is claude's.
  if (position < before.length) {
    const isProvider = known.providers.includes(before[position] ?? "");
    return known.completeClaude(before.slice(isProvider ? position + 1 : position), current);
  }
  if (open !== undefined) return plain(open.values ?? []);
  if (current.startsWith("-")) return ofOptions(OPTIONS, current);
  const providers = launchable(known, before.includes("--anyway"));
  return before.length > 0 ? providers : [...providers, ...known.commands.map(asCandidate)];
}

/** The providers that a launch in this folder may name. */
function launchable({ providers, pin }: CompletionData, anyway: boolean): Candidate[] {
  const isPinned = (name: string) => name === pin?.provider;
  const allowed = pin?.only === true && !anyway ? providers.filter(isPinned) : providers;
  return allowed.map((value) => ({ value, description: isPinned(value) ? "Provider, pinned here" : "Provider" }));
}

function ofCommand(command: CommandNode, rest: readonly string[], current: string, known: CompletionData): Completion {
  const child = command.children.find(({ name }) => name === rest[0]);
  if (child !== undefined) return ofCommand(child, rest.slice(1), current, known);
  const options = command.options.map((option) => withValues(option, known));
  const { open, positionals } = walk(rest, options);
  if (open !== undefined) return ofValue(open, current);
  if (current.startsWith("-")) return ofOptions([...options, HELP], current);
  if (positionals === 0 && command.children.length > 0) return command.children.map(asCandidate);
  const wanted = command.positionals[positionals];
  if (wanted === undefined) return [];
  if (wanted.values.length > 0) return plain(wanted.values);
  if (command.name === "add") return plain(known.presets);
  if (wanted.name === "session") return plain(known.sessions);
  return PROVIDER.includes(wanted.name) ? plain(known.providers) : [];
}

/** A value without a fixed list may be a file; so may cases. */
function ofValue({ name, values = [] }: Option, current: string): Completion {
  const isListed = name === "--cases" ? values.some((each) => each.startsWith(current)) : values.length > 0;
  return isListed ? plain(values) : "files";
}

/** Presets, providers and cases are data, so the command definition does not list them. */
function withValues(option: Option, { presets, providers, cases }: CompletionData): Option {
  if (option.name === "--provider") return { ...option, values: providers };
  if (option.name === "--cases") return { ...option, values: cases() };
  return option.name === "--preset" ? { ...option, values: presets } : option;
}

/** The names of arguments that take a provider. */
const PROVIDER = ["provider", "name"];

interface Walked {
  /** The option whose value comes next. */
  readonly open: Option | undefined;
  readonly positionals: number;
  /** Index of the first word that is neither an option nor its value. */
  readonly position: number;
}

function walk(words: readonly string[], options: readonly Option[]): Walked {
  let open: Option | undefined;
  let positionals = 0;
  let position = words.length;
  for (const [index, word] of words.entries()) {
    const isValue = open !== undefined;
    const option: Option | undefined = isValue ? undefined : options.find(({ name }) => name === word);
    open = option?.values === undefined ? undefined : option;
    if (isValue || option !== undefined || isAssignment(word, options)) continue;
    positionals++;
    position = Math.min(position, index);
  }
  return { open, positionals, position };
}

function isAssignment(word: string, options: readonly Option[]): boolean {
  return options.some(({ name, values }) => values !== undefined && word.startsWith(`${name}=`));
}

/** The options, or, after `--option=`, the values of that option. */
function ofOptions(options: readonly Option[], current: string): Candidate[] {
  const assigned = options.find(({ name, values }) => values !== undefined && current.startsWith(`${name}=`));
  if (assigned === undefined) return options.map(asCandidate);
  return plain((assigned.values ?? []).map((value) => `${assigned.name}=${value}`));
}

function asCandidate({ name, description }: { name: string; description: string }): Candidate {
  return { value: name, description };
}

function plain(values: readonly string[]): Candidate[] {
  return values.map((value) => ({ value, description: "" }));
}

const HELP: Option = { name: "--help", description: "help", values: undefined };

const VERSION: Option = { name: "--version", description: "the version", values: undefined };

/** ccc's options before the provider. */
export const OPTIONS: readonly Option[] = [...LAUNCH_OPTIONS, HELP, VERSION];

/** Completes `current` after the words that claude gets, from claude's own help. */
export async function completeClaude(
  before: readonly string[],
  current: string,
  readHelp: ReadHelp,
  sessions: readonly string[],
): Promise<Completion> {
  const subcommand: string[] = [];
  let words = before;
  for (;;) {
    const page = await readHelp(subcommand);
    if (page === undefined) return "files";
    const walked = walkClaude(words, page);
    const name = walked.command && nameOf(walked.command, page);
    if (name === undefined || subcommand.length === DEEPEST) return offer(page, walked, current, sessions);
    subcommand.push(name);
    words = walked.rest;
  }
}

/** `claude plugin marketplace add` is the deepest one. */
const DEEPEST = 3;

interface WalkedWords {
  /** The option whose value may come next. */
  readonly open: HelpOption | undefined;
  /** The first word that is neither an option nor its value, and what follows it. */
  readonly command: string | undefined;
  readonly rest: readonly string[];
}

function walkClaude(words: readonly string[], { options }: HelpPage): WalkedWords {
  let open: HelpOption | undefined;
  for (const [index, word] of words.entries()) {
    if (word === "--") return { open: undefined, command: word, rest: [] };
    const isOption = word.startsWith("-");
    if (!isOption && open === undefined) return { open, command: word, rest: words.slice(index + 1) };
    if (isOption && open?.takes !== "one")
      open = options.find((each) => each.takes !== "none" && each.names.includes(word));
    else if (open?.takes !== "many") open = undefined;
  }
  return { open, command: undefined, rest: [] };
}

/** Commands have aliases. */
function nameOf(word: string, { commands }: HelpPage): string | undefined {
  return commands.find(({ names }) => names.includes(word))?.names[0];
}

function offer(page: HelpPage, walked: WalkedWords, current: string, sessions: readonly string[]): Completion {
  const { open, command } = walked;
  if (open !== undefined && (open.takes === "one" || !current.startsWith("-")))
    return orFiles(valuesOf(open, sessions), current);
  if (current.startsWith("-")) return offerOptions(page, current, sessions);
  const commands = command === undefined ? page.commands : [];
  return orFiles(
    commands.map(({ names: [value = ""], description }) => ({ value, description: brief(description) })),
    current,
  );
}

function valuesOf({ names, choices }: HelpOption, sessions: readonly string[]): Candidate[] {
  return plain(names.includes("--resume") ? sessions : choices);
}

function offerOptions({ options }: HelpPage, current: string, sessions: readonly string[]): Candidate[] {
  const [name = "", value] = current.split("=", 2);
  const assigned = value === undefined ? undefined : options.find(({ names }) => names.includes(name));
  if (assigned !== undefined)
    return valuesOf(assigned, sessions).map((each) => ({ ...each, value: `${name}=${each.value}` }));
  return options.map(({ names: [first = ""], description }) => ({ value: first, description: brief(description) }));
}

/** Any other word may be the name of a file. */
function orFiles(candidates: readonly Candidate[], current: string): Completion {
  return candidates.some(({ value }) => value.startsWith(current)) ? candidates : "files";
}

/** The parts of a command that completion needs. */
export interface CommandNode {
  readonly name: string;
  readonly description: string;
  readonly options: readonly Option[];
  readonly positionals: readonly Positional[];
  readonly children: readonly CommandNode[];
}

export interface Option {
  readonly name: string;
  readonly description: string;
  /** Undefined if it takes no value. */
  readonly values: readonly string[] | undefined;
}

export interface Positional {
  readonly name: string;
  readonly values: readonly string[];
}

export async function readTree(command: AnyCommand): Promise<CommandNode> {
  return node(await define(command));
}

function node({ name, summary, args, children }: Definition): CommandNode {
  return { name, description: brief(summary), ...readArguments(args), children: children.map(node) };
}

function readArguments(args: ArgsDef): Pick<CommandNode, "options" | "positionals"> {
  const options: Option[] = [];
  const positionals: Positional[] = [];
  for (const [name, argument] of Object.entries(args)) {
    const values = argument.type === "enum" ? (argument.options ?? []) : [];
    const { valueHint = "" } = argument;
    const description = brief(argument.description);
    if (argument.type === "positional") {
      positionals.push({ name, values: valueHint.includes("|") ? valueHint.split("|") : [] });
    } else options.push({ name: `--${name}`, description, values: argument.type === "boolean" ? undefined : values });
  }
  return { options, positionals };
}

/** The first clause: short enough to stand beside a candidate. */
function brief(description = ""): string {
  return description.split(/[.,:;](?=\s|$)| \(/)[0]?.trim() ?? "";
}
