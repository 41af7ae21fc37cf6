import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";

/**
 * Installs one version of a package with its dependencies in its own folder: completely or not at all, even if it is
 * interrupted. Runs no package scripts.
 */
export async function installPackage(name: string, version: string, folder: string): Promise<void> {
  await mkdir(dirname(folder), { recursive: true });
  const temporary = await mkdtemp(`${folder}-`);
  try {
    await Bun.write(join(temporary, "package.json"), JSON.stringify({ dependencies: { [name]: version } }));
    await bun(["install", "--silent", "--no-save", "--ignore-scripts"], temporary);
    await rename(temporary, folder);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/** What this Bun prints. Throws its error message if it fails. */
export async function bun(args: readonly string[], cwd: string): Promise<string> {
  await mkdir(cwd, { recursive: true });
  const child = Bun.spawn([process.execPath, ...args], { cwd, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  if ((await child.exited) !== 0) throw new Error(problemIn(stderr || stdout));
  return stdout;
}

/** Bun says what is wrong in one line; a list of available versions may follow. */
export function problemIn(output: string): string {
  const lines = output.trim().split("\n");
  return (lines.find((line) => line.startsWith("error: ")) ?? lines[0] ?? "").replace(/^error: /, "");
}
