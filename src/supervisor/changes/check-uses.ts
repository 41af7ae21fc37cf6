import { basename } from "node:path";
import { asObject, isObject, type Json, parseJson } from "../../text/json.ts";
import { shellTokens, wordPieces } from "../../text/shell.ts";
import { isElsewhere } from "./test-languages.ts";

/** A file that a check uses, or one script in it. */
export interface CheckUse {
  readonly check: string;
  /** Relative to the repository's top folder. Undefined for a script that may be in any package. */
  readonly path: string | undefined;
  readonly script: string | undefined;
  /** Whether the command only looks at the file, which may be what the agent was asked to make. */
  readonly isData?: boolean;
  /** Whether it is the program that the command runs, and not a test that it hands to a runner. */
  readonly isProgram?: boolean;
}

export interface CheckContext {
  readonly commands: readonly string[];
  /** The folder that they run in, relative to the top folder; "" for that itself. */
  readonly folder: string;
  readonly top: string;
  /** The scripts in a package.json or the like, as they were at the prompt. Undefined if there is no such file. */
  readonly scriptsIn: (path: string) => Scripts | undefined;
}

/** The files and scripts that the commands of the checks name, and files that a program like `make` reads. */
export function checkUses(context: CheckContext): CheckUse[] {
  return context.commands.flatMap((check) => usesOf({ ...context, check, seen: new Set() }, check, context.folder));
}

interface CurrentCheck extends CheckContext {
  readonly check: string;
  /** The scripts and commands that were followed already. */
  readonly seen: Set<string>;
}

function usesOf(context: CurrentCheck, command: string, start: string): CheckUse[] {
  const { check, seen } = context;
  const key = `${start}\0${command}`;
  if (seen.has(key)) return [];
  seen.add(key);
  let folder: string | undefined = start;
  return commandWords(command).flatMap((part): CheckUse[] => {
    const words = programAndArguments(part);
    const [program = "", ...rest] = words;
    if (folder === undefined) return [];
    if (program === "cd") {
      folder = resolved(context, folder, rest[0] ?? "");
      return [];
    }
    const here = movedTo(context, folder, rest);
    const isData = READERS.has(program);
    const script = rest.findIndex((word) => !word.startsWith("-"));
    const named = words.flatMap((word, at) => {
      const isProgram = at === 0 || (SHELLS.has(program) && at === script + 1);
      return pathsOf(context, here, word).map((path) => ({ path, isData, isProgram }));
    });
    const files = (PROGRAM_FILES.get(basename(program)) ?? []).map((name) => ({ path: `${here}${name}`, isData }));
    const inner = words.filter((word) => /\s/.test(word));
    return [
      ...[...named, ...files].map((file) => ({ check, script: undefined, ...file })),
      ...scriptUses(context, words, here),
      ...inner.flatMap((word) => usesOf(context, word, here)),
    ];
  });
}

/**
 * The words of each command of a line, without quotes. Files that it reads or writes, and the `2` of `2>&1`, are words like
 * others.
 */
export function commandWords(line: string): string[][] {
  const commands: string[][] = [[]];
  for (const { kind, raw } of shellTokens(line)) {
    if (kind === "operator" && !/[<>]/.test(raw)) commands.push([]);
    else if (kind === "word") commands.at(-1)?.push(textOf(raw));
  }
  return commands;
}

function textOf(word: string): string {
  return wordPieces(word)
    .map(({ text }) => text)
    .join("");
}

/** Without variables that it sets, and without programs that only run another one. */
function programAndArguments(words: readonly string[]): readonly string[] {
  const at = words.findIndex((word) => !/^(?:\w+=.*|-.*|\d+[smh]?)$/.test(word) && !WRAPPERS.has(word));
  return at === -1 ? [] : words.slice(at);
}

const WRAPPERS = new Set(
  "env exec time timeout nice sudo command npx bunx pnpx run uv uvx poetry pipenv bundle xvfb-run dotenv cross-env !".split(
    " ",
  ),
);

const SHELLS = new Set("sh bash dash zsh ksh . source".split(" "));

const READERS = new Set(
  "[ [[ { awk cat cmp cp diff echo egrep fgrep find grep head jq ls mkdir mv printf rg rm sed sort stat tail test touch wc".split(
    " ",
  ),
);

/** `make -C dir`, `npm --prefix dir`. A folder has a slash at its end, the top folder is "". */
function movedTo(context: CheckContext, folder: string, words: readonly string[]): string {
  const at = words.findIndex((word) => /^(?:-C|--prefix|--cwd|--dir)$/.test(word));
  const [, joined] =
    /^--(?:prefix|cwd|dir)=(.+)$/.exec(words.find((word) => /^--(?:prefix|cwd|dir)=/.test(word)) ?? "") ?? [];
  const moved = joined ?? (at === -1 ? undefined : words[at + 1]);
  return (moved === undefined ? undefined : resolved(context, folder, moved)) ?? asFolder(folder);
}

/** `--config=ci/jest.json` names a file too. */
function pathsOf(context: CheckContext, folder: string, word: string): string[] {
  const candidates = [word, ...(word.includes("=") ? [word.slice(word.indexOf("=") + 1)] : [])];
  return candidates.flatMap((each) => {
    const path = resolved(context, folder, each)?.replace(/\/$/, "");
    return path ? [path] : [];
  });
}

/** The path relative to the top folder, with a slash at its end. Undefined if it is outside. */
function resolved({ top }: CheckContext, folder: string, name: string): string | undefined {
  if (name.startsWith("/") && !name.startsWith(`${top}/`)) return undefined;
  const path = name.startsWith("/") ? name.slice(top.length) : `${folder}/${name}`;
  const parts: string[] = [];
  for (const part of path.split("/").filter((each) => each !== "" && each !== ".")) {
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return asFolder(parts.join("/"));
}

function asFolder(path: string): string {
  return path === "" || path.endsWith("/") ? path : `${path}/`;
}

/** A script, those that run before and after it, and what they use in turn. */
function scriptUses(context: CurrentCheck, words: readonly string[], folder: string): CheckUse[] {
  const { check, scriptsIn } = context;
  const run = scriptRun(words);
  if (run === undefined) return [];
  const names = [`pre${run.name}`, run.name, `post${run.name}`];
  if (run.isAnywhere) return names.map((script) => ({ check, path: undefined, script }));
  const path = upward(folder, run.file).find((each) => scriptsIn(each) !== undefined) ?? `${folder}${run.file}`;
  const scripts = scriptsIn(path);
  return names.flatMap((script) => [
    { check, path, script },
    ...usesOf(context, scripts?.get(script) ?? "", path.slice(0, -basename(path).length)),
  ]);
}

/** The file in a folder and in those above it. */
function upward(folder: string, name: string): string[] {
  const parts = folder.split("/").filter((part) => part !== "");
  return parts.map((_, index) => `${parts.slice(0, parts.length - index).join("/")}/${name}`).concat(name);
}

const GRADLE = ["build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts", "gradle.properties"];
const MAVEN = ["pom.xml", ".mvn/maven.config", ".mvn/jvm.config"];
/** It may name another shell for scripts. */
const NPM = [".npmrc"];
const MAKE = ["Makefile", "makefile", "GNUmakefile"];

/** Files that tell a program what to run. */
const PROGRAM_FILES: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    npm: NPM,
    pnpm: [...NPM, "pnpm-workspace.yaml"],
    yarn: [...NPM, ".yarnrc.yml", ".yarnrc"],
    // Vitest's settings may be among those of Vite.
    vitest: ["ts", "js", "mts", "mjs"].map((ending) => `vite.config.${ending}`),
    prettier: [".prettierignore", ".prettierrc", ".prettierrc.json"],
    make: MAKE,
    gmake: MAKE,
    just: ["justfile", "Justfile", ".justfile"],
    task: ["Taskfile.yml", "Taskfile.yaml"],
    rake: ["Rakefile"],
    mvn: MAVEN,
    mvnw: MAVEN,
    gradle: GRADLE,
    gradlew: GRADLE,
    ant: ["build.xml"],
    cargo: [".cargo/config.toml"],
    cmake: ["CMakeLists.txt"],
    ctest: ["CMakeLists.txt"],
    tsc: ["tsconfig.json"],
    turbo: ["turbo.json"],
    nx: ["nx.json"],
    invoke: ["tasks.py"],
    inv: ["tasks.py"],
    mise: ["mise.toml", ".mise.toml"],
    docker: ["Dockerfile", "compose.yaml", "compose.yml", "docker-compose.yml", "docker-compose.yaml"],
  }),
);

/** Files whose scripts are commands. */
export function isScriptFile(path: string): boolean {
  return SCRIPT_KEYS.has(basename(path)) && !isElsewhere(path);
}

const SCRIPT_KEYS: ReadonlyMap<string, string> = new Map([
  ["package.json", "scripts"],
  ["composer.json", "scripts"],
  ["deno.json", "tasks"],
]);

export type Scripts = ReadonlyMap<string, string>;

/** The scripts by name; undefined if the text is not JSON. */
export function scriptsIn(path: string, text: string): Scripts | undefined {
  const json = objectIn(text);
  return json && entriesOf(asObject(json[SCRIPT_KEYS.get(basename(path)) ?? ""]));
}

/** Whether a script is about tests by its name. */
export function isTestScript(name: string): boolean {
  return /(?:^|[:_-]|pre|post)(?:tests?|check|lint|type-?check|tsc|coverage|cov|ci|verify|validate|e2e|unit|spec)(?:$|[:_-])/.test(
    name,
  );
}

function objectIn(text: string): Json | undefined {
  const json = text.trim() === "" ? {} : parseJson(text);
  return isObject(json) ? json : undefined;
}

function entriesOf(json: Json): Scripts {
  return new Map(
    Object.entries(json).map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)]),
  );
}

/** A script that a command runs, for example `npm run lint`. */
interface ScriptRun {
  readonly name: string;
  /** The name of the file that may define it. */
  readonly file: string;
  /** Whether any package of the repository may define it. */
  readonly isAnywhere: boolean;
}

function scriptRun([program = "", ...rest]: readonly string[]): ScriptRun | undefined {
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
