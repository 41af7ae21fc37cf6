/** Commands that run the project's tests or checks, with the arguments they may have. */
export interface TestCommands {
  readonly runs: readonly string[];
  /** Whether files and folders of the project may follow, including `path::test` and `path:12`. */
  readonly takesFiles: boolean;
  /** Options that may follow: those that name neither a program nor a file to write. */
  readonly options: RegExp | undefined;
  /** Options whose value is the next word. */
  readonly values: readonly string[];
}

/** Created only when a command may be one of them: a reviewer reads more often than it tests, and waits for its guard. */
export function testCommands(): readonly TestCommands[] {
  // Options that most JavaScript test runners know, and that are harmless to the others.
  const JS = /^(--|--(run|ci|bail|silent|verbose|runInBand|no-color|no-watch|watch=false|watchAll=false))$/;
  const BUN = /^(--bail(=\d+)?|--timeout=?\d*|--only|--todo|--rerun-each=\d+)$/;
  const DENO = /^(-A|-q|--quiet|--no-check|--fail-fast|--allow-(all|read|env|net|sys|write|run|ffi))$/;
  const PYTEST =
    /^(-[qvxsl]+|-r[a-zA-Z]*|--tb=\w+|--maxfail=\d+|--durations=\d+|--(lf|ff|nf|sw|co|quiet|verbose|last-failed|exitfirst|no-header|no-summary|collect-only|showlocals))$/;
  const UNITTEST = /^(-[vqfb]+|discover|[A-Za-z_][\w.]*)$/;
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
    withFiles(UNITTEST, ["-k", "-s", "-p", "-t"], "python -m unittest", "python3 -m unittest"),
    withFiles(GO, ["-run"], "go test"),
    withFiles(/^(\.\/)?([\w-][\w.-]*\/)*\.\.\.$/, [], "go vet"),
    withFiles(CARGO, ["-p", "--package", "--test"], "cargo test", "cargo check"),
    withFiles(CTEST, ["-R", "-E", "-L", "-j", "--test-dir"], "ctest"),
    withFiles(DOTNET, ["--filter"], "dotnet test"),
    asTheyAre("npm t", "npm run lint", "npm run typecheck", "npm run check", "bun run check", "bun run lint"),
    asTheyAre("npx tsc --noEmit", "cargo clippy", "swift test", "make test", "make check", "mvn test", "gradle test"),
    asTheyAre("./gradlew test", "rake test", "tox", "composer test", "bundle exec rake test"),
  ];
}

/** `npm run test:unit` and the like, without arguments, unless the name of the script suggests that it changes files. */
export const SCRIPT_RUNNERS = ["npm", "pnpm", "yarn", "bun"];
export const CHECK_SCRIPT = /^(test|lint|check|check-types|type-?check)(:[\w-]+)*$/;
export const CHANGING_SCRIPT = /fix|write|update|watch|format|deploy|publish|release/;

/** Variables that may precede a command: they control output and prompts only. */
export const TEST_VARIABLE = /^(CI|NO_COLOR|FORCE_COLOR)=\w*$/;

function withFiles(options: RegExp | undefined, values: readonly string[], ...runs: string[]): TestCommands {
  return { runs, takesFiles: true, options, values };
}

function asTheyAre(...runs: string[]): TestCommands {
  return { runs, takesFiles: false, options: undefined, values: [] };
}
