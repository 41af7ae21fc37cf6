import { REPOSITORY } from "../build-info.ts";
import { CLAUDE_SUBCOMMANDS, claudeStart, optionsIn } from "../claude/arguments.ts";
import type { checkConfig } from "../config/check.ts";
import { ENGINES, type Engine } from "../config/defaults.ts";
import { type LoadedConfig, NoProviders, readConfig } from "../config/load.ts";
import { cccPaths } from "../config/paths.ts";
import { usageError } from "../errors.ts";
import { LAUNCH_OPTIONS, type LaunchRequest, PLAIN_LAUNCH } from "../launch/decide.ts";
import { type LateLaunch, launch } from "../launch/launch.ts";
import { COMMAND_NAMES, type CommandName, isCalledByClaudeCode, isCommandName } from "../markers.ts";
import { isAbsolute, programName } from "../os/path.ts";
import type { vendorPresets } from "../providers/preset-list.ts";
import { shellWord } from "../text/shell.ts";
import { nearest } from "../text/words.ts";
import type { World } from "../world.ts";

/** What a plain launch does not need. It is handed in and loaded on first use. */
export interface LateProgram extends LateLaunch {
  readonly checkConfig: typeof checkConfig;
  readonly vendorPresets: typeof vendorPresets;
  /** Runs whatever is neither a launch nor a mistake, and returns the exit code. */
  readonly runRoute: (route: OtherRoute, world: World) => number | Promise<number>;
  /** Offers to add a first provider, `linked` if a link to ccc names it. Returns false if it cannot ask. */
  readonly offerProvider: (world: World, linked: string | undefined) => Promise<boolean>;
  /** Reports an error and returns its exit code. */
  readonly reportError: (error: unknown, world: World) => number;
}

export type OtherRoute = Exclude<Route, { kind: "launch" | "mistake" }>;

/** Runs one command line and returns its exit code. */
export async function dispatch(world: World, late: () => LateProgram): Promise<number> {
  try {
    return await runLine(world, late);
  } catch (error) {
    return error instanceof NoProviders ? withoutProviders(error, world, late()) : late().reportError(error, world);
  }
}

/** At a terminal, offers to add a first provider and then runs the command line. */
async function withoutProviders(error: NoProviders, world: World, late: LateProgram): Promise<number> {
  try {
    refuseMistake(world, late);
    const isAdded = await late.offerProvider(world, linkedProvider(world.name));
    return isAdded ? await runLine(world, () => late) : late.reportError(error, world);
  } catch (failure) {
    return late.reportError(failure, world);
  }
}

/** Without any provider, typos are refused too: "doctr" must not lead to the offer to add one. */
function refuseMistake(world: World, late: LateProgram): void {
  if (linkedProvider(world.name) !== undefined) return;
  const known = { providers: () => [], presets: late.vendorPresets };
  const wanted = route(world.argv, known, {
    linked: undefined,
    claudeWords: (words) => claudeWords(words, world),
  });
  if (wanted.kind === "mistake") throw usageError(wanted.message, wanted.advice);
}

function runLine(world: World, late: () => LateProgram): number | Promise<number> {
  let config: LoadedConfig | undefined;
  const load = () => {
    config ??= readConfig(world, cccPaths(world), (text, path) => late().checkConfig(text, path));
    return config;
  };
  const known = {
    providers: () => [...load().providers.keys()],
    presets: (word: string, isLoose?: boolean) => late().vendorPresets(word, isLoose),
  };
  const start = {
    linked: linkedProvider(world.name),
    claudeWords: (words: readonly string[]) => claudeWords(words, world),
  };
  const wanted = route(world.argv, known, start);
  if (wanted.kind === "launch") return launch(wanted.launch, load(), cccPaths(world), world, late);
  if (wanted.kind === "mistake") throw usageError(wanted.message, wanted.advice);
  return late().runRoute(wanted, world);
}

/** What a command line asks for. */
export type Route =
  | { readonly kind: "launch"; readonly launch: LaunchRequest }
  | { readonly kind: "command"; readonly name: CommandName; readonly args: readonly string[] }
  | { readonly kind: "help"; readonly isWhole: boolean }
  | { readonly kind: "version"; readonly json: boolean }
  | Mistake;

/** A command line that would cost money and not do what the user wants. */
interface Mistake {
  readonly kind: "mistake";
  readonly message: string;
  readonly advice: string;
}

/** Names that the first word can match. They are read late, because most command lines never need them. */
interface KnownNames {
  readonly providers: () => readonly string[];
  /** Presets of `ccc provider add` with this name, or of the vendor with this name; loosely also mistyped, or named after a model. */
  readonly presets: (word: string, isLoose?: boolean) => readonly string[];
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
 * claude. A first word that might be a mistyped provider or command is refused: nobody wants to pay for a prompt that says
 * "valdate". Through a link named after a provider all of it goes to claude: `ccc-glm` is `ccc glm`.
 */
export function route(argv: readonly string[], known: KnownNames, start = BY_A_USER): Route {
  if (start.linked !== undefined) return linked(start.linked, argv, known, start);
  let supervisor: boolean | undefined;
  let engine: Engine | undefined;
  const fallback: string[] = [];
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
    else if (word === "-v" || word === "--version")
      return { kind: "version", json: json || argv.slice(index + 1).includes("--json") };
    else if (word === "version" && index === 0)
      return mistake(
        '"version" is not a command of ccc',
        "Type `ccc --version`, or for programs `ccc --version --json`.",
      );
    else if (word === "--engine" || word.startsWith("--engine=")) {
      const value = word === "--engine" ? argv[++index] : word.slice("--engine=".length);
      engine = ENGINES.find((each) => each === value);
      if (engine === undefined) return mistake(`--engine takes ${ENGINES.join(" or ")}`, "See ccc help all.");
    } else if (word === "--check" || word.startsWith("--check=")) {
      const value = word === "--check" ? argv[++index] : word.slice("--check=".length);
      if (!value?.trim()) return mistake("--check takes a command", 'For example: ccc --supervisor --check "npm test"');
      checks.push(value);
    } else if (word === "--fallback" || word.startsWith("--fallback=")) {
      const value = word === "--fallback" ? argv[++index] : word.slice("--fallback=".length);
      if (!value?.trim())
        return mistake("--fallback takes a provider", "For example: ccc --engine loop --fallback kimi glm");
      fallback.push(value);
    } else if (isCommandName(word) && !isOldProvider(word, argv.slice(index + 1), known)) {
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
      fallback,
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
    const typo =
      provider === undefined && (word.startsWith("-") ? optionTypo(rest, known) : unknownWord(rest, names, known));
    return typo || misplacedOption(args, provider, known) || { kind: "launch", launch: { provider, ...options, args } };
  }
}

/** Older versions had no command "default", so a provider may have that name. */
function isOldProvider(word: string, rest: readonly string[], { providers }: KnownNames): boolean {
  return word === "default" && !rest.some((each) => each === "--help" || each === "-h") && providers().includes(word);
}

/** The provider that a link to ccc is named after: glm for "ccc-glm". A release's "ccc-linux-x64" is not a link. */
export function linkedProvider(name: string): string | undefined {
  const provider = name.startsWith("ccc-") ? name.slice("ccc-".length) : "";
  return provider === "" || RELEASED.test(provider) ? undefined : provider;
}

const RELEASED = /^(linux|darwin|windows)-(x64|arm64)(-musl)?$/;

/**
 * How many of these words say which Claude Code to run. Editors pass them to a wrapper: the path of a claude or, in old
 * versions, the paths of a Node and of cli.js. A slash command or a file is neither.
 */
export function claudeWords([first = "", second = ""]: readonly string[], { files }: Pick<World, "files">): number {
  const isProgram = () => files.programSize(first) !== undefined;
  if (isAbsolute(first) && programName(first) === "claude") return isProgram() ? 1 : 0;
  if (!isAbsolute(second) || !SCRIPT.test(second) || !files.exists(second)) return 0;
  return first === "node" || (isAbsolute(first) && isProgram()) ? 2 : 0;
}

const SCRIPT = /[\\/]claude-code[\\/]cli\.js$/;

/** `ccc help provider add` is `ccc provider add --help`. */
function helpFor(words: readonly string[]): Route {
  const [name = "", ...rest] = words;
  if (words.length === 0 || (name === "all" && rest.length === 0)) return { kind: "help", isWhole: name === "all" };
  if (isCommandName(name)) return { kind: "command", name, args: [...rest, "--help"] };
  return mistake(
    `"${name}" is not a command of ccc`,
    "All of them: `ccc help all`. Claude Code's own help: `ccc NAME --help`.",
  );
}

/** --no-supervisor and an option that needs supervision, in either order. */
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
  const misplaced = count === 0 ? misplacedOption(argv, provider, known) : undefined;
  return misplaced ?? { kind: "launch", launch: { ...PLAIN_LAUNCH, provider, isLinked: true, ...claude } };
}

/** A first word that looks like a name and is unknown. With any other character in it, it is a prompt. */
function unknownWord(
  [word = "", next = ""]: readonly string[],
  names: readonly string[],
  known: KnownNames,
): Mistake | undefined {
  if (!/^[A-Za-z0-9._-]+$/.test(word) || CLAUDE_SUBCOMMANDS.has(word)) return undefined;
  const unknown = (message: string, advice: string) =>
    mistake(message, `${advice}\nTo send "${word}" as a prompt: \`ccc -- ${word}\`. Nothing was run.`);
  const [expected, advised] = [word.toLowerCase(), advisedWords()];
  if (Object.hasOwn(advised, expected)) {
    const advice = advised[expected] ?? "";
    return unknown(
      `"${word}" is not a command of ccc`,
      names.includes(next) ? advice.replaceAll("NAME", next) : advice,
    );
  }
  const exact = known.presets(word);
  const provider = exact.length > 0 ? exact.find((name) => names.includes(name)) : nearest(word, names);
  const command = exact.length > 0 || provider !== undefined ? undefined : nearest(word, commandWords());
  if (command !== undefined)
    return unknown(`unknown command "${word}": did you mean "${command}"?`, `Type \`ccc ${command}\`.`);
  // Without any provider, ccc offers to add one with this name.
  if (names.length === 0 && (exact.length === 0 || exact.includes(word))) return undefined;
  const presets = exact.length > 0 || provider !== undefined ? exact : known.presets(word, true);
  const meant = provider ?? presets.find((name) => names.includes(name));
  if (meant !== undefined)
    return unknown(`unknown provider "${word}": did you mean "${meant}"?`, `Type \`ccc ${meant}\`.`);
  if (presets.length > 0) {
    const others = presets.length > 1 ? ` All of its presets: ${presets.join(", ")}.` : "";
    return unknown(`"${word}" is not set up yet`, `Add it: \`ccc provider add ${presets[0]}\`.${others}`);
  }
  const instead = names.includes(next) ? `Type \`ccc ${next}\`.` : `Your providers: ${listed(names)}.`;
  return unknown(
    `"${word}" is neither one of your providers nor a command`,
    `${instead} To add a provider: \`ccc provider add\`. Commands: \`ccc help all\`.`,
  );
}

function commandWords(): string[] {
  return ["help", ...COMMAND_NAMES.filter((name) => !isCalledByClaudeCode(name)), ...CLAUDE_SUBCOMMANDS];
}

/** Names the first few and counts the rest. */
function listed(names: readonly string[]): string {
  return names.length > 8 ? `${names.slice(0, 7).join(", ")} and ${names.length - 7} others` : names.join(", ");
}

const OPTIONS: readonly string[] = LAUNCH_OPTIONS.map(({ name }) => name);

/** A first word that is almost an option of ccc, or one that people expect ccc to have. */
function optionTypo([word = "", next = ""]: readonly string[], known: KnownNames): Mistake | undefined {
  const name = withoutValue(word);
  if (OPTIONS.includes(name)) return undefined;
  const advised = advisedOptions();
  if (Object.hasOwn(advised, name)) {
    const value = word === name ? next : word.slice(name.length + 1);
    const advice = advised[name] ?? "";
    const isNamed = advice.includes("NAME") && known.providers().includes(value);
    return mistake(`unknown option ${name}`, `${isNamed ? advice.replaceAll("NAME", value) : advice} Nothing was run.`);
  }
  const option = word.startsWith("--") ? nearest(name, OPTIONS, () => 2) : undefined;
  if (option === undefined) return undefined;
  return mistake(`unknown option ${name}: did you mean ${option}?`, "To pass it to claude, put a provider before it.");
}

/** An option of ccc among claude's arguments, where claude would only refuse it. */
function misplacedOption(
  args: readonly string[],
  provider: string | undefined,
  known: KnownNames,
): Mistake | undefined {
  if (!args.some((word) => word.startsWith("--") && OPTIONS.includes(withoutValue(word)))) return undefined;
  if (claudeStart(args).isNamed) return undefined;
  const found = optionsIn(args).find((word) => OPTIONS.includes(withoutValue(word)));
  if (found === undefined) return undefined;
  if (found.includes("=") && takesNoValue(withoutValue(found))) return needlessValue(found, args, provider, known);
  const value = optionValue(found, args[args.indexOf(found) + 1]);
  const option = [found, ...value].map(shellWord);
  const others = args.length > option.length || provider === undefined ? ["…"] : [];
  const where = provider === undefined ? "before everything that is for claude" : "before the provider";
  return mistake(
    `${withoutValue(found)} is an option of ccc: it belongs ${where}`,
    `Type \`${["ccc", ...option, ...(provider === undefined ? [] : [provider]), ...others].join(" ")}\`. Nothing was run.`,
  );
}

function takesNoValue(option: string): boolean {
  return LAUNCH_OPTIONS.some(({ name, values }) => name === option && values === undefined);
}

/** `--supervisor=glm`, which means the provider. */
function needlessValue(
  found: string,
  args: readonly string[],
  provider: string | undefined,
  known: KnownNames,
): Mistake {
  const name = withoutValue(found);
  const value = found.slice(name.length + 1);
  const named = provider ?? (known.providers().includes(value) ? value : undefined);
  const words = ["ccc", name, ...(named === undefined ? [] : [named]), ...(named && args.length === 1 ? [] : ["…"])];
  return mistake(`${name} takes no value`, `Type \`${words.join(" ")}\`. Nothing was run.`);
}

/** The value that belongs to an option, if the word after it can be one; else an example. */
function optionValue(option: string, next: string | undefined): string[] {
  const { values } = LAUNCH_OPTIONS.find(({ name }) => name === option) ?? { values: undefined };
  if (values === undefined) return [];
  const [example = option === "--fallback" ? "NAME" : "COMMAND"] = values;
  const isValue = next !== undefined && (values.length === 0 || values.some((value) => value === next));
  return [isValue ? next : example];
}

function mistake(message: string, advice: string): Mistake {
  return { kind: "mistake", message, advice };
}

function withoutValue(word: string): string {
  return word.replace(/=.*$/s, "");
}

const LEFT = "To see what is left of a plan or balance: `ccc usage`.";

const LIST = "Your providers: `ccc provider list`.";

const START =
  "To start a provider: `ccc NAME`. For plain ccc: `ccc default NAME`. For this folder: `ccc pin NAME`. For plain claude: `ccc use NAME`.";

const STARTED = 'To start a provider: `ccc NAME`. With a prompt: `ccc NAME "…"`.';

const SESSIONS =
  "To continue the last session: `ccc -c`. To choose one: `ccc --resume`. Supervised ones: `ccc report --list`.";

const TOKENS = `${LEFT} What a supervised session used: \`ccc report\`.`;

const TEST = "To check address, key and model: `ccc validate NAME`. To check the setup: `ccc doctor`.";

const PRESETS = "The presets: `ccc provider presets`.";

const CONFIG = `${LIST} One of them: \`ccc provider show\`. Where a setting comes from: \`ccc why\`.`;

const SUPERVISED =
  "To start with reviews: `ccc --supervisor NAME`. To switch them in a session: `/ccc:supervisor on` or `off`.";

const MODEL =
  "To choose a model for a session: `ccc NAME --model MODEL`. The models of a provider: `ccc provider show`.";

const FOREIGN =
  "ccc runs providers that speak Anthropic's API. For a gateway that translates: `ccc provider add NAME --base-url URL`.";

/**
 * Words that people expect to be commands, and what to type instead. Alone they are not prompts: a prompt costs money. A
 * function, because most launches need none of it.
 */
function advisedWords(): Readonly<Record<string, string>> {
  return {
    add: "To add a provider: `ccc provider add`.",
    balance: LEFT,
    change: START,
    check: TEST,
    choose: START,
    codex: FOREIGN,
    config: CONFIG,
    continue: SESSIONS,
    copilot: FOREIGN,
    cost: TOKENS,
    costs: TOKENS,
    current: "Which provider plain ccc uses: `ccc default`. All of them: `ccc provider list`.",
    delete: "To remove a provider: `ccc provider remove NAME`.",
    edit: "To edit a provider: `ccc provider edit NAME`. To change its key: `ccc provider edit NAME --key`.",
    env: "The variables of a provider: `ccc provider show`.",
    gemini: FOREIGN,
    fable: MODEL,
    get: "To see a provider: `ccc provider show`.",
    gpt: FOREIGN,
    grok: FOREIGN,
    haiku: MODEL,
    history: SESSIONS,
    init: "To add a provider: `ccc provider add`. Claude Code's own: `ccc /init`.",
    launch: STARTED,
    list: LIST,
    login: "To use a Claude subscription: `ccc provider add anthropic`. To log in there: `ccc auth login`.",
    logout: "To remove a provider with its key: `ccc provider remove NAME`. To log out of Claude: `ccc auth logout`.",
    ls: LIST,
    mistral: FOREIGN,
    model: MODEL,
    models: "The models of a provider: `ccc provider show`. Those of the presets: `ccc provider presets`.",
    new: "To add a provider: `ccc provider add`.",
    open: STARTED,
    openai: FOREIGN,
    opus: MODEL,
    preset: PRESETS,
    presets: PRESETS,
    profile: LIST,
    profiles: LIST,
    providers: LIST,
    quota: LEFT,
    remove: "To remove a provider: `ccc provider remove NAME`.",
    rename: "To rename a provider: `ccc provider edit NAME --rename NEW`.",
    reset: "To undo what `ccc use` did: `ccc use --reset`.",
    resume: SESSIONS,
    run: STARTED,
    select: START,
    session: SESSIONS,
    sessions: SESSIONS,
    set: "To change a key: `ccc provider edit NAME --key`. For plain claude: `ccc use NAME`. For this folder: `ccc pin NAME`.",
    "set-key": "To change a key: `ccc provider edit NAME --key`.",
    settings: CONFIG,
    setup: "To add a provider: `ccc provider add`. To check the setup: `ccc doctor`.",
    show: "To see a provider: `ccc provider show`.",
    sonnet: MODEL,
    start: STARTED,
    stats: TOKENS,
    status: "Which key goes where: `ccc why`. What plain claude uses: `ccc use`. To check the setup: `ccc doctor`.",
    supervise: SUPERVISED,
    supervisor: SUPERVISED,
    switch: START,
    test: TEST,
    tokens: TOKENS,
    uninstall: `To remove ccc: ${REPOSITORY}/blob/main/docs/install.md. A provider: \`ccc provider remove NAME\`.`,
    unpin: "To remove the pin of this folder: `ccc pin --remove`.",
  };
}

/** Options that people expect ccc to have. Claude has none of them. */
function advisedOptions(): Readonly<Record<string, string>> {
  const supervised = "To start with reviews: `ccc --supervisor NAME`.";
  const named = "The provider is a word of its own: `ccc NAME`.";
  return {
    "-l": LIST,
    "-s": supervised,
    "--list": LIST,
    "--profile": named,
    "--provider": named,
    "--providers": LIST,
    "--supervise": supervised,
    "--supervised": supervised,
    "--switch": START,
    "--use": START,
  };
}
