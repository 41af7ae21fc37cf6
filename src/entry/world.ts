import { version } from "../../package.json" with { type: "json" };
import type { buildOf } from "../build-info.ts";
import { NAME_FLAG } from "../markers.ts";
import type { runChild } from "../os/child.ts";
import { quickFiles } from "../os/fast.ts";
import type { diskFiles, Files, makeScratch } from "../os/files.ts";
import { isAbsolute, join, programName } from "../os/path.ts";
import { type handOver, isAlive, onSignal, pause, type Watch } from "../os/process.ts";
import type { runWatcher } from "../os/processes.ts";
import type { readStdin, stdinWriter, writeOut } from "../os/stdio.ts";
import type { keychainOf, queryDatabase } from "../os/stores.ts";
import type { terminalAsk, terminalColumns } from "../terminal/dialog.ts";
import type { listenToTyping, openKeyboard } from "../terminal/input.ts";
import type { Env, World, windowsEnvironment } from "../world.ts";

/** The parts of a World that take time to load. A launch loads few of them, a hook does without some. */
export interface WorldParts {
  readonly buildOf: typeof buildOf;
  readonly diskFiles: typeof diskFiles;
  readonly isatty: (fd: number) => boolean;
  readonly keychainOf: typeof keychainOf;
  readonly listenToTyping: typeof listenToTyping;
  readonly makeScratch: typeof makeScratch;
  readonly openKeyboard: typeof openKeyboard;
  readonly queryDatabase: typeof queryDatabase;
  readonly readStdin: typeof readStdin;
  readonly runChild: typeof runChild;
  readonly runWatcher: typeof runWatcher;
  readonly stdinWriter: typeof stdinWriter;
  readonly terminalAsk: typeof terminalAsk;
  readonly terminalColumns: typeof terminalColumns;
  readonly windowsEnvironment: typeof windowsEnvironment;
  readonly writeOut: typeof writeOut;
}

export interface RealParts extends Pick<World, "exec"> {
  readonly handOver: typeof handOver;
  readonly late: () => WorldParts;
  /** Records which variables and files are read. */
  readonly witness?: Witness | undefined;
}

export interface Witness {
  readonly env: (env: Env) => Env;
  readonly files: (files: Files) => Files;
}

/** The real World, from the process. */
export function realWorld(host: NodeJS.Process, { exec, handOver, late, witness }: RealParts): World {
  const env = environment(host, late);
  const files = quickFiles(() => late().diskFiles(host.pid));
  const stderr = (text: string) => late().writeOut(2, text);
  let watcher: Watch | undefined;
  const watch = () => {
    watcher ??= late().runWatcher(host.execPath, env);
    return watcher;
  };
  return {
    argv: host.argv.slice(isNamed(host.argv) ? 3 : 2),
    env: witness?.env(env) ?? env,
    inherited: () => ({ ...env }),
    cwd: host.cwd(),
    platform: host.platform,
    pid: host.pid,
    self: host.execPath,
    name: startedAs(host),
    version,
    build: () => late().buildOf(host),
    files: witness?.files(files) ?? files,
    queryDatabase: (path, query) => late().queryDatabase(path, query),
    // The first access to process.stdout or process.stderr takes ten milliseconds.
    stdout: (text) => late().writeOut(1, text),
    stderr,
    exec,
    handOver: (program, cancelled) => handOver(program, cancelled, watch()),
    run: (request) => late().runChild(request, watch()),
    stdin: (longest) => late().readStdin(longest),
    stdinWriter: () => late().stdinWriter(host.platform, host.arch),
    get keychain() {
      return late().keychainOf(host.env);
    },
    get ask() {
      // On stderr, because stdout is for results.
      return late().terminalAsk(() => ({ input: host.stdin, output: host.stderr }));
    },
    get fetch() {
      return fetch;
    },
    now: () => new Date(),
    newId: () => crypto.randomUUID(),
    pause,
    scratch: () => late().makeScratch(),
    isAlive,
    isTerminal: (fd) => late().isatty(fd),
    columns: (fd = 1) => late().terminalColumns(fd),
    typing: (onLine) => late().listenToTyping(host.stdin, stderr, onLine),
    keyboard: (listener) => late().openKeyboard(host, stderr, listener),
    onSignal,
  };
}

/** Makes CCC_CONFIG_DIR absolute: `ccc key`, for example, runs in another folder. */
function environment(host: NodeJS.Process, late: () => WorldParts): Env {
  const env = host.platform === "win32" ? late().windowsEnvironment(host.env) : host.env;
  const folder = env.CCC_CONFIG_DIR;
  return !folder || isAbsolute(folder) ? env : { ...env, CCC_CONFIG_DIR: join(host.cwd(), folder) };
}

/**
 * The name ccc was started by, without ".exe". A script passes it in its first argument. A link's name is only in argv0.
 * A copy's name is also in execPath, which still has it if a shell passes another argv0.
 */
export function startedAs({ argv, argv0, execPath }: Pick<NodeJS.Process, "argv" | "argv0" | "execPath">): string {
  if (isNamed(argv)) return `ccc-${argv[2]?.slice(NAME_FLAG.length)}`;
  return [argv0, execPath].map(programName).find((name) => name === "ccc" || name.startsWith("ccc-")) ?? "ccc";
}

function isNamed(argv: readonly string[]): boolean {
  return argv[2]?.startsWith(NAME_FLAG) ?? false;
}
