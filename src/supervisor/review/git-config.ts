import { dirname } from "node:path";
import { join } from "../../os/path.ts";
import type { Env, World } from "../../world.ts";
import { LIST_KEYS, repositoryKeys } from "../tool-guard/git-overrides.ts";

const TIMEOUT_MS = 5_000;

/** The configuration keys set by the folders' repositories, and by their .gitmodules. */
export async function readGitKeys(world: World, folders: readonly string[], env: Env): Promise<string[]> {
  const tops = new Set(folders.flatMap((folder) => topOf(world, folder) ?? []));
  const keys: string[] = [];
  for (const top of tops) {
    keys.push(...repositoryKeys(await list(world, top, env, LIST_KEYS)));
    const modules = join(top, ".gitmodules");
    const isThere = world.files.identify(modules)?.isFile === true;
    if (isThere) keys.push(...(await list(world, top, env, [...LIST_MODULES, modules])).split("\n"));
  }
  return [...new Set(keys)];
}

function topOf({ files }: World, folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    if (files.identify(join(at, ".git")) !== undefined) return at;
    if (dirname(at) === at) return undefined;
  }
}

const LIST_MODULES = ["config", "--list", "--name-only", "--file"];

async function list(world: World, cwd: string, env: Env, args: readonly string[]): Promise<string> {
  const lines: string[] = [];
  const onLine = (line: Uint8Array | undefined) => {
    lines.push(new TextDecoder().decode(line));
    return false;
  };
  try {
    await world.run({ program: { file: "git", args, env }, cwd, stdin: "", timeoutMs: TIMEOUT_MS, onLine });
  } catch {
    // No git, so nothing it could run.
  }
  return lines.join("\n");
}
