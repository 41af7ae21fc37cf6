import { refuseCommand } from "./places.ts";

/** The arguments of a program that only reads. */
interface ReaderArguments {
  /** The letters of its options. */
  readonly letters: ReadonlySet<string>;
  readonly operands: readonly string[];
}

/** Refuses arguments with which a program would do more than read. Undefined if it is not a program that only reads. */
export function checkReader(program: string, args: readonly string[]): ReaderArguments | undefined {
  const known = Object.hasOwn(READERS, program) ? READERS[program] : undefined;
  if (typeof known !== "function") return known && checkOptions(program, args, known);
  known(args);
  return { letters: new Set(), operands: [] };
}

/**
 * Whether this is a test command. Refuses one with arguments that are not allowed. A plain word must name a file of the
 * project, because a make target or a task name looks the same.
 */
export function isTestCommand(words: readonly string[], isThere: (path: string) => boolean): boolean {
  if (isCheckScript(words)) return true;
  const commands = testCommands();
  const matching = commands.flatMap(({ runs }) => runs).filter((each) => startsWith(words, each.split(" ")));
  const [run = ""] = matching.toSorted((a, b) => b.length - a.length);
  const command = commands.find(({ runs }) => runs.includes(run));
  if (command === undefined) return false;
  const rest = words.slice(run.split(" ").length);
  for (let index = 0; index < rest.length; index++) {
    const word = rest[index] ?? "";
    if (command.values.includes(word)) {
      const value = rest[++index] ?? "";
      // Many runners take it for the next option.
      if (value.startsWith("-")) refuseCommand(`${run} with ${word} ${value}`);
      continue;
    }
    const isFile = command.takesFiles && !word.startsWith("-") && isThere(word.replace(/::?[^/]*$/, ""));
    const isModule = command.takesModules && isThereAsModule(word, isThere);
    if (!isFile && !isModule && !command.options?.test(word)) refuseCommand(`${run} with ${word}`);
  }
  return true;
}

/** Whether a command line that the guard allows may run tests, and with them the project's code. In doubt, yes. */
export function mayRunTests(line: string): boolean {
  const programs = testCommands().flatMap(({ runs }) => runs.map((run) => run.split(" ")[0]));
  return line.split(/[\s;&|(){}"'\\]+/).some((word) => programs.includes(word));
}

/** Whether the first name of `tests.one.Case` is a module of the project. unittest would import, and call, any other too. */
function isThereAsModule(word: string, isThere: (path: string) => boolean): boolean {
  const [first = ""] = /^[A-Za-z_]\w*(?=(\.\w+)*$)/.exec(word) ?? [];
  return first !== "" && (isThere(first) || isThere(`${first}.py`));
}

function startsWith(words: readonly string[], start: readonly string[]): boolean {
  return start.every((word, index) => word === words[index]);
}

function isCheckScript([program = "", run, script = "", ...rest]: readonly string[]): boolean {
  const isScript = SCRIPT_RUNNERS.includes(program) && run === "run" && rest.length === 0;
  return isScript && CHECK_SCRIPT.test(script) && !CHANGING_SCRIPT.test(script);
}

interface CommandOptions {
  /** Letters without a value. */
  readonly flags: string;
  /** Letters with a value. */
  readonly values?: string;
  /** Long options, with or without `=value`. */
  readonly long?: readonly string[];
  /** Whether `-20` means a number of lines. */
  readonly isNumeric?: boolean;
  readonly takesOperands?: false;
}

function checkOptions(program: string, args: readonly string[], options: CommandOptions): ReaderArguments {
  const letters = new Set<string>();
  const operands: string[] = [];
  for (let index = 0; index < args.length; index++) {
    const word = args[index] ?? "";
    if (word === "--") {
      operands.push(...args.slice(index + 1));
      break;
    }
    if (!word.startsWith("-") || word === "-") operands.push(word);
    else if (word.startsWith("--")) {
      const [name = ""] = word.slice(2).split("=");
      if (!options.long?.includes(name)) refuseCommand(`${program} with --${name}`);
    } else if (!(options.isNumeric && /^-\d+$/.test(word))) {
      if (checkLetters(program, word, options, letters)) index++;
    }
  }
  if (options.takesOperands === false && operands.length > 0) refuseCommand(`${program} with ${operands[0]}`);
  return { letters, operands };
}

/** Returns whether the next word is the value of the last letter. */
function checkLetters(
  program: string,
  word: string,
  { flags, values = "" }: CommandOptions,
  letters: Set<string>,
): boolean {
  for (let at = 1; at < word.length; at++) {
    const letter = word[at] ?? "";
    letters.add(letter);
    if (values.includes(letter)) return at === word.length - 1;
    if (!flags.includes(letter)) refuseCommand(`${program} with -${letter}`);
  }
  return false;
}

/** Allows only the expressions of `find` that read. */
function checkFind(args: readonly string[]): void {
  const other = args.find((word) => /^-\D/.test(word) && !FIND.includes(word.slice(1)));
  if (other !== undefined) refuseCommand(`find with ${other}`);
}

const FIND = (
  "a and depth empty iname ipath iregex iwholename ls maxdepth mindepth mmin mtime name newer not o or path " +
  "perm print print0 printf prune regex size type user wholename"
).split(" ");

/** Allows `sed -n 10,20p FILE` alone: other scripts could write or run something. */
function checkSed(args: readonly string[]): void {
  const [flag, script = "", ...files] = args;
  const isPrinting = flag === "-n" && /^((\d+|\$)(,(\d+|\$))?p;?)+$/.test(script);
  if (!isPrinting || files.some((word) => word.startsWith("-"))) refuseCommand("sed other than sed -n 10,20p FILE");
}

/**
 * Allows printf to print text. The shell's own printf sets variables such as PATH with `-v` and `%n`, and evaluates
 * their subscripts: `a[$(command)]` runs the command. In zsh any number is such an expression.
 */
function checkPrintf(args: readonly string[]): void {
  const isEnded = args[0] === "--";
  const format = args[isEnded ? 1 : 0] ?? "";
  const isText = (isEnded || !format.startsWith("-")) && /^([^%]|%%|%-?\d*(\.\d+)?[sbc])*$/s.test(format);
  if (!isText) refuseCommand("printf other than printf 'text and %s' WORDS");
}

/** Allows tests of files, text and numbers. The name after `-v`, and in an older zsh what should be a number, may run a command too. */
function checkTest(args: readonly string[]): void {
  for (const [index, word] of args.entries()) {
    const isComparison = /^-(eq|ne|gt|ge|lt|le)$/.test(word);
    if (isComparison && ![args[index - 1], args[index + 1]].every((each) => /^-?\d+$/.test(each ?? "")))
      refuseCommand(`test with ${word} of anything but numbers`);
    if (/^-\D/.test(word) && !isComparison && !TESTS.includes(word.slice(1))) refuseCommand(`test with ${word}`);
  }
}

const TESTS = "a b c d e ef f g G h k L n N nt o ot O p r s S u w x z".split(" ");

const ALL = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

const GREP: CommandOptions = {
  // Not -R, which follows links out of the project.
  flags: "EFGPivwxcLloqsbHhnaIr",
  values: "mABCef",
  isNumeric: true,
  long: (
    "include exclude exclude-dir color colour count max-count regexp text quiet after-context before-context " +
    "context line-number with-filename no-filename recursive files-with-matches files-without-match " +
    "only-matching no-messages binary-files ignore-case invert-match word-regexp line-regexp extended-regexp " +
    "fixed-strings perl-regexp"
  ).split(" "),
};
const LINES: CommandOptions = { flags: "qvz", values: "nc", isNumeric: true, long: ["lines", "bytes", "quiet"] };

/**
 * Programs that only read and print, with the options that neither write, nor run a program, nor follow links. Claude
 * Code brings its own `grep` and `find`, which have a few more options.
 */
export const READERS: Readonly<Record<string, CommandOptions | ((args: readonly string[]) => void)>> = {
  basename: { flags: "az", values: "s" },
  cat: { flags: "AbeEnstTuv", long: ["number", "show-all"] },
  cmp: { flags: "bls", values: "in" },
  comm: { flags: "123" },
  cut: { flags: "ns", values: "bcdf", long: ["delimiter", "fields", "complement", "output-delimiter"] },
  diff: { flags: "uNqwbBiacty", values: "UCW", long: ["unified", "brief", "color", "side-by-side", "no-dereference"] },
  dirname: { flags: "z" },
  // Its arguments are text, even with a dash.
  echo: () => {},
  egrep: GREP,
  false: { flags: "" },
  fgrep: GREP,
  find: checkFind,
  grep: GREP,
  head: LINES,
  ls: {
    flags: ALL,
    long: "all almost-all color full-time group-directories-first human-readable recursive size sort time time-style".split(
      " ",
    ),
  },
  nl: { flags: "p", values: "bdfhilnsvw" },
  printf: checkPrintf,
  pwd: { flags: "LP" },
  realpath: { flags: "emqsz" },
  sed: checkSed,
  sort: {
    flags: "bdfghinrRsuVzcC",
    values: "kt",
    long: ["reverse", "unique", "numeric-sort", "key", "field-separator"],
  },
  // Not -A and -H, with which the stat of a zsh sets variables.
  stat: { flags: "fFLlnqrstx", values: "c", long: ["format", "printf", "terse", "dereference"] },
  tac: { flags: "br", values: "s" },
  tail: LINES,
  test: checkTest,
  tr: { flags: "cCdst" },
  true: { flags: "" },
  uniq: { flags: "cdiuDz", values: "fsw", takesOperands: false, long: ["count", "repeated", "unique"] },
  wc: { flags: "clmwL", long: ["lines", "words", "bytes", "chars"] },
  which: { flags: "as" },
};

/** Commands that run the project's tests or checks, with the arguments they may have. */
interface TestCommands {
  readonly runs: readonly string[];
  /** Whether files and folders of the project may follow, including `path::test` and `path:12`. */
  readonly takesFiles: boolean;
  /** Options that may follow: those that name neither a program nor a file to write. */
  readonly options: RegExp | undefined;
  /** Options whose value is the next word. */
  readonly values: readonly string[];
  /** Whether modules of the project may follow, as in `tests.one.Case`. */
  readonly takesModules?: true;
}

/** Created only when a command may be one of them: a reviewer reads more often than it tests, and waits for its guard. */
export function testCommands(): readonly TestCommands[] {
  // Options that most JavaScript test runners know, and that are harmless to the others.
  const JS = /^(--|--(run|ci|bail|silent|verbose|runInBand|no-color|no-watch|watch=false|watchAll=false))$/;
  const BUN = /^(--bail(=\d+)?|--timeout=?\d*|--only|--todo|--rerun-each=\d+)$/;
  const DENO = /^(-A|-q|--quiet|--no-check|--fail-fast|--allow-(all|read|env|net|sys|write|run|ffi))$/;
  const PYTEST =
    /^(-[qvxsl]+|-r[a-zA-Z]*|--tb=\w+|--maxfail=\d+|--durations=\d+|--(lf|ff|nf|sw|co|quiet|verbose|last-failed|exitfirst|no-header|no-summary|collect-only|showlocals))$/;
  const UNITTEST = /^(-[vqfb]+|discover)$/;
  const GO =
    /^(-v|-race|-short|-failfast|-cover|-json|-(count|cpu|parallel|timeout|shuffle)=\w+|-run=.*|(\.\/)?([\w-][\w.-]*\/)*\.\.\.)$/;
  const CARGO =
    /^(--|-[qv]+|--(lib|bins|tests|doc|all|workspace|release|all-features|no-default-features|all-targets|no-fail-fast|offline|locked|frozen|quiet|verbose)|--(nocapture|exact|ignored|include-ignored|list|show-output)|--test-threads=\d+|[A-Za-z_][\w:]*)$/;
  const CTEST = /^(--output-on-failure|-V|-VV|-N|-j\d*|--parallel)$/;
  const DOTNET = /^(--no-build|--no-restore|--nologo)$/;

  return [
    withFiles(JS, [], "npm test", "npm run test", "pnpm test", "pnpm run test", "yarn test", "yarn run test"),
    withFiles(JS, [], "bun run test"),
    withFiles(JS, ["-t"], "npx vitest run", "npx jest"),
    withFiles(BUN, ["-t", "--test-name-pattern"], "bun test"),
    withFiles(DENO, ["--filter"], "deno test"),
    withFiles(undefined, [], "node --test", "deno check", "mix test", "rspec", "bundle exec rspec", "phpunit"),
    withFiles(PYTEST, ["-k", "-m"], "pytest", "python -m pytest", "python3 -m pytest", "uv run pytest"),
    {
      ...withFiles(UNITTEST, ["-k", "-s", "-p", "-t"], "python -m unittest", "python3 -m unittest"),
      takesModules: true,
    },
    withFiles(GO, ["-run"], "go test"),
    withFiles(/^(\.\/)?([\w-][\w.-]*\/)*\.\.\.$/, [], "go vet"),
    withFiles(CARGO, ["-p", "--package", "--test"], "cargo test", "cargo check"),
    withFiles(CTEST, ["-R", "-E", "-L", "-j", "--test-dir"], "ctest"),
    withFiles(DOTNET, ["--filter"], "dotnet test"),
    bare("npm t", "npm run lint", "npm run typecheck", "npm run check", "bun run check", "bun run lint"),
    bare("npx tsc --noEmit", "cargo clippy", "swift test", "make test", "make check", "mvn test", "gradle test"),
    bare("./gradlew test", "rake test", "tox", "composer test", "bundle exec rake test"),
  ];
}

/** `npm run test:unit` and the like, without arguments, unless the name of the script suggests that it changes files. */
const SCRIPT_RUNNERS = ["npm", "pnpm", "yarn", "bun"];
const CHECK_SCRIPT = /^(test|lint|check|check-types|type-?check)(:[\w-]+)*$/;
const CHANGING_SCRIPT = /fix|write|update|watch|format|deploy|publish|release/;

/** Variables that may precede a command: they control output and prompts only. */
export const TEST_VARIABLE = /^(CI|NO_COLOR|FORCE_COLOR)=\w*$/;

function withFiles(options: RegExp | undefined, values: readonly string[], ...runs: string[]): TestCommands {
  return { runs, takesFiles: true, options, values };
}

function bare(...runs: string[]): TestCommands {
  return { runs, takesFiles: false, options: undefined, values: [] };
}
