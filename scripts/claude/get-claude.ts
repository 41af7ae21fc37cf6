import { existsSync } from "node:fs";
import { chmod } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { bun, installPackage } from "../npm-packages.ts";

const PACKAGE = "@anthropic-ai/claude-code";

/** Where versions of Claude Code are kept, about 250 MB each: outside the checkout, for all checkouts. */
const CACHE = process.env.CCC_TEST_CACHE || join(homedir(), ".cache/ccc-tests");

/** A program that runs this version of Claude Code, from npm, fetched once. Throws if it is unavailable. */
export async function getClaude(version: string): Promise<string> {
  const folder = folderOf(version);
  if (!existsSync(folder)) await installPackage(PACKAGE, version, folder);
  const program = programFile(version);
  return program.endsWith(".js") ? nodeWrapper(program, join(folder, "claude")) : program;
}

/** The version that npm gives for a tag such as "latest", or the version itself. */
export async function versionOnNpm(wanted: string): Promise<string> {
  return (await bun(["info", `${PACKAGE}@${wanted}`, "version"], CACHE)).trim();
}

/** The file with the code of a fetched version: newer ones have a program for each platform, older ones a script. */
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

/** The PATH of the tests may lack this Node. */
async function nodeWrapper(script: string, wrapper: string): Promise<string> {
  await Bun.write(wrapper, `#!/bin/sh\nexec "${Bun.which("node")}" "${script}" "$@"\n`);
  await chmod(wrapper, 0o755);
  return wrapper;
}
