import { NEWEST_TESTED, OLDEST_TESTED } from "../../src/claude/versions.ts";

/** The versions that the matrix tries, besides the newest on npm: the oldest and newest supported ones, and some in between. */
export const WATCHED_VERSIONS: readonly string[] = [
  OLDEST_TESTED,
  ...["2.1.47", "2.1.96", "2.1.142", "2.1.169", "2.1.212", "2.1.240", "2.1.269", "2.1.308"],
  NEWEST_TESTED,
];
