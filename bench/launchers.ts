import { existsSync, readdirSync, readFileSync } from "node:fs";
import { chmod, copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { $ } from "bun";
import { installPackage } from "../scripts/npm-packages.ts";
import type { Program } from "./measure.ts";

/** ccc, and other npm programs that start claude on a provider, each configured as its documentation says. */

export interface Launcher {
  /** On npm. ccc is built here. */
  readonly package?: string;
  readonly version?: string;
  /** What is in its home: paths and content. `port` is free, for a launcher that runs a server. */
  readonly files: (provider: Provider, port: number) => Readonly<Record<string, object>>;
  /** A program, and its arguments. */
  readonly launch: readonly string[];
  /** For a launcher that runs a server: what stops it. */
  readonly stop?: readonly string[];
}

export interface Provider {
  readonly url: string;
  readonly key: string;
  readonly model: string;
}

const variables = ({ url, key, model }: Provider) => ({
  ANTHROPIC_BASE_URL: url,
  ANTHROPIC_AUTH_TOKEN: key,
  ANTHROPIC_MODEL: model,
});

const router: Launcher = {
  package: "@musistudio/claude-code-router",
  files: ({ url, key, model }, port) => {
    const glm = { name: "glm", api_base_url: `${url}/v1/messages`, api_key: key, models: [model] };
    const Providers = [{ ...glm, transformer: { use: ["Anthropic"] } }];
    return { ".claude-code-router/config.json": { LOG: false, PORT: port, Providers, Router: { default: "glm,m" } } };
  },
  launch: ["ccr", "code"],
  stop: ["ccr", "stop"],
};

export const LAUNCHERS: readonly Launcher[] = [
  {
    files: (provider) => {
      const glm = { env: variables(provider) };
      return { ".claude/ccc.json": { current_provider: "glm", providers: { glm, kimi: glm } } };
    },
    launch: ["ccc", "glm"],
  },
  {
    package: "@kaitranntt/ccs",
    version: "7.79.1",
    files: (provider) => ({
      ".ccs/config.json": { profiles: { glm: "~/.ccs/glm.settings.json" } },
      ".ccs/glm.settings.json": { env: variables(provider) },
    }),
    launch: ["ccs", "glm"],
  },
  { ...router, version: "3.1.1" },
  // An older version, which needs nothing else installed.
  { ...router, version: "2.0.0" },
  { package: "claudish", version: "10.1.1", files: () => ({}), launch: ["claudish"] },
];

/** Launchers that npm does not have. */
export const NOT_ON_NPM: Readonly<Record<string, string>> = {
  clother: "not on npm: its releases are programs on GitHub",
  "CC Switch": "not on npm: a desktop app",
};

/** Not in the repository. */
const CACHE = join(import.meta.dir, "../.cache/launchers");

/** A launch that has been tried: it starts claude on the provider. */
export interface PreparedLaunch {
  readonly program: Program;
  readonly stays: Stays;
  readonly stop: Program | undefined;
}

/** Installs a launcher, gives it a home in `folder`, and launches once. Throws if claude is not given the provider. */
export async function prepareLaunch(launcher: Launcher, folder: string, provider: Provider): Promise<PreparedLaunch> {
  const programs = await install(launcher);
  const port = freePort();
  const { env, cwd, bin } = await makeHome(folder, launcher.files(provider, port));
  const program = ([name = "", ...args]: readonly string[]) => ({ command: [join(programs, name), ...args], env, cwd });
  const launch = program(launcher.launch);
  const stays = await whatStays({ ...launch, bin });
  await copyFile(Bun.which("true") ?? "", join(bin, "claude"));
  const addresses = [provider.url, `http://127.0.0.1:${port}`];
  const prepared = { program: launch, stays, stop: launcher.stop && program(launcher.stop) };
  if (addresses.some((address) => stays.given.includes(address))) return prepared;
  stopServer(prepared);
  throw new Error("claude was not given the provider");
}

export function stopServer({ stop }: Pick<PreparedLaunch, "stop">): void {
  if (stop !== undefined) Bun.spawnSync([...stop.command], { env: { ...stop.env } });
}

/** The folder of its programs. */
async function install({ package: name, version = "" }: Launcher): Promise<string> {
  if (name === undefined) return join(import.meta.dir, "../dist");
  const folder = join(CACHE, `${name.replace("/", "+")}@${version}`);
  if (!existsSync(folder)) await installPackage(name, version, folder);
  return join(folder, "node_modules/.bin");
}

async function makeHome(folder: string, files: Readonly<Record<string, object>>) {
  const [home, bin, cwd, temporary] = [join(folder, "home"), join(folder, "bin"), join(folder, "p"), join(folder, "t")];
  for (const each of [home, bin, cwd, temporary]) await mkdir(each, { recursive: true });
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(home, path)), { recursive: true });
    await writeFile(join(home, path), JSON.stringify(content));
  }
  const node = Bun.which("node");
  const path = [bin, ...(node === null ? [] : [dirname(node)]), "/usr/bin", "/bin"];
  return { env: { HOME: home, PATH: path.join(":"), TMPDIR: temporary }, cwd, bin };
}

function freePort(): number {
  const server = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  server.stop();
  return server.port;
}

/** What is left of a launcher while claude runs, and what claude was given. */
interface Stays {
  readonly processes: number;
  readonly megabytes: number;
  /** claude's arguments, environment and `--settings`. */
  readonly given: string;
}

interface Launch {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** A folder for a stand-in for claude, the first of PATH. */
  readonly bin: string;
}

const LONGEST_MS = 60_000;

/**
 * Launches a stand-in for claude that waits. Every process with the launch's HOME, other than the stand-in, counts: also a
 * server that the launcher started in the background. Linux only.
 */
async function whatStays({ command, env, cwd, bin }: Launch): Promise<Stays> {
  const [started, goOn, claude] = ["started", "go-on", "claude"].map((name) => join(bin, name));
  if (started === undefined || goOn === undefined || claude === undefined) throw new Error("no paths");
  await $`mkfifo ${started} ${goOn}`;
  await writeFile(claude, standIn(started, goOn));
  await chmod(claude, 0o755);
  const silent = { stdin: "ignore", stdout: "ignore", stderr: "ignore" } as const;
  const child = Bun.spawn([...command], { env: { ...env }, cwd, ...silent, timeout: LONGEST_MS });
  const report = await Promise.race([readFile(started, "utf8"), child.exited.then(() => undefined)]);
  if (report === undefined) {
    await writeFile(started, ""); // A reader still waits for it.
    throw new Error("it ended without starting claude");
  }
  const [pid = "", ...given] = report.split("\n");
  const staying = processesOf(env.HOME ?? "").filter((each) => each !== Number(pid));
  const megabytes = staying.map(residentMegabytes).reduce((sum, each) => sum + each, 0);
  await writeFile(goOn, "");
  await child.exited;
  return { processes: staying.length, megabytes, given: given.join("\n") };
}

/** Uses the shell's own commands only, so that it is a single process while it waits. */
const standIn = (started: string, goOn: string) => `#!/bin/sh
{
  echo $$
  export -p
  for argument; do
    echo "$argument"
    if [ -f "$argument" ]; then while read -r line || [ -n "$line" ]; do echo "$line"; done <"$argument"; fi
  done
} >'${started}'
read -r line <'${goOn}'
exit 0
`;

function processesOf(home: string): number[] {
  const pids = readdirSync("/proc").map(Number).filter(Number.isInteger);
  return pids.filter((pid) => readProcess(pid, "environ").split("\0").includes(`HOME=${home}`));
}

function residentMegabytes(pid: number): number {
  const kilobytes = readProcess(pid, "status").match(/^VmRSS:\s+(\d+) kB/m)?.[1] ?? 0;
  return (Number(kilobytes) * 1024) / 1e6;
}

/** Empty for a process that has ended or belongs to another user. */
function readProcess(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}
