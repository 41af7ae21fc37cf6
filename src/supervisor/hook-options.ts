/** In a supervised project: the folder of state, output and log. */
export const STATE_FOLDER = ".claude/ccc";

/** The command line of a hook. */
export interface HookOptions {
  /** The reviewer's settings. */
  readonly settings: string | undefined;
  /** Relative to the project. */
  readonly stateDir: string;
  readonly announce: boolean;
  /** The folder of ccc.json, in which the record of the session is kept. Without it the project's files count. */
  readonly configDir: string | undefined;
  /** Whether the hook is the one of `ccc use`, in the user's settings.json. */
  readonly isPersistent: boolean;
}

export const HOOK_DEFAULTS: HookOptions = {
  settings: undefined,
  stateDir: STATE_FOLDER,
  announce: false,
  configDir: undefined,
  isPersistent: false,
};
