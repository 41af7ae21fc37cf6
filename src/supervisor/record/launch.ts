import { dirname } from "node:path";
import * as v from "valibot";
import type { Paths } from "../../config/paths.ts";
import type { Files } from "../../os/files.ts";
import { join } from "../../os/path.ts";
import type { Env } from "../../world.ts";
import { recordFolder, terminalPaths } from "./quick.ts";
import { type LaunchRecord, LaunchRecordSchema, recordFile } from "./session.ts";

/** What supervised launches leave for their hooks, before there is a session: one record for each folder. */
export interface LaunchRecords {
  /** For sessions that start in the folder of the launch. */
  readonly save: (launch: LaunchRecord) => void;
  /** The last launch in the folder or, for a session in a worktree, in a folder above it. */
  readonly find: (project: string) => LaunchRecord | undefined;
  /** The last launch in exactly this folder. */
  readonly last: (folder: string) => LaunchRecord | undefined;
  /** The last launch of every folder. */
  readonly all: () => LaunchRecord[];
  /** Records that a hook of this launch runs. */
  readonly markHeard: (launch: LaunchRecord) => void;
  /** The record of `ccc use --supervisor`, for sessions that ccc does not start. */
  readonly saveUse: (launch: LaunchRecord) => void;
  readonly findUse: () => LaunchRecord | undefined;
  /** Removes it, with temporary files of a killed writer. */
  readonly forgetUse: () => void;
}

export function launchRecords(files: Files, paths: Paths): LaunchRecords {
  const folder = recordFolder(paths, "launches");
  const at = (name: string) => recordFile(files, join(folder, name), LaunchRecordSchema);
  const of = (project: string) =>
    at(`${new Bun.CryptoHasher("sha256").update(project).digest("hex").slice(0, 32)}.json`);
  const save = (launch: LaunchRecord) => of(launch.cwd).save(launch);
  const use = at(USE);
  return {
    save,
    find: (project) => {
      for (let each = project; ; each = dirname(each)) {
        const launch = of(each).read();
        if (launch?.cwd === each) return launch;
        if (each === dirname(each)) return undefined;
      }
    },
    last: (project) => of(project).read(),
    all: () => files.list(folder).flatMap((name) => at(name).read() ?? []),
    markHeard: ({ waiting_since, notice: _, ...launch }) => {
      if (waiting_since === undefined) return;
      save(launch);
    },
    saveUse: use.save,
    findUse: use.read,
    forgetUse: () => {
      use.remove();
      files.removeOld(folder, (name) => name.startsWith(`${USE}.`), 0);
    },
  };
}

const USE = "use.json";

/** What is on record of a claude in a terminal. */
export interface TerminalRecord {
  readonly read: () => TerminalSessions | undefined;
  /** For a claude that starts: what is on record of another one with the same process id is forgotten. */
  readonly start: (session: string, launch: LaunchRecord | undefined) => void;
  /** Adds the session that follows after `/clear`. */
  readonly add: (session: string) => void;
  /** A file that exists while a session waits for a usage limit. A prompt or another session in its claude removes it. */
  readonly wait: {
    readonly read: () => string | undefined;
    readonly save: (text: string) => void;
    readonly remove: () => void;
  };
}

/**
 * The sessions of a claude, the last one at the end, and for one that is not supervised everything that a later supervision
 * must not take from the folder or from the agent.
 */
const TerminalSchema = v.object({ sessions: v.array(v.string()), launch: v.optional(LaunchRecordSchema) });

export type TerminalSessions = v.InferOutput<typeof TerminalSchema>;

/** `claude` is its process id: Claude Code tells each hook, and no settings can change it. */
export function openTerminal(files: Files, paths: Paths, claude: string): TerminalRecord {
  const path = terminalPaths(paths, claude);
  const { read, save } = recordFile(files, path.sessions, TerminalSchema);
  return {
    read,
    start: (session, launch) => {
      save({ sessions: [session], ...(launch === undefined ? {} : { launch }) });
      files.removeOld(recordFolder(paths, "terminals"), () => true, TERMINAL_KEPT_MS);
    },
    add: (session) => {
      const record = read();
      if (record === undefined || record.sessions.includes(session)) return;
      save({ ...record, sessions: [...record.sessions, session].slice(-MOST_SESSIONS) });
    },
    wait: {
      read: () => files.read(path.wait),
      save: (text) => files.writePrivate(path.wait, text),
      remove: () => files.remove(path.wait),
    },
  };
}

const TERMINAL_KEPT_MS = 30 * 24 * 3600 * 1000;
const MOST_SESSIONS = 100;

type Environment = LaunchRecord["environment"];

/**
 * Remembers the environment of a launch. Claude Code runs hooks with the variables of every settings file, a project's
 * included, and those must not decide what runs in a review. Values are hashed, since they may be secrets.
 */
export function rememberEnvironment(env: Env, salt: string = crypto.randomUUID()): Environment {
  const plain: Record<string, string> = {};
  const hashed: string[] = [];
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined) continue;
    if (isPlain(name)) plain[name] = value;
    else hashed.push(hash(salt, name, value));
  }
  return { salt, plain, hashed };
}

/** The environment of the launch, without variables that were added or changed since. */
export function launchEnvironment({ salt, plain, hashed }: Environment, env: Env): Record<string, string> {
  const known = new Set(hashed);
  const own: Record<string, string> = { ...plain };
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && !isPlain(name) && known.has(hash(salt, name, value))) own[name] = value;
  }
  return own;
}

/** Kept in plain text, because a review needs their original values. */
function isPlain(name: string): boolean {
  return PLAIN.has(name.toUpperCase()) || /^(LC_|XDG_)/.test(name);
}

const PLAIN: ReadonlySet<string> = new Set(
  `PATH PATHEXT HOME USER LOGNAME SHELL LANG LANGUAGE TERM TZ TMPDIR TEMP TMP USERPROFILE USERNAME APPDATA LOCALAPPDATA
  PROGRAMDATA PROGRAMFILES SYSTEMROOT SYSTEMDRIVE WINDIR COMSPEC CLAUDE_CONFIG_DIR`.split(/\s+/),
);

function hash(salt: string, name: string, value: string): string {
  return new Bun.CryptoHasher("sha256").update(`${salt}\0${name}\0${value}`).digest("base64url").slice(0, 22);
}

/** Removes records of launches and sessions that are too old to matter, and returns how many. */
export function removeOldRecords(files: Files, paths: Paths): number {
  const launches = recordFolder(paths, "launches");
  const runs = recordFolder(paths, "runs");
  const sessions = recordFolder(paths, "sessions");
  const baselines = recordFolder(paths, "baselines");
  const count = () => [launches, runs, sessions, baselines].reduce((sum, folder) => sum + files.list(folder).length, 0);
  const before = count();
  files.removeOld(launches, (name) => name !== USE, KEPT_MS);
  files.removeOld(runs, () => true, KEPT_MS);
  files.removeOldFolders(sessions, KEPT_MS);
  files.removeOldFolders(baselines, BASELINES_KEPT_MS);
  return before - count();
}

const KEPT_MS = 90 * 24 * 3600 * 1000;
/** A baseline may hold copies of files that git does not have, and only the last prompt's is needed. */
const BASELINES_KEPT_MS = 7 * 24 * 3600 * 1000;
