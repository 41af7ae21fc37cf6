import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";

const PACKAGE = "@anthropic-ai/claude-code";

/** Where versions of Claude Code are kept, about 250 MB each: outside the checkout, for all checkouts. */
const CACHE = process.env.CCC_TEST_CACHE || join(homedir(), ".cache/ccc-tests");

/** A program that runs this version of Claude Code, from npm, fetched once. Throws if it cannot be had. */
export async function getClaude(version: string): Promise<string> {
  const folder = folderOf(version);
  if (!existsSync(folder)) await install(version, folder);
  const program = programFile(version);
  return program.endsWith(".js") ? nodeWrapper(program, join(folder, "claude")) : program;
}

/** The version that npm gives for a tag such as "latest", or the version itself. */
export async function versionOnNpm(wanted: string): Promise<string> {
  return (await bun(["info", `${PACKAGE}@${wanted}`, "version"], CACHE)).trim();
}

/** Complete or not there at all, whatever interrupts it. No script of the package runs. */
async function install(version: string, folder: string): Promise<void> {
  await mkdir(CACHE, { recursive: true });
  const temporary = await mkdtemp(`${folder}-`);
  try {
    await Bun.write(join(temporary, "package.json"), JSON.stringify({ dependencies: { [PACKAGE]: version } }));
    await bun(["install", "--silent", "--no-save", "--ignore-scripts"], temporary);
    await rename(temporary, folder);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/** The file that holds the code of a version that was fetched: newer ones have a program for each platform, older ones a script. */
export function programFile(version: string): string {
  const { platform, arch } = process;
  const libraries = ["", "-musl"].map((libc) => `${PACKAGE}-${platform}-${arch}${libc}/claude`);
  const names = [...libraries, `${PACKAGE}-${platform}-${arch}/claude.exe`, `${PACKAGE}/cli.js`];
  const found = names.map((name) => join(folderOf(version), "node_modules", name)).find((path) => existsSync(path));
  if (found === undefined) throw new Error(`${folderOf(version)} has no program for ${platform} ${arch}`);
  return found;
}

function folderOf(version: string): string {
  return join(CACHE, `claude-${version}`);
}

/** The tests have a PATH of their own, which may lack this Node. */
async function nodeWrapper(script: string, wrapper: string): Promise<string> {
  await Bun.write(wrapper, `#!/bin/sh\nexec "${Bun.which("node")}" "${script}" "$@"\n`);
  await chmod(wrapper, 0o755);
  return wrapper;
}

async function bun(args: readonly string[], cwd: string): Promise<string> {
  await mkdir(cwd, { recursive: true });
  const child = Bun.spawn([process.execPath, ...args], { cwd, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  if ((await child.exited) !== 0) throw new Error((stderr || stdout).trim().split("\n").at(-1));
  return stdout;
}
