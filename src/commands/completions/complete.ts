import { LAUNCH_OPTIONS } from "../../config/launch-options.ts";
import type { Pin } from "../../config/pins.ts";
import type { CommandNode, Option } from "./tree.ts";

export interface Candidate {
  readonly value: string;
  readonly description: string;
}

/** The candidates for a word; "files" leaves completion to the shell. */
export type Completion = readonly Candidate[] | "files";

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

const HELP: Option = { name: "--help", description: "help", values: undefined };
const VERSION: Option = { name: "--version", description: "the version", values: undefined };

/** ccc's options before the provider. */
export const OPTIONS: readonly Option[] = [...LAUNCH_OPTIONS, HELP, VERSION];

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

export function plain(values: readonly string[]): Candidate[] {
  return values.map((value) => ({ value, description: "" }));
}
