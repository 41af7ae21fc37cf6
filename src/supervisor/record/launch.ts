import { dirname } from "node:path";
import * as v from "valibot";
import { SUPERVISED_KEPT_MS as KEPT_MS, type Paths, pathsIn } from "../../config/paths.ts";
import type { Files } from "../../os/files.ts";
import { join } from "../../os/path.ts";
import { parseJson } from "../../text/json.ts";
import { lazySchema } from "../../text/schema.ts";
import type { Env, World } from "../../world.ts";
import { removeOldSessionFiles } from "../project.ts";
import { recordFolder, terminalPaths } from "./quick.ts";
import { type IdentifiedLaunch, type LaunchRecord, LaunchRecordSchema, recordFile } from "./session.ts";

// What runs of claude leave: records of their launches, notes of their hooks, sessions of terminals, and environments.

/**
 * The records that supervised launches leave for their hooks, named by the launch's id. The hooks carry the id, so they never
 * read the record of another launch, however close in time.
 */
interface LaunchRecords {
  /** Also makes it the last launch of its folder. */
  readonly save: (launch: IdentifiedLaunch) => void;
  /** For a running session in which supervision is switched on. The last launch of its folder stays the same. */
  readonly saveSwitched: (launch: IdentifiedLaunch) => void;
  /** Undefined if there is none, or if the id is malformed. */
  readonly find: (id: string) => IdentifiedLaunch | undefined;
  /** The launches in a folder and in its parents, since it may be a worktree. The latest is first. */
  readonly around: (folder: string) => LaunchRecord[];
  /** The last launch in exactly this folder. */
  readonly last: (folder: string) => LaunchRecord | undefined;
  /** The last launch of every folder. */
  readonly lastOfAll: () => LaunchRecord[];
  /** Records that a hook of this launch has run. */
  readonly markHeard: (launch: IdentifiedLaunch) => void;
  /** Removes a launch whose claude has ended, unless none of its hooks ever ran: that is still to be reported. */
  readonly end: (id: string) => void;
  /** The record of `ccc use --supervisor`, for sessions that ccc does not start. */
  readonly saveUse: (launch: LaunchRecord) => void;
  readonly findUse: () => LaunchRecord | undefined;
  /** Removes it, and temporary files that a killed writer left. */
  readonly forgetUse: () => void;
  /** Opens the notes of a launch, for the ccc that waits for its claude. */
  readonly openNotes: (id: string) => RunNotes;
  /** Removes old records of launches and sessions, and old files in the project. Returns how many. */
  readonly removeOld: (project: string) => number;
}

/** The notes of one run of claude, under the id of its launch, so that two runs in one folder stay apart. */
export interface RunNotes {
  /** In the order in which the hooks wrote them. */
  readonly read: () => RunNote[];
  readonly remove: () => void;
}

export function launchRecords(files: Files, paths: Paths): LaunchRecords {
  const folder = recordFolder(paths, "launches");
  const at = (name: string) => recordFile(files, join(folder, name), LaunchRecordSchema);
  const lastAt = (name: string) => recordFile(files, join(folder, name), LastLaunchSchema);
  const of = (id: string) => at(`${id}.json`);
  const saveSwitched = (launch: IdentifiedLaunch) => of(launch.id).save(launch);
  const find = (id: string) => {
    const launch = LAUNCH_ID.test(id) ? of(id).read() : undefined;
    return launch?.id === id ? { ...launch, id } : undefined;
  };
  // Older versions kept the last launch itself in this file.
  const readLast = (name: string) => {
    const last = lastAt(name).read();
    return last === undefined ? at(name).read() : find(last.id);
  };
  const use = at(USE);
  return {
    save: (launch) => {
      saveSwitched(launch);
      lastAt(lastName(launch.cwd)).save({ cwd: launch.cwd, id: launch.id });
    },
    saveSwitched,
    find,
    around: (project) => {
      const names = files.list(folder).filter((name) => name !== USE);
      const found = names.flatMap((name) => ({ modified: at(name).modified() ?? 0, launch: at(name).read() }));
      return found
        .sort((a, b) => b.modified - a.modified)
        .flatMap(({ launch }) => (launch !== undefined && isAround(launch.cwd, project) ? [launch] : []));
    },
    last: (project) => readLast(lastName(project)),
    lastOfAll: () => files.list(folder).flatMap((name) => (LAST_NAME.test(name) ? (readLast(name) ?? []) : [])),
    markHeard: ({ waiting_since, notice: _, ...launch }) => {
      if (waiting_since === undefined) return;
      saveSwitched(launch);
    },
    end: (id) => {
      const launch = find(id);
      if (launch !== undefined && launch.waiting_since === undefined) of(id).remove();
    },
    saveUse: use.save,
    findUse: use.read,
    forgetUse: () => {
      use.remove();
      files.removeOld(folder, (name) => name.startsWith(`${USE}.`), 0);
    },
    openNotes: (id) => {
      const path = notesPath(paths, id);
      files.writePrivate(path, "");
      return {
        read: () =>
          (files.read(path) ?? "").split("\n").flatMap((line) => {
            const note = v.safeParse(RunNoteSchema, parseJson(line));
            return note.success ? [note.output] : [];
          }),
        remove: () => files.remove(path),
      };
    },
    removeOld: (project) => removeOldRecords(files, paths, project),
  };
}

function removeOldRecords(files: Files, paths: Paths, project: string): number {
  const launches = recordFolder(paths, "launches");
  const runs = recordFolder(paths, "runs");
  const sessions = recordFolder(paths, "sessions");
  const baselines = recordFolder(paths, "baselines");
  const count = () => [launches, runs, sessions, baselines].reduce((sum, folder) => sum + files.list(folder).length, 0);
  const before = count();
  files.removeOld(launches, (name) => name !== USE, KEPT_MS);
  files.removeOld(runs, () => true, KEPT_MS);
  // Left by killed launches. The names are never used again, so nothing else would remove the files.
  for (const each of [paths.generated, launches, runs]) files.removeOld(each, (name) => name.endsWith(".tmp"), 0);
  files.removeOldFolders(sessions, KEPT_MS);
  files.removeOldFolders(baselines, BASELINES_KEPT_MS);
  return before - count() + removeOldSessionFiles(files, project, KEPT_MS);
}

/** A baseline may hold copies of files that git does not have, and only that of the last prompt is needed. */
const BASELINES_KEPT_MS = 7 * 24 * 3600 * 1000;

/** Hooks get the id as an argument, which could be anything. */
const LAUNCH_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The last launch of a folder. Only warnings use it; no session gets its launch from here. */
const LastLaunchSchema = lazySchema(() => v.object({ cwd: v.string(), id: v.string() }));

function lastName(folder: string): string {
  return `${new Bun.CryptoHasher("sha256").update(folder).digest("hex").slice(0, 32)}.json`;
}

const LAST_NAME = /^[0-9a-f]{32}\.json$/;

function isAround(folder: string, project: string): boolean {
  for (let each = project; ; each = dirname(each)) {
    if (each === folder) return true;
    if (each === dirname(each)) return false;
  }
}

const USE = "use.json";

/** A message from a hook to the ccc that waits for its claude to end. */
const RunNoteSchema = lazySchema(() =>
  v.variant("event", [
    v.object({ event: v.picklist(["start", "prompt", "stop"]), session: v.string() }),
    v.object({
      event: v.literal("outcome"),
      /** The exit code for a run that ends with this stop; null if the agent has to continue. */
      code: v.nullable(v.number()),
      /** The outcome in one line, then what ccc noticed. */
      lines: v.array(v.string()),
    }),
  ]),
);

export type RunNote = v.InferOutput<typeof RunNoteSchema>;

/**
 * Leaves a note if a ccc waits for one. Never throws: a missing note counts as a hook that did not run. The id is from the
 * hook's arguments, which a project's settings cannot change, unlike its environment.
 */
export function noteRun(
  { files }: Pick<World, "files">,
  { configDir, launch }: { readonly configDir: string | undefined; readonly launch: string | undefined },
  note: RunNote,
): void {
  if (launch === undefined || !LAUNCH_ID.test(launch) || configDir === undefined) return;
  const path = notesPath(pathsIn(configDir), launch);
  try {
    if (files.modified(path) !== undefined) files.append(path, `${JSON.stringify(note)}\n`, Number.POSITIVE_INFINITY);
  } catch {
    // The review still counts in the session.
  }
}

function notesPath(paths: Paths, launch: string): string {
  return join(recordFolder(paths, "runs"), `${launch}.jsonl`);
}

/** What is recorded about a claude in a terminal. */
interface TerminalRecord {
  readonly read: () => TerminalSessions | undefined;
  /** For a claude that starts: replaces what an earlier one with the same process id has left. */
  readonly start: (session: string, launch: LaunchRecord | undefined) => void;
  /** Adds the session that `/clear` has started. */
  readonly add: (session: string) => void;
  /** A file that exists while a session waits for a usage limit. A prompt or another session in its claude removes it. */
  readonly wait: {
    readonly read: () => string | undefined;
    readonly save: (text: string) => void;
    readonly remove: () => void;
  };
}

/**
 * The sessions of a claude, the latest last. If it is not supervised, also everything that supervision must not take from the
 * folder or the agent when it is switched on later.
 */
const TerminalSchema = lazySchema(() =>
  v.object({ sessions: v.array(v.string()), launch: v.optional(LaunchRecordSchema) }),
);

type TerminalSessions = v.InferOutput<typeof TerminalSchema>;

/** `claude` is its process id, which Claude Code passes to each hook and no settings can change. */
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
  const launched: Record<string, string> = { ...plain };
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && !isPlain(name) && known.has(hash(salt, name, value))) launched[name] = value;
  }
  return launched;
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
