import { dirname, join } from "node:path";
import { $ } from "bun";
import { description, repository, version } from "../../package.json" with { type: "json" };

/** The folder of the source. */
export const ROOT = join(import.meta.dir, "../..");

export const ABOUT = { version, description, repository: repository.replace(/^github:/, "") };

/** What is built: the commit, and its time for everything that needs one. */
export interface Source {
  readonly commit: string;
  /** Seconds since 1970. */
  readonly time: number;
}

/**
 * Asks git about the folder. CCC_COMMIT and SOURCE_DATE_EPOCH override it, for builds outside git. Without either, the
 * commit is "unknown" and the time the earliest that a zip can hold.
 */
export async function sourceOf(folder: string, env: Readonly<Record<string, string | undefined>>): Promise<Source> {
  // A copy without its own .git must not get the commit of a repository around it.
  const inside = { ...env, GIT_CEILING_DIRECTORIES: dirname(folder) };
  const git = async (args: readonly string[]) =>
    (await $`git ${args}`.cwd(folder).env(inside).quiet().nothrow()).stdout.toString().trim();
  // The full hash: the length of the short one depends on the clone.
  const commit = env.CCC_COMMIT || (await git(["describe", "--always", "--abbrev=40", "--dirty", "--exclude=*"]));
  const time = env.SOURCE_DATE_EPOCH || (await git(["log", "-1", "--format=%ct"]));
  return { commit: commit || "unknown", time: Math.max(Number(time || 0), FIRST_OF_1980) };
}

const FIRST_OF_1980 = 315_532_800;
