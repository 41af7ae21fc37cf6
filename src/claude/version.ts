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

/** Whether a fork of a session, run with `-p`, begins with the same bytes as the session's own requests. Measured. */
export function sharesPromptCache(version: string, session: keyof typeof SHARING_FROM): boolean {
  return Bun.semver.order(version, SHARING_FROM[session]) >= 0;
}

const SHARING_FROM = { print: "2.1.269", terminal: "2.1.308" };
