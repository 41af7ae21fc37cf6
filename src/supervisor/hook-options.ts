/** The folder in a supervised project for state, output and log. */
export const STATE_FOLDER = ".claude/ccc";

/** The command line options of a hook. */
export interface HookOptions {
  /** The reviewer's settings file. */
  readonly settings: string | undefined;
  /** Relative to the project. */
  readonly stateDir: string;
  readonly announce: boolean;
  /** The folder of ccc.json, where session records are kept. Without it the state is in the project. */
  readonly configDir: string | undefined;
  /** Whether `ccc use` put the hook into the user's settings.json. */
  readonly isPersistent: boolean;
  /** Whether the session is supervised only if the user switches that on. */
  readonly isIdle: boolean;
  /** Of such a session: the agent's provider, settings file, and the folders of `--add-dir`. */
  readonly provider: string | undefined;
  readonly agentSettings: string | undefined;
  readonly folders: readonly string[];
  /** Whether this stop is reviewed in any case. */
  readonly isDue: boolean;
}

export const HOOK_DEFAULTS: HookOptions = {
  settings: undefined,
  stateDir: STATE_FOLDER,
  announce: false,
  configDir: undefined,
  isPersistent: false,
  isIdle: false,
  provider: undefined,
  agentSettings: undefined,
  folders: [],
  isDue: false,
};
