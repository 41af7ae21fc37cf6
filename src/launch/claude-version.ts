import { join } from "node:path";
import { NEWEST_TESTED, parseVersion } from "../claude/version.ts";
import type { Paths } from "../config/ccc-paths.ts";
import { CccError, EXIT } from "../errors.ts";
import type { World } from "../world.ts";

/** The version of a claude. The answer is cached until the program changes. */
export async function claudeVersion(world: World, claude: string, paths: Paths): Promise<string | undefined> {
  const known = knownVersion(world, claude, paths);
  if (known !== undefined) return known;
  const version = await askVersion(world, claude);
  const cache = cachePath(paths);
  if (version !== undefined) world.files.writePrivate(cache, `${fingerprintOf(world, claude)}\n${version}\n`);
  return version;
}

/** The version for a dry run, which runs nothing: the cached one, else a current one. */
export function assumedVersion(world: World, claude: string, paths: Paths): string {
  return knownVersion(world, claude, paths) ?? NEWEST_TESTED;
}

function knownVersion(world: World, claude: string, paths: Paths): string | undefined {
  const [fingerprint, version] = (world.files.read(cachePath(paths)) ?? "").split("\n");
  return fingerprint === fingerprintOf(world, claude) ? version || undefined : undefined;
}

function cachePath(paths: Paths): string {
  return join(paths.generated, "claude-version");
}

/** Changes with the program. */
export function fingerprintOf(world: World, claude: string): string {
  const found = world.files.identify(claude);
  return JSON.stringify([claude, found?.id, found?.size]);
}

const LONGEST_WAIT_MS = 5_000;

export async function askVersion(world: World, claude: string): Promise<string | undefined> {
  let version: string | undefined;
  try {
    const { ending } = await world.run({
      program: { file: claude, args: ["--version"], env: world.env },
      cwd: world.cwd,
      stdin: "",
      timeoutMs: LONGEST_WAIT_MS,
      onLine: (line) => {
        version ??= line && parseVersion(new TextDecoder().decode(line));
        return false;
      },
    });
    if (ending === "interrupted") throw new CccError("interrupted", { exitCode: EXIT.interrupted });
  } catch (error) {
    // If claude cannot be run at all, the launch will report it.
    if (error instanceof CccError && error.exitCode === EXIT.interrupted) throw error;
  }
  return version;
}
