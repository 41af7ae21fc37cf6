import { dirname } from "node:path";
import { $ } from "bun";

/** What is built: the commit, and its time for everything that needs one. */
export interface Source {
  readonly commit: string;
  /** Seconds since 1970. */
  readonly time: number;
}

/**
 * Asks git about the folder. CCC_COMMIT and SOURCE_DATE_EPOCH win, for builds outside of it; without either the commit is
 * "unknown" and the time the first that a zip can hold.
 */
export async function sourceOf(folder: string, env: Readonly<Record<string, string | undefined>>): Promise<Source> {
  // A copy without its own .git must not pass for a commit of whatever repository it lies in.
  const inside = { ...env, GIT_CEILING_DIRECTORIES: dirname(folder) };
  const git = async (args: readonly string[]) =>
    (await $`git ${args}`.cwd(folder).env(inside).quiet().nothrow()).stdout.toString().trim();
  // The short form of a hash depends on how many others the clone holds: always the whole one.
  const commit = env.CCC_COMMIT || (await git(["describe", "--always", "--abbrev=40", "--dirty", "--exclude=*"]));
  const time = env.SOURCE_DATE_EPOCH || (await git(["log", "-1", "--format=%ct"]));
  return { commit: commit || "unknown", time: Math.max(Number(time || 0), FIRST_OF_1980) };
}

const FIRST_OF_1980 = 315_532_800;
