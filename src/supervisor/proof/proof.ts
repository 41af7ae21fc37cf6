import { basename } from "node:path";
import type { Paths } from "../../config/paths.ts";
import { messageOf } from "../../errors.ts";
import type { Files } from "../../os/files.ts";
import { shownName } from "../../os/names.ts";
import { join } from "../../os/path.ts";
import { counted } from "../../text/words.ts";
import type { Env, World } from "../../world.ts";
import type { BaselinePlace } from "../changes/baseline.ts";
import { commandWords, scriptsIn } from "../changes/check-uses.ts";
import { isTestFile } from "../changes/test-languages.ts";
import { shortCommand } from "../checks/result.ts";
import { runCheck } from "../checks/run.ts";
import type { Noticed } from "../ledger.ts";
import { bestEffort } from "../project.ts";
import type { Baseline, KeptProof, KeptProofs, RecordFile } from "../record/session.ts";
import type { CheckResult } from "../record/stops.ts";
import { openScratch, type ScratchCopy } from "./scratch.ts";
import {
  belongsToTests,
  type FileTree,
  NoCopy,
  type ProjectTrees,
  type ProofPlan,
  planProof,
  readTrees,
} from "./trees.ts";

/**
 * Proof by execution: the checks run again in copies of the project, with the tests as they were at the prompt, and with
 * the code as it was then. A reviewer can be talked round; a test run cannot.
 */

/** The results of the checks in copies. */
export interface Proof {
  /** Why there is no proof, or none for one of the checks; undefined if nothing is missing. */
  readonly why: string | undefined;
  /** Whether there was something to prove, and that did not work. */
  readonly isTrouble: boolean;
  /** Whether it is complete. Otherwise the points of an earlier proof remain. */
  readonly isWhole: boolean;
  readonly runs: readonly ProofRun[];
  /** Points for a review to rule on. */
  readonly points: readonly Noticed[];
  /** Whether it was made earlier, with the same files. */
  readonly isReused: boolean;
  /** Whether the last proof had the same trouble, so that the user knows already. */
  readonly isKnown: boolean;
}

/** A check that ran in a copy, with the tests and the code of these times. */
type ProofRun = Readonly<KeptProof["runs"][number]>;

type When = ProofRun["tests"];

interface ProvenSession {
  readonly world: World;
  readonly place: BaselinePlace;
  readonly baseline: Baseline | undefined;
  /** `supervisor.proof` */
  readonly isWanted: boolean;
  /** Whether a check may run in two copies at the same time. */
  readonly isParallel?: boolean;
  /** All of them passed. */
  readonly checks: readonly CheckResult[];
  readonly env: Env;
  readonly timeoutSeconds: number;
  readonly clean: (text: string) => string;
  /** Gets each command before it runs. */
  readonly onRun: (command: string) => void;
  /** Keeps the last proofs; undefined if nothing is kept. */
  readonly memory: RecordFile<KeptProofs> | undefined;
  readonly say: (message: string) => void;
}

/** Undefined if ccc was asked to end meanwhile. */
export async function proveChecks(session: ProvenSession): Promise<Proof | undefined> {
  const { world, place, baseline, isWanted, checks, memory } = session;
  if (!isWanted) return noProof("supervisor.proof is false");
  if (checks.length === 0) return noProof("no checks are set");
  const kept = memory?.read();
  const others = kept?.proofs ?? [];
  const keep = (proofs: KeptProofs) => bestEffort(session.say, "save the proof", () => memory?.save(proofs));
  try {
    const trees = await readTrees(world, place, baseline);
    const plan = planProof(trees);
    if ("why" in plan) return { ...noProof(plan.why), isWhole: plan.isWhole };
    const commands = checks.map(({ command }) => command);
    const isSame = (each: KeptProof) =>
      each.trees === trees.id && JSON.stringify(each.commands) === JSON.stringify(commands);
    const known = others.find(isSame);
    if (known !== undefined) {
      const { runs, points, why } = known;
      const isWhole = why === null;
      return { why: why ?? undefined, isTrouble: !isWhole, isWhole, runs, points, isReused: true, isKnown: !isWhole };
    }
    const proof = await runPlan(session, trees, plan);
    if (proof === undefined) return undefined;
    const { runs, points, why = null } = proof;
    const made = { trees: trees.id, commands, why, runs: [...runs], points: [...points] };
    keep({ why, proofs: [made, ...others].slice(0, MOST_KEPT) });
    return { ...proof, isKnown: why !== null && why === kept?.why };
  } catch (error) {
    // A review does not depend on it.
    const why = error instanceof NoCopy ? error.why : shownName(session.clean(messageOf(error)));
    keep({ why, proofs: others });
    return { ...noProof(why, !QUIET.test(why)), isKnown: why === kept?.why };
  }
}

const MOST_KEPT = 10;

/** Reasons that were known beforehand, and need not be repeated at each stop. */
const QUIET = /^the project is not a git repository$|^the files at the prompt are not known/;

function noProof(why: string, isTrouble = false): Proof {
  return { why, isTrouble, isWhole: !isTrouble, runs: [], points: [], isReused: false, isKnown: false };
}

/** The command that obviously runs the tests of a project; undefined if there is none. */
export function obviousCheck(
  { read, exists, list }: Pick<Files, "read" | "exists" | "list">,
  folder: string,
): string | undefined {
  const at = (name: string) => join(folder, name);
  const textOf = (name: string) => {
    try {
      return read(at(name)) ?? "";
    } catch {
      return "";
    }
  };
  const script = scriptsIn("package.json", textOf("package.json"))?.get("test");
  if (script !== undefined && !/no test specified/.test(script)) {
    const [manager = "npm"] = MANAGERS.find(([, lock]) => lock.some((name) => exists(at(name)))) ?? [];
    return `${manager} test`;
  }
  if (exists(at("Cargo.toml"))) return "cargo test";
  if (exists(at("go.mod"))) return "go test ./...";
  const hasPytest =
    ["pytest.ini", "conftest.py", "tests/conftest.py"].some((name) => exists(at(name))) ||
    /^\[tool\.pytest/m.test(textOf("pyproject.toml")) ||
    list(at("tests")).some((name) => /^test_\w+\.py$/.test(name));
  if (hasPytest) return "pytest";
  return /^test\s*:/m.test(textOf("Makefile")) ? "make test" : undefined;
}

const MANAGERS: readonly [manager: string, locks: readonly string[]][] = [
  ["pnpm", ["pnpm-lock.yaml"]],
  ["yarn", ["yarn.lock"]],
  ["bun run", ["bun.lock", "bun.lockb"]],
];

/** The same, to suggest it for a folder without checks, but only once. */
export function suggestCheck(files: Files, paths: Pick<Paths, "generated">, folder: string): string | undefined {
  const command = obviousCheck(files, folder);
  const name = new Bun.CryptoHasher("sha256").update(folder).digest("hex").slice(0, 32);
  const path = join(join(paths.generated, "suggested"), name);
  if (command === undefined || files.exists(path)) return undefined;
  files.writePrivate(path, `${folder}\n`);
  return command;
}

/** One line for the session; undefined if there is nothing to say, or no new trouble. */
export function proofLine({ points, why, isTrouble, isKnown }: Proof): string | undefined {
  if (points.length > 0) return `proof: ${counted(points.length, "point")}`;
  return isTrouble && !isKnown ? `no proof: ${why}` : undefined;
}

/** The proof for the reviewer. */
export function describeProof({ why, runs }: Pick<Proof, "why" | "runs">): string {
  const lines = runs.map(({ tests, command, ending, isPassed, seconds, output }) => {
    const what = tests === "before" ? "tests as of the prompt" : "tests as they are now, on the code as of the prompt";
    const head = `- ${what}: ${isPassed ? "pass" : "fail"} (${shortCommand(command)}: ${ending}, ${seconds} s)`;
    // The output of a run that passes adds nothing.
    return isPassed || output === "" ? head : `${head}, last lines:\n${lastOf(output)}`;
  });
  return [OPENING, ...lines, ...(why === undefined ? [] : [`- no proof: ${why}`])].join("\n");
}

const OPENING =
  "ccc ran the checks again in copies of the project: with the tests as they were at the user's prompt on the code as it is now, and with the tests as they are now on the code as it was at the prompt, where they should fail if they test the change:";

function lastOf(output: string): string {
  return output.split("\n").slice(-MOST_LINES).join("\n").replaceAll(/^/gm, "    ");
}

const MOST_LINES = 15;

/** Runs the checks in copies, one after another, since two could be in each other's way, unless the user allows it. */
async function runPlan(session: ProvenSession, trees: ProjectTrees, plan: ProofPlan): Promise<Proof | undefined> {
  const copies = openCopies(session, trees);
  const { world, timeoutSeconds } = session;
  const endsAt = world.now().getTime() + timeoutSeconds * 1000;
  const runs: ProofRun[] = [];
  const failures = new Set<string>();
  const points: Noticed[] = [];
  /** Runs that passed with the new tests on the old code; undefined once one has failed. */
  let empty: ProofRun[] | undefined = [];
  try {
    for (const check of session.checks) {
      const prove = controlled(runner(session, copies, check, endsAt));
      const isWanted = plan.added.length > 0 && empty !== undefined && mayRunTests(session, check.command);
      const running = plan.changed.length === 0 ? NOT_RUN : prove("before", false);
      const first = session.isParallel === true ? NOT_RUN : await running;
      // The first result stays, whatever becomes of the second.
      const isNext = isWanted && first !== undefined && first.trouble === undefined;
      const [older, newer] = await Promise.all([running, isNext ? prove("now", true) : NOT_RUN]);
      if (older === undefined || newer === undefined) return undefined;
      for (const { trouble } of [older, newer]) if (trouble !== undefined) failures.add(trouble);
      runs.push(...[older, newer].flatMap(({ done }) => done ?? []));
      if (older.done?.isPassed === false) points.push(oldTestsFail(older.done, plan.changed, trees));
      if (newer.done?.isPassed === true) empty?.push(newer.done);
      else if (newer.done !== undefined) empty = undefined;
    }
    const [first] = empty ?? [];
    if (first !== undefined) points.push(newTestsPass(first, plan.added, trees));
    const missing = copies.missing();
    if (missing !== undefined && runs.length === 0) throw missing;
    const why = failures.size === 0 ? undefined : [...failures].join("; ");
    return {
      why,
      isTrouble: why !== undefined,
      isWhole: why === undefined,
      runs,
      points: points.slice(0, MOST_POINTS),
      isReused: false,
      isKnown: false,
    };
  } finally {
    copies.close();
  }
}

const MOST_POINTS = 5;

type Run = (tests: When, code: When) => Promise<RunResult | undefined>;

/** `done` is undefined if it did not run, or if its result means nothing. */
interface RunResult {
  readonly done: ProofRun | undefined;
  readonly trouble: string | undefined;
}

const NOT_RUN: RunResult = { done: undefined, trouble: undefined };

/** Runs old tests on new code, or new tests on old code. A result to report counts only if the check works in a copy at all. */
function controlled(run: Run) {
  let control: ReturnType<Run> | undefined;
  return async (tests: When, reported: boolean): ReturnType<Run> => {
    const result = await run(tests, tests === "now" ? "before" : "now");
    if (result?.done?.isPassed !== reported) return result;
    control ??= run("now", "now");
    const controlled = await control;
    if (controlled?.done === undefined) return controlled;
    const { isPassed, command } = controlled.done;
    return isPassed ? result : { done: undefined, trouble: `\`${shortCommand(command)}\` does not work in a copy` };
  };
}

/** Runs a check in copies, within the time that it has for all of them. */
function runner(session: ProvenSession, copies: Copies, check: CheckResult, endsAt: number): Run {
  const { world, clean, onRun } = session;
  const { command } = check;
  const deadline = Math.min(endsAt, world.now().getTime() + (3 * check.seconds + MORE_SECONDS) * 1000);
  const cannot = (trouble: string): RunResult => ({ done: undefined, trouble });
  const named = clean(command);
  const name = `\`${shortCommand(named)}\``;
  return async (tests, code) => {
    if (command.includes(copies.of)) return cannot(`${name} names the folder of the project`);
    if (commandsOf(session, command).some((each) => INSTALLS.test(each))) return cannot(`${name} installs packages`);
    const copy = await copies.open(tests, code);
    if (copy instanceof NoCopy) return cannot(copy.why);
    const [naming] = copy.naming;
    if (naming !== undefined) return cannot(`${shownName(naming)} names the folder of the project`);
    const timeoutMs = deadline - world.now().getTime();
    if (timeoutMs <= 0) return cannot(`${name} takes too long in a copy`);
    onRun(command);
    const { folder } = copy;
    const env = environmentIn(copy, session.env, copies.of);
    const result = await runCheck(world, { command, cwd: folder, env, timeoutMs, clean });
    if (result === undefined) return undefined;
    if (result.isTimedOut) return cannot(`${name} takes too long in a copy`);
    const { ending, isPassed, seconds, output } = result;
    // The folder of a copy means nothing to a reader.
    const shown = output.replaceAll(`${folder}/`, "").replaceAll(folder, ".");
    return { done: { command: named, tests, code, ending, isPassed, seconds, output: shown }, trouble: undefined };
  };
}

const MORE_SECONDS = 10;

/** The copies that the runs need, each made once. */
interface Copies {
  /** The folder of the repository. */
  readonly of: string;
  readonly open: (tests: When, code: When) => Promise<ScratchCopy | NoCopy>;
  /** Why one of them could not be made. */
  readonly missing: () => NoCopy | undefined;
  readonly close: () => void;
}

function openCopies({ world, place, env }: ProvenSession, trees: ProjectTrees): Copies {
  const made = new Map<string, ScratchCopy | NoCopy>();
  const isMissing = (copy: ScratchCopy | NoCopy) => copy instanceof NoCopy;
  return {
    of: trees.repository.top,
    open: async (tests, code) => {
      const request = { paths: place.paths, trees, files: composed(trees, tests, code), env };
      const key = `${tests} ${code}`;
      const copy = made.get(key) ?? (await openScratch(world, request).catch(noCopy));
      made.set(key, copy);
      return copy;
    },
    missing: () => [...made.values()].find(isMissing),
    close: () => {
      for (const copy of made.values()) if (!isMissing(copy)) copy.close();
    },
  };
}

function noCopy(error: unknown): NoCopy {
  if (error instanceof NoCopy) return error;
  throw error;
}

function composed(trees: ProjectTrees, tests: When, code: When): FileTree {
  const paths = new Set([...trees.before.keys(), ...trees.now.keys()]);
  return new Map(
    [...paths].flatMap((path) => {
      const file = trees[belongsToTests(path) ? tests : code].get(path);
      return file === undefined ? [] : [[path, file]];
    }),
  );
}

/** The environment of the checks. Variables that name code lead to the copy, and git finds no repository above it. */
function environmentIn({ top: copy }: ScratchCopy, env: Env, top: string): Env {
  const moved = Object.entries(env).flatMap(([name, value]) =>
    CODE_PATHS.has(name) && value !== undefined ? [[name, value.replaceAll(top, copy)]] : [],
  );
  // `uv run` would install the packages of the copy's lock file into the project's environment.
  return { ...env, ...Object.fromEntries(moved), GIT_CEILING_DIRECTORIES: join(copy, ".."), UV_NO_SYNC: "1" };
}

const CODE_PATHS: ReadonlySet<string> = new Set(
  "PWD OLDPWD INIT_CWD PYTHONPATH NODE_PATH RUBYLIB PERL5LIB CLASSPATH GOPATH".split(" "),
);

function oldTestsFail({ command, output }: ProofRun, paths: readonly string[], trees: ProjectTrees): Noticed {
  const files = paths.filter(isTestFile);
  const tests = files.length > 0 ? files : paths;
  const failing = tests.filter((path) => output.includes(basename(path)));
  const listed = failing.length > 0 ? failing : tests;
  const text = (names: string) =>
    `"${shortCommand(command)}" fails with the tests as they were at the prompt: ${names}`;
  return { text: text(namesOf(listed, text("").length)), content: contentOf(listed, trees) };
}

function newTestsPass({ command }: ProofRun, paths: readonly string[], trees: ProjectTrees): Noticed {
  const start = `"${shortCommand(command)}" passes on the code as it was at the prompt: `;
  const end = ` ${paths.length === 1 ? "does" : "do"} not test the change`;
  return { text: `${start}${namesOf(paths, start.length + end.length)}${end}`, content: contentOf(paths, trees) };
}

/** A criterion has room for this much. */
const LONGEST_POINT = 290;

function namesOf(paths: readonly string[], used: number): string {
  const names = paths.map(shownName);
  const fitting = (count: number) => {
    const rest = names.length - count;
    return `${names.slice(0, count).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
  };
  const most = names.findLastIndex((_, at) => used + fitting(at + 1).length <= LONGEST_POINT);
  return fitting(Math.max(1, most + 1));
}

/** A ruling holds until one of these tests changes again. */
function contentOf(paths: readonly string[], { before, now }: ProjectTrees): string {
  const ids = paths.map((path) => `${before.get(path)?.id} ${now.get(path)?.id}`);
  return new Bun.CryptoHasher("sha256").update(ids.join("\n")).digest("hex").slice(0, 40);
}

/** Whether a check may run tests. One that only looks at the code, or builds it, says nothing about new tests. */
function mayRunTests(session: ProvenSession, check: string): boolean {
  return commandsOf(session, check).some((name) => !NO_TESTS.test(name) && !NO_TESTS.test(name.split(" ")[0] ?? ""));
}

/** The program and the first argument of each command that a check runs, with those of the scripts in package.json. */
function commandsOf({ world: { files }, place }: ProvenSession, check: string): string[] {
  const path = join(place.project, "package.json");
  const read = () => {
    try {
      return scriptsIn("package.json", files.read(path) ?? "");
    } catch {
      return undefined;
    }
  };
  const scripts = read();
  const inside = (line: string, depth: number): string[] =>
    commandWords(line).flatMap((written) => {
      const words = written.filter((word) => !/^\w+=/.test(word));
      const [program = "", verb = ""] = words.filter(
        (word, at) => !WRAPPERS.test(word) && !TAKES_FOLDER.test(words[at - 1] ?? ""),
      );
      const option = SHELLS.test(basename(program)) ? words.findIndex((word) => /^-\w*c$/.test(word)) : -1;
      if (option !== -1 && depth < DEEPEST) return inside(words[option + 1] ?? "", depth + 1);
      const name = /^t$/.test(verb) ? "test" : verb;
      const isBuiltIn =
        INSTALLS_FIRST.test(`${program} ${verb}`) && !words.some((word) => /^run(?:-script)?$/.test(word));
      // Those of another folder are in its own package.json.
      const hasScripts =
        /^(?:npm|pnpm|yarn|bun)$/.test(program) && !isBuiltIn && !words.some((word) => TAKES_FOLDER.test(word));
      const isScript = hasScripts && scripts?.has(name) === true && depth < DEEPEST;
      if (isScript) return [`pre${name}`, name].flatMap((each) => inside(scripts.get(each) ?? "", depth + 1));
      return program === "" ? [] : [`${basename(program)} ${verb}`.trim()];
    });
  return inside(check, 0);
}

const DEEPEST = 5;
const SHELLS = /^(?:ba|da|k|z)?sh$/;
const TAKES_FOLDER = /^(?:-C|--prefix|--cwd|--dir|--directory)$/;
const WRAPPERS =
  /^(?:npx|bunx|pnpx|uv|uvx|poetry|pipenv|bundle|run|run-script|exec|env|time|if|then|elif|else|while|until|do|[!{}]|-.*)$/;
/** Commands that change installed packages, which a copy shares with the project. */
const INSTALLS =
  /^(?:(?:npm|pnpm|yarn|bun) (?:ci|i|install|add|update)|yarn|(?:pip[\d.]*|pdm) (?:install|sync|update)|python[\d.]* pip|pip-sync|install|sync|mix deps\.\w+|prisma generate)$/;
/** Commands of package managers that a script of the same name does not replace. */
const INSTALLS_FIRST = /^(?:npm ci|(?:npm|pnpm|yarn|bun) (?:i|install|add|update))$/;
const NO_TESTS =
  /^(?:eslint|biome|prettier|tsc|vue-tsc|tslint|stylelint|oxlint|ruff|black|isort|flake8|mypy|pyright|pylint|golangci-lint|gofmt|staticcheck|shellcheck|rubocop|actionlint|cd|echo|true|export|go (?:vet|build|fmt)|cargo (?:fmt|clippy|check|build)|(?:npm|pnpm|yarn|bun) (?:lint|build|typecheck|format|install|ci)|make (?:lint|build|fmt|typecheck))$/;
