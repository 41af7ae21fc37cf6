import { type ArgsDef, defineCommand } from "citty";
import { docsPage } from "../build-info.ts";
import type { HelpOption, HelpPage } from "../claude/asked.ts";
import { savedSessions } from "../claude/sessions.ts";
import { loadConfig } from "../config/load.ts";
import { cccPaths } from "../config/paths.ts";
import { folderPin, type Pin } from "../config/pins.ts";
import { CccError, EXIT, usageError } from "../errors.ts";
import { claudeHelp, type ReadHelp } from "../launch/ask-claude.ts";
import { LAUNCH_OPTIONS } from "../launch/decide.ts";
import { findClaude } from "../launch/find.ts";
import { PRESET_NAMES } from "../providers/preset-list.ts";
import { oneLine } from "../text/shown.ts";
import type { World } from "../world.ts";
import { type AnyCommand, type Definition, define } from "./arguments.ts";
import { ownCases } from "./calibrate/cases.ts";
import { listedSessions } from "./report/command.ts";

const DESCRIPTION = `Print a completion script for ccc's commands, their options and your providers,
and for claude's own options and subcommands after a provider.
The first line of the script says how to install it.

Examples
  source <(ccc completions bash)
  ccc completions fish | source

More
  ${docsPage("completions.md")}`;

export function completionsCommand(world: World) {
  return defineCommand({
    meta: {
      name: "completions",
      description: DESCRIPTION,
    },
    args: { shell: { type: "positional", required: true, valueHint: SHELLS.join("|"), description: "your shell" } },
    run: ({ args }) => {
      const shell = SHELLS.find((name) => name === args.shell);
      if (shell === undefined) throw usageError(`unsupported shell "${args.shell}"`, `Supported: ${SHELLS.join(", ")}`);
      world.stdout(SCRIPTS[shell]);
    },
  });
}

/**
 * `ccc completions complete INDEX WORD…`, called by the completion scripts. It bypasses citty, which would parse options
 * among the words as its own.
 */
export async function completeWords(
  [index, ...words]: readonly string[],
  all: Readonly<Record<string, (world: World) => AnyCommand>>,
  world: World,
): Promise<number> {
  const commands = await Promise.all(Object.values(all).map((command) => define(command(world))));
  const sessions = savedSessions(world.files, world).map(({ id }) => id);
  const found = await complete(words, Number(index), {
    commands: commands.filter(({ name }) => !FOR_PROGRAMS.includes(name)).map(node),
    ...providersHere(world),
    sessions,
    recorded: () => recordedHere(world),
    completeClaude: (before, current) => completeClaude(before, current, helpOf(world), sessions),
  });
  const lines = found === "files" ? [":files"] : found.map(({ value, description }) => `${value}\t${description}`);
  world.stdout(lines.map((line) => `${line}\n`).join(""));
  return EXIT.ok;
}

interface Candidate {
  readonly value: string;
  readonly description: string;
}

/** The candidates for a word; "files" leaves completion to the shell. */
type Completion = readonly Candidate[] | "files";

/** Commands that people do not type. */
const FOR_PROGRAMS = ["key"];

/** Without claude there is no help; a launch will report that. */
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

function recordedHere(world: World): Candidate[] {
  return listedSessions(world, false, MOST_OFFERED).map(({ session, outcome, prompt }) => ({
    value: session,
    description: `${outcome}: ${oneLine(prompt, LONGEST_PROMPT)}`,
  }));
}

const MOST_OFFERED = 20;
const LONGEST_PROMPT = 60;

interface CompletionData {
  readonly commands: readonly CommandNode[];
  readonly providers: readonly string[];
  /** The pin of this folder. */
  readonly pin: Pin | undefined;
  /** The sessions of this folder. */
  readonly sessions: readonly string[];
  /** The supervised ones, each with its outcome and its prompt. */
  readonly recorded: () => Candidate[];
  /** Completes a word among claude's arguments. */
  readonly completeClaude: (before: readonly string[], current: string) => Promise<Completion>;
}

/** Completes the word at `index`. `words` are those after `ccc`; a word not yet typed is empty. */
async function complete(words: readonly string[], index: number, known: CompletionData): Promise<Completion> {
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
  if (open !== undefined) return plain(withValues(open, known).values ?? []);
  if (current.startsWith("-"))
    return ofOptions(
      OPTIONS.map((option) => withValues(option, known)),
      current,
    );
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
  if (positionals === 0 && command.children.length > 0)
    return command.children.filter(({ isHidden }) => !isHidden).map(asCandidate);
  const wanted = command.positionals[positionals];
  if (wanted === undefined) return [];
  if (wanted.values.length > 0) return plain(wanted.values);
  if (command.name === "add") return plain(PRESET_NAMES);
  if (wanted.name === "session") return command.name === "report" ? known.recorded() : plain(known.sessions);
  return PROVIDER.includes(wanted.name) ? plain(known.providers) : [];
}

/** A value without a fixed list may be a file; so may cases. */
function ofValue({ name, values = [] }: Option, current: string): Completion {
  const isListed = name === "--cases" ? values.some((each) => each.startsWith(current)) : values.length > 0;
  return isListed ? plain(values) : "files";
}

/** Presets, providers and cases are data, so the command definition does not list them. */
function withValues(option: Option, { providers }: CompletionData): Option {
  if (option.name === "--provider" || option.name === "--fallback") return { ...option, values: providers };
  if (option.name === "--cases") return { ...option, values: Object.keys(ownCases()) };
  return option.name === "--preset" ? { ...option, values: PRESET_NAMES } : option;
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
const OPTIONS: readonly Option[] = [...LAUNCH_OPTIONS, HELP, VERSION];

/** Completes `current` among claude's arguments, from claude's own help. */
async function completeClaude(
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
interface CommandNode {
  readonly name: string;
  readonly description: string;
  readonly options: readonly Option[];
  readonly positionals: readonly Positional[];
  readonly children: readonly CommandNode[];
  /** Not offered. */
  readonly isHidden: boolean;
}

interface Option {
  readonly name: string;
  readonly description: string;
  /** Undefined if it takes no value. */
  readonly values: readonly string[] | undefined;
}

interface Positional {
  readonly name: string;
  readonly values: readonly string[];
}

function node({ name, summary, args, children, isHidden }: Definition): CommandNode {
  return { name, description: brief(summary), ...readArguments(args), children: children.map(node), isHidden };
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

/** The first clause, short enough to be shown beside a candidate. */
function brief(description = ""): string {
  return description.split(/[.,:;](?=\s|$)| \(/)[0]?.trim() ?? "";
}

/**
 * The completion script of each shell. Words are passed to ccc as they are: nothing typed is ever evaluated. A script
 * calls the ccc that was typed, if it was typed as a path, or else the one on PATH. ccc answers with one line per candidate,
 * "value<tab>description", or with `:files`.
 */
const SCRIPTS = {
  bash: `# ccc: completion for bash. Put this into ~/.bashrc:  source <(ccc completions bash)
_ccc() {
  local ccc=\${COMP_WORDS[0]//[\\\\\\"\\']/} line
  ccc=\${ccc/#\\~/$HOME}
  [[ $ccc == */* ]] || ccc=ccc
  COMPREPLY=()
  while IFS= read -r line; do
    [[ $line == :files ]] && return
    [[ -n $line ]] && COMPREPLY+=("\${line%%$'\\t'*}")
  done <<< "$(command "$ccc" completions complete $((COMP_CWORD - 1)) "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)"
  # No files where ccc knows the candidates; old versions of bash offer them anyway.
  compopt +o default 2>/dev/null
  return 0
}
# For a quoted path, bash looks up its last part, with the quotation mark.
complete -o default -F _ccc ccc "ccc'" 'ccc"'
`,
  zsh: `#compdef ccc
# ccc: completion for zsh. Put this into ~/.zshrc, after compinit:  source <(ccc completions zsh)
_ccc() {
  local ccc=\${(Q)words[1]} line
  local -a candidates
  ccc=\${ccc/#\\~/$HOME}
  [[ $ccc == */* ]] || ccc=ccc
  for line in \${(f)"$(command $ccc completions complete $((CURRENT - 2)) "\${(@Q)words[2,CURRENT]}" 2>/dev/null)"}; do
    if [[ $line == :files ]]; then
      _files
      return
    fi
    candidates+=("\${\${\${line//:/\\\\:}/$'\\t'/:}%:}")
  done
  _describe ccc candidates
}
if [[ $funcstack[1] == _ccc ]]; then _ccc "$@"; else compdef _ccc ccc "ccc'" 'ccc"'; fi
`,
  fish: `# ccc: completion for fish. Put this into ~/.config/fish/config.fish:  ccc completions fish | source
function __ccc_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l ccc (string replace -r '^~/' "$HOME/" -- $words[1])
    string match -q '*/*' -- $ccc; or set ccc ccc
    set -e words[1]
    set -l candidates (command $ccc completions complete (count $words) $words "$current" 2>/dev/null)
    if contains -- :files $candidates
        __fish_complete_path "$current"
    else if set -q candidates[1]
        printf '%s\\n' $candidates
    end
end
complete -c ccc -f -a '(__ccc_complete)'
`,
  powershell: `# ccc: completion for PowerShell. Put this into $PROFILE:  ccc completions powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName ccc, ccc.exe -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements | Where-Object { $_.Extent.StartOffset -lt $cursorPosition } | ForEach-Object {
        if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.ToString() }
    })
    $ccc = if ($words[0] -match '[/\\\\]') { $words[0] } else { 'ccc' }
    # Without a word at the cursor, the one to complete is not typed yet.
    $index = if ($wordToComplete) { $words.Count - 2 } else { $words.Count - 1 }
    $rest = @($words | Select-Object -Skip 1)
    $candidates = @(& $ccc completions complete $index @rest 2>$null)
    if ($candidates -contains ':files') { return }
    foreach ($candidate in $candidates) {
        $value, $description = $candidate -split "\`t", 2
        if (-not $description) { $description = $value }
        [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $description)
    }
}
`,
} as const;

const SHELLS = Object.keys(SCRIPTS) as (keyof typeof SCRIPTS)[];
