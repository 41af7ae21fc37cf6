import { version } from "../package.json" with { type: "json" };
import { run } from "./cli/run.ts";
import { programName } from "./cli/wrapper.ts";
import { exec, handOver } from "./launch/exec.ts";
import { lazy } from "./lazy.ts";
import { isAbsolute, join } from "./os/path.ts";
import { isAlive, onSignal } from "./os/process.ts";
import { quickFiles } from "./os/quick.ts";
import type { Env } from "./world.ts";

/** Builds the real World from the process, and runs the command line in it. `input` is stdin, if it was read already. */
export async function start(host: NodeJS.Process, input?: string): Promise<void> {
  const code = await run({
    argv: host.argv.slice(2),
    env: environment(host),
    cwd: host.cwd(),
    platform: host.platform,
    pid: host.pid,
    self: host.execPath,
    name: programName(host),
    version,
    build: () => lazy().buildOf(host),
    files: quickFiles(() => lazy().diskFiles(host.pid)),
    queryDatabase: (path, query) => lazy().queryDatabase(path, query),
    // The first access to process.stdout or process.stderr takes ten milliseconds.
    stdout: (text) => lazy().writeOut(1, text),
    stderr: (text) => lazy().writeOut(2, text),
    exec,
    handOver,
    run: (request) => lazy().runChild(request),
    stdin: (longest) => input ?? lazy().readStdin(longest),
    stdinWriter: () => lazy().stdinWriter(host.platform, host.arch),
    get keychain() {
      return lazy().keychainOf(host.env);
    },
    get ask() {
      return lazy().terminalAsk();
    },
    get fetch() {
      return fetch;
    },
    now: () => new Date(),
    scratch: () => lazy().makeScratch(),
    isAlive,
    isTerminal: (fd) => lazy().isatty(fd),
    columns: (fd = 1) => lazy().terminalColumns(fd),
    typing: (onLine) => lazy().listenToTyping(onLine),
    keyboard: (listener) => lazy().openKeyboard(listener),
    onSignal,
  });
  host.exit(code);
}

/** Makes CCC_CONFIG_DIR absolute: `ccc key`, for example, runs in another folder. */
function environment(host: NodeJS.Process): Env {
  const env = host.platform === "win32" ? lazy().windowsEnvironment(host.env) : host.env;
  const folder = env.CCC_CONFIG_DIR;
  return !folder || isAbsolute(folder) ? env : { ...env, CCC_CONFIG_DIR: join(host.cwd(), folder) };
}
