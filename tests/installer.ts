import { lstat, mkdir, mkdtemp, readdir, readFile, readlink, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newReleases, type Releases } from "./releases.ts";

const SCRIPT = join(import.meta.dir, "../install.sh");

/** The shells on this machine that are /bin/sh on some system. They must find tools in PATH, because tests replace them. */
export const SHELLS = [["/bin/sh"], ["busybox", "sh"]].filter(([name = "", ...args]) => {
  const program = Bun.which(name);
  return program !== null && looksInPath([program, ...args]);
});

/** Some builds of busybox prefer their built-in tools. */
function looksInPath(shell: string[]): boolean {
  return Bun.spawnSync([...shell, "-c", "uname"], { env: { PATH: "/nonexistent" } }).exitCode !== 0;
}

/** install.sh in an isolated environment, with releases to install. */
export interface Installer extends AsyncDisposable {
  readonly releases: Releases;
  /** Contains everything that the script may touch: home, temporary folder, prefix. */
  readonly root: string;
  readonly prefix: string;
  readonly env: Readonly<Record<string, string>>;
  start(args: readonly string[], options?: StartOptions): Bun.Subprocess<Blob, "pipe", "pipe">;
  run(
    args: readonly string[],
    options?: StartOptions,
  ): Promise<{ exitCode: number | null; stdout: string; stderr: string }>;
  /** The output of `ccc --version` of the installed ccc. */
  version(): string;
}

interface StartOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** A script to run instead of install.sh. */
  readonly script?: string;
}

export async function newInstaller(
  shell: readonly string[] = ["/bin/sh"],
  tools: readonly string[] = ["curl", "sha256sum"],
): Promise<Installer> {
  const releases = newReleases();
  const root = await realpath(await mkdtemp(join(tmpdir(), "ccc-test-")));
  const prefix = join(root, `it's a "pre fix"`);
  const env = {
    HOME: join(root, "home"),
    TMPDIR: join(root, "tmp"),
    PATH: await toolbox(join(root, "tools"), tools),
    CCC_DOWNLOAD_BASE: releases.base,
  };
  await mkdir(env.HOME);
  await mkdir(env.TMPDIR);
  const interpreter = [Bun.which(shell[0] ?? "") ?? "", ...shell.slice(1)];
  const text = await readFile(SCRIPT, "utf8");
  // Like `curl … | sh`: the script comes on stdin.
  const start = (args: readonly string[], options: StartOptions = {}) =>
    Bun.spawn([...interpreter, "-s", "--", ...args], {
      cwd: root,
      env: { ...env, ...options.env },
      stdin: new Blob([options.script ?? text]),
      stdout: "pipe",
      stderr: "pipe",
    });
  return {
    releases,
    root,
    prefix,
    env,
    start,
    async run(args, options) {
      const child = start(args, options);
      const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
      return { exitCode: child.exitCode, stdout, stderr };
    },
    version: () => Bun.spawnSync([join(prefix, "bin/ccc"), "--version"], { env }).stdout.toString(),
    async [Symbol.asyncDispose]() {
      await releases[Symbol.asyncDispose]();
      await rm(root, { recursive: true, force: true });
    },
  };
}

/** The content of a folder: mode and content of each file, and the targets of links. */
export async function tree(folder: string): Promise<Record<string, string>> {
  const names = (await readdir(folder, { recursive: true })).sort();
  const describe = async (name: string) => {
    const path = join(folder, name);
    const stat = await lstat(path);
    if (stat.isSymbolicLink()) return [name, `leads to ${await readlink(path)}`];
    const mode = (stat.mode & 0o777).toString(8);
    return [name, `${mode} ${stat.isFile() ? await contentOf(path, stat.size) : "folder"}`];
  };
  return Object.fromEntries(await Promise.all(names.map(describe)));
}

async function contentOf(path: string, size: number): Promise<string> {
  return size < 10_000 ? readFile(path, "latin1") : Bun.SHA256.hash(await Bun.file(path).bytes(), "hex");
}

const TOOLS =
  "cat chmod cp dirname expr getconf grep gzip head ldd ln mkdir mv rm rmdir tail tar timeout tr uname".split(" ");

/** Makes a folder for PATH, with the tools that the installer always needs and the named ones. */
export async function toolbox(folder: string, tools: readonly string[], without = ""): Promise<string> {
  await mkdir(folder);
  for (const tool of [...TOOLS, ...tools].filter((each) => each !== without)) {
    const found = Bun.which(tool);
    if (found !== null) await symlink(found, join(folder, tool));
    else if (Object.hasOwn(STAND_INS, tool)) await putTool(folder, tool, STAND_INS[tool] ?? "");
  }
  return folder;
}

/** Puts a script into a toolbox. */
export async function putTool(folder: string, name: string, script: string): Promise<void> {
  await rm(join(folder, name), { force: true });
  await writeFile(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

const download = `exec '${process.execPath}' '${join(import.meta.dir, "download.ts")}' "$@"`;
const sum = Bun.which("sha256sum") ?? `${Bun.which("shasum")} -a 256`;

/** For a machine without some of the tools: only what the installer uses of them. */
const STAND_INS: Record<string, string> = {
  curl: download,
  timeout: `shift 2; exec '${Bun.which("perl")}' -e 'alarm shift; exec @ARGV' "$@"`,
  wget: download,
  sha256sum: `exec ${sum}`,
  shasum: `[ "$*" = "-a 256" ] && exec ${sum}`,
  openssl: `[ "$*" = "dgst -sha256" ] && sum=$(${sum}) && echo "SHA2-256(stdin)= \${sum%% *}"`,
};
