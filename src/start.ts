import { version } from "../package.json" with { type: "json" };
import { run } from "./cli/run.ts";
import { isAbsolute, join } from "./io/path.ts";
import { isAlive } from "./io/process.ts";
import { quickFiles } from "./io/quick.ts";
import { late } from "./late.ts";
import { exec } from "./launch/exec.ts";

/** Builds the edges of the real world from its process, and runs the command line in it. */
export async function start(host: NodeJS.Process): Promise<void> {
  const code = await run({
    argv: host.argv.slice(2),
    env: environment(host),
    cwd: host.cwd(),
    platform: host.platform,
    pid: host.pid,
    self: host.execPath,
    version,
    build: () => late().buildOf(host),
    files: quickFiles(host.pid),
    // process.stdout and process.stderr cost ten milliseconds at first touch.
    stdout: (text) => late().writeOut(1, text),
    stderr: (text) => late().writeOut(2, text),
    exec,
    run: (request) => late().runChild(request),
    stdin: (longest) => late().readStdin(longest),
    get keychain() {
      return late().keychainOf(host.env);
    },
    get ask() {
      return late().terminalAsk();
    },
    get fetch() {
      return fetch;
    },
    now: () => new Date(),
    scratch: () => late().makeScratch(),
    isAlive,
    isTerminal: (fd) => late().isatty(fd),
    columns: () => late().terminalColumns(),
    typing: (onLine) => late().listenToTyping(onLine),
    onSignal: (handler) => late().onSignal(handler),
  });
  host.exit(code);
}

/** A relative folder would be another one for whoever is called from elsewhere, `ccc key` for instance. */
function environment({ env, cwd }: NodeJS.Process): NodeJS.ProcessEnv {
  const folder = env.CCC_CONFIG_DIR;
  return !folder || isAbsolute(folder) ? env : { ...env, CCC_CONFIG_DIR: join(cwd(), folder) };
}
