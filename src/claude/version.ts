/** The oldest and newest versions of Claude Code that the supervisor is tested with. */
export const OLDEST_TESTED = "2.0.77";
export const NEWEST_TESTED = "2.1.325";

/** "2.1.325 (Claude Code)" → "2.1.325" */
export function parseVersion(output: string): string | undefined {
  return /^(\d+\.\d+\.\d+)\b/.exec(output.trim())?.[1];
}

export function isTested(version: string): boolean {
  return Bun.semver.satisfies(version, `>=${OLDEST_TESTED} <=${NEWEST_TESTED}`);
}
