import { join } from "node:path";
import { parseVersion } from "../claude/version.ts";
import type { Paths } from "../config/paths.ts";
import { CccError, EXIT } from "../errors.ts";
import type { World } from "../world.ts";

/** The version of a claude. The answer is cached until the program changes. */
export async function claudeVersion(world: World, claude: string, paths: Paths): Promise<string | undefined> {
  const found = world.files.identify(claude);
  const fingerprint = JSON.stringify([claude, found?.id, found?.size]);
  const path = join(paths.generated, "claude-version");
  const [knownFingerprint, known] = (world.files.read(path) ?? "").split("\n");
  if (knownFingerprint === fingerprint && known) return known;
  const version = await askVersion(world, claude);
  if (version !== undefined) world.files.writePrivate(path, `${fingerprint}\n${version}\n`);
  return version;
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
