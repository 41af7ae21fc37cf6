import { dirname, join, relative, sep } from "node:path";
import { loadConfig } from "../config/check.ts";
import { type SupervisorSettings, supervisorSettings } from "../config/defaults.ts";
import { cccPaths } from "../config/paths.ts";
import { messageOf } from "../errors.ts";
import type { ChildResult } from "../os/child.ts";
import type { Files, GuardedFiles } from "../os/files.ts";
import type { World } from "../world.ts";

/** Runs a side effect that a review does not depend on. A failure is only reported: "could not <what>: …". */
export function bestEffort<T>(say: (message: string) => void, what: string, action: () => T): T | undefined {
  try {
    return action();
  } catch (error) {
    say(`could not ${what}: ${messageOf(error)}`);
    return undefined;
  }
}

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
};

/** For a claude that exited without a result. Its last words are redacted before they are cut: half a key would not be recognized. */
export function noResult({ exitCode }: ChildResult, lastWords: string, clean: (text: string) => string): string {
  const code = exitCode === null ? "killed by a signal" : `exit code ${exitCode}`;
  const words = clean(lastWords).slice(-LONGEST_WORDS);
  return `claude exited without a result (${code})${words === "" ? "" : `: ${words}`}`;
}

const LONGEST_WORDS = 500;

export function stateFolder(project: string): string {
  return join(project, STATE_FOLDER);
}

/** ccc's files in a project: ignored by git, never written through a link. */
export function projectFiles(files: Files, project: string, folder: string): GuardedFiles {
  const isInside = !relative(project, folder).startsWith(`..${sep}`);
  const guarded = files.guarded(isInside ? project : dirname(folder));
  const ignore = join(folder, ".gitignore");
  if (guarded.makeFolder(folder)) guarded.replace(ignore, "*\n");
  else if (guarded.read(ignore, 1) === undefined) guarded.replace(ignore, OWN_FILES);
  return guarded;
}

/** For a folder that existed before: it may have files that are not ccc's. */
const OWN_FILES = "supervisor-*\nsupervisor.log*\n.gitignore\n";

/** Messages for people: on stderr, which Claude Code does not show, and in a file. */
export interface SupervisorLog {
  readonly say: (message: string) => void;
}

export const LOG_NAME = "supervisor.log";
const LARGEST_LOG = 1_000_000;

export function supervisorLog(
  edges: { stderr: (text: string) => void; now: () => Date },
  folder: string,
  open: () => GuardedFiles,
  clean: (text: string) => string,
): SupervisorLog {
  const path = join(folder, LOG_NAME);
  return {
    say(message) {
      const text = clean(message);
      edges.stderr(`ccc supervisor-hook: ${text}\n`);
      try {
        open().append(path, `${edges.now().toISOString()} ${text.replaceAll("\n", "\n  ")}\n`, LARGEST_LOG);
      } catch {
        // The review goes on without a log.
      }
    },
  };
}

/** The settings in ccc.json, or the defaults if it is missing or broken: the review still takes place. */
export function readSettings(world: World, warn: (message: string) => void): SupervisorSettings {
  try {
    if (world.files.read(cccPaths(world).config) === undefined) return supervisorSettings({});
    return supervisorSettings(loadConfig(world).config);
  } catch (error) {
    warn(`${messageOf(error)}\nThe supervisor uses its defaults.`);
    return supervisorSettings({});
  }
}
