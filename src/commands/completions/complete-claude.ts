import type { HelpOption, HelpPage } from "../../claude/help-page.ts";
import type { ReadHelp } from "../../launch/claude-help.ts";
import { type Candidate, type Completion, plain } from "./complete.ts";
import { brief } from "./tree.ts";

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
