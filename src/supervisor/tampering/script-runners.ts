/** A script that a command runs, for example `npm run lint`. */
export interface ScriptRun {
  readonly name: string;
  /** Where it may be written, by the name of the file. */
  readonly file: string;
  /** Whether it may be that of any package in the repository. */
  readonly isAnywhere: boolean;
}

export function scriptRun([program = "", ...rest]: readonly string[]): ScriptRun | undefined {
  const runner = RUNNERS.get(program);
  const words = rest.filter((word, at) => !word.startsWith("-") && !TAKES_VALUE.test(rest[at - 1] ?? ""));
  const name = runner?.script(words);
  if (runner === undefined || name === undefined) return undefined;
  const isAnywhere = rest.some((word) => /^(?:-w|-F|-r|--workspaces?|--filter|--recursive)(?:=|$)/.test(word));
  return { name, file: runner.file, isAnywhere };
}

const TAKES_VALUE = /^(?:-C|-w|-F|--prefix|--cwd|--dir|--workspace|--filter)$/;

interface Runner {
  readonly file: string;
  /** The script that these arguments run. */
  readonly script: (words: readonly string[]) => string | undefined;
}

const named = ([verb = "", name]: readonly string[]) => (/^run(?:-script)?$/.test(verb) ? name : undefined);
const namedOrVerb = (words: readonly string[]) => named(words) ?? (words[0] === "t" ? "test" : words[0]);

const RUNNERS: ReadonlyMap<string, Runner> = new Map<string, Runner>([
  [
    "npm",
    {
      file: "package.json",
      script: (words) => named(words) ?? (/^(?:t|tst|test)$/.test(words[0] ?? "") ? "test" : undefined),
    },
  ],
  ["pnpm", { file: "package.json", script: namedOrVerb }],
  ["yarn", { file: "package.json", script: namedOrVerb }],
  // `bun test` is Bun's own.
  ["bun", { file: "package.json", script: (words) => (words[0] === "test" ? undefined : namedOrVerb(words)) }],
  ["deno", { file: "deno.json", script: ([verb, name]) => (verb === "task" ? name : undefined) }],
  ["composer", { file: "composer.json", script: namedOrVerb }],
]);
