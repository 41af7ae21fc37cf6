/**
 * Repeats an earlier launch without deciding it again. A plain launch depends only on the command line and on what its
 * World answers, so it saves its questions, a digest of the answers, and the claude that it started. If the next launch
 * gets the same answers to the same questions, it starts the same claude. Nothing that is saved is a secret.
 */

import { version } from "../../package.json" with { type: "json" };
import { buildOf } from "../build-info.ts";
import { cccPaths } from "../config/paths.ts";
import { EXEC_MARKER } from "../markers.ts";
import { quickFiles } from "../os/fast.ts";
import type { Files } from "../os/files.ts";
import { isAbsolute, join } from "../os/path.ts";
import { exec } from "../os/process.ts";
import { parseJson } from "../text/json.ts";
import { type Env, optional, type Program } from "../world.ts";
import { startedAs, type Witness } from "./world.ts";

/** Starts claude as an earlier launch did. Returns if there was none like this one, or if claude cannot be started. */
export async function repeatLaunch(host: NodeJS.Process): Promise<void> {
  const program = knownProgram(host);
  // The launch itself reports the error.
  if (program !== undefined) await exec(program).catch(() => {});
}

/** The program that a full decision would start; undefined if that is not known. */
export function knownProgram(host: NodeJS.Process): Program | undefined {
  try {
    const start = startOf(host);
    const files = quickFiles(unanswered);
    const text = start && files.read(start.path);
    if (text === undefined || start === undefined) return undefined;
    const known = parseJson(text) as KnownLaunch;
    const answers = known.questions.map(([question, path, ms]) => ASK[question](files, path, ms));
    return digestOf(start, answers, known.variables, host.env) === known.digest ? programOf(known, host) : undefined;
  } catch {
    // Something has to be read through node:fs, or the file is damaged.
    return undefined;
  }
}

/** Records what a launch asks. */
interface LaunchWitness extends Witness {
  /** The file that makes the start of this program repeatable. Undefined if it cannot be repeated. */
  readonly known: (program: Program) => KnownFile | undefined;
}

interface KnownFile {
  readonly path: string;
  readonly text: string;
}

/** Undefined for a launch that is never repeated. */
export function witnessLaunch(host: NodeJS.Process): LaunchWitness | undefined {
  const start = startOf(host);
  if (start === undefined) return undefined;
  const questions: Question[] = [];
  const answers: unknown[] = [];
  const variables = new Set<string>();
  const note = <Answer>(question: Question, answer: Answer): Answer => {
    questions.push(question);
    answers.push(answer);
    return answer;
  };
  return {
    env: (env) =>
      new Proxy(env, {
        // Which variables are set is part of the start.
        get: (_, name: string) => {
          if (env[name] !== undefined) variables.add(name);
          return env[name];
        },
      }),
    files: (files) => ({
      ...files,
      read: (path) => note(["read", path], files.read(path)),
      list: (path) => note(["list", path], files.list(path)),
      programSize: (path) => note(["programSize", path], files.programSize(path)),
      modified: (path) => note(["modified", path], files.modified(path)),
      exists: (path) => note(["exists", path], files.exists(path)),
      modifiedWithin: (path, ms) => note(["modifiedWithin", path, ms], files.modifiedWithin(path, ms)),
      // A plain launch writes nothing: the file has this text already.
      writePrivate: (path, text) => {
        files.writePrivate(path, text);
        note(["read", path], text);
      },
    }),
    known: (program) => {
      const change = changeOf(start, program, host);
      if (change === undefined) return undefined;
      const digest = digestOf(start, answers, [...variables], host.env);
      const known: KnownLaunch = { questions, variables: [...variables], digest, ...change };
      return { path: start.path, text: JSON.stringify(known) };
    },
  };
}

/** Saves it for the next launch, which works without it, in a read-only home for example. */
export function keepLaunch({ path, text }: KnownFile, files: Files): void {
  optional(() => {
    files.writePrivate(path, text);
    files.removeOld(path.slice(0, path.lastIndexOf("/")), () => true, KEPT_MS);
  });
}

const KEPT_MS = 30 * 24 * 3600 * 1000;

/** Something that a launch asks of the file system: what, of which path, and within which time. */
type Question = readonly [what: keyof typeof ASK, path: string, ms?: number];

const ASK = {
  read: (files: Files, path: string) => files.read(path),
  list: (files: Files, path: string) => files.list(path),
  programSize: (files: Files, path: string) => files.programSize(path),
  modified: (files: Files, path: string) => files.modified(path),
  exists: (files: Files, path: string) => files.exists(path),
  modifiedWithin: (files: Files, path: string, ms = 0) => files.modifiedWithin(path, ms),
};

/** The file of a launch that can be repeated. */
interface KnownLaunch extends Change {
  readonly questions: readonly Question[];
  /** The variables whose values it used. */
  readonly variables: readonly string[];
  /** Of the start, the answers, and the values. */
  readonly digest: string;
}

/** How claude's command line and environment differ from those of ccc. */
interface Change {
  readonly file: string;
  /** Claude's arguments before the last `words` of ccc's. */
  readonly before: readonly string[];
  readonly words: number;
  readonly unset: readonly string[];
  readonly set: Readonly<Record<string, string>>;
}

/** Everything a launch depends on besides files and the values of variables. */
interface Start {
  readonly key: string;
  /** The path of the file that makes it repeatable. */
  readonly path: string;
}

function startOf(host: NodeJS.Process): Start | undefined {
  const { env, platform, execPath } = host;
  const words = shapeOf(host.argv.slice(2));
  // Windows has no execve. A ccc that a session runs counts how deep it is.
  if (words === undefined || platform === "win32" || env[EXEC_MARKER] !== undefined) return undefined;
  if (env.CCC_CONFIG_DIR && !isAbsolute(env.CCC_CONFIG_DIR)) return undefined;
  const program = [version, buildOf(host).commit, execPath, Bun.file(execPath).lastModified, startedAs(host)];
  const key = JSON.stringify([program, host.cwd(), words, Object.keys(env)]);
  return { key, path: join(cccPaths({ env, platform }).generated, `repeat/${Bun.SHA256.hash(key, "hex")}`) };
}

/** A command line without its prompt, on which nothing depends. Undefined if another word is too long to occur again. */
function shapeOf(argv: readonly string[]): readonly string[] | undefined {
  const words = argv.map((word, index) => (isPrompt(word, index, argv) ? PROMPT : word));
  return words.some((word) => word.length > LONGEST_WORD) ? undefined : words;
}

/** No argument can contain this character. */
const PROMPT = "\0";

/** Longer than the name of any provider or model, and shorter than a session's id. */
const LONGEST_WORD = 32;

/** Whether a word is certainly claude's prompt. A single word may be a command. */
function isPrompt(word: string, index: number, argv: readonly string[]): boolean {
  if (index === 0 || word.startsWith("-") || word.startsWith("/")) return false;
  const [first = "", before] = [argv[0], argv[index - 1]];
  if (before === "-p" || before === "--print") return true;
  return argv.length === 2 && !first.startsWith("-") && /[ \u0080-\uffff]/.test(word);
}

function digestOf(start: Start, answers: readonly unknown[], variables: readonly string[], env: Env): string {
  const values = variables.map((name) => env[name]);
  return Bun.SHA256.hash(JSON.stringify([start.key, answers, values]), "base64");
}

/** Undefined unless claude's arguments are ccc's own after a few that ccc generated: others might be secrets. */
function changeOf(start: Start, { file, args, env }: Program, host: NodeJS.Process): Change | undefined {
  let words = host.argv.length - 2;
  while (!Bun.deepEquals(args.slice(args.length - words), host.argv.slice(host.argv.length - words))) words--;
  const before = args.slice(0, args.length - words);
  const own = start.path.slice(0, start.path.lastIndexOf("/repeat/"));
  if (!before.every((word) => /^--[a-z-]+$/.test(word) || word.startsWith(`${own}/`))) return undefined;
  const unset = Object.keys(host.env).filter((name) => env[name] === undefined);
  const set: Record<string, string> = {};
  for (const [name, value] of Object.entries(env))
    if (value !== undefined && value !== host.env[name] && name !== EXEC_MARKER) set[name] = value;
  return { file, before, words, unset, set };
}

function programOf({ file, before, words, unset, set }: KnownLaunch, host: NodeJS.Process): Program {
  const env: Record<string, string | undefined> = { ...host.env };
  for (const name of unset) delete env[name];
  Object.assign(env, set);
  env[EXEC_MARKER] = `${host.pid}.1`;
  return { file, args: [...before, ...host.argv.slice(host.argv.length - words)], env };
}

function unanswered(): never {
  throw new Error("this needs node:fs");
}
