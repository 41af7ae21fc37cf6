import { NEWEST_TESTED, OLDEST_TESTED } from "../../src/claude/versions.ts";

/** The versions that the matrix tries, beside the newest on npm: the ends of what is supported, and steps on the way. */
export const WATCHED_VERSIONS: readonly string[] = [
  OLDEST_TESTED,
  ...["2.1.47", "2.1.96", "2.1.142", "2.1.169", "2.1.212", "2.1.240", "2.1.269", "2.1.308"],
  NEWEST_TESTED,
];
