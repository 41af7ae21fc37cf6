import type { Engine } from "../config/defaults.ts";

export interface LaunchRequest {
  /** Undefined if no provider was named. */
  readonly provider: string | undefined;
  /** Whether a link's name says so, which does not change the current provider. */
  readonly isLinked: boolean;
  /** The Claude Code to run, as an editor passes it: its path, or those of Node and its script. Empty: find one. */
  readonly claude: readonly string[];
  /** Undefined if neither --supervisor nor --no-supervisor was given. */
  readonly supervisor: boolean | undefined;
  readonly engine: Engine | undefined;
  /** Commands that must pass before a review. */
  readonly checks: readonly string[];
  /** Whether the loop engine ends with an exit code, also on a terminal. */
  readonly noHandover: boolean;
  /** Whether a provider may be used that a folder's pin refuses. */
  readonly anyway: boolean;
  readonly dryRun: boolean;
  /** Whether the dry run prints JSON. */
  readonly json: boolean;
  /** Claude's arguments, unchanged. */
  readonly args: readonly string[];
}

/** `ccc` alone. */
export const PLAIN_LAUNCH: LaunchRequest = {
  provider: undefined,
  isLinked: false,
  claude: [],
  supervisor: undefined,
  engine: undefined,
  checks: [],
  noHandover: false,
  anyway: false,
  dryRun: false,
  json: false,
  args: [],
};
