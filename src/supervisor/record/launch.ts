import { dirname } from "node:path";
import * as v from "valibot";
import { ENGINES } from "../../config/defaults.ts";
import type { Paths } from "../../config/paths.ts";
import type { Files } from "../../os/files.ts";
import { join } from "../../os/path.ts";
import { parseJson, prettyJson } from "../../text/json.ts";
import type { Env } from "../../world.ts";
import { runNotesFolder } from "./run-notes.ts";
import { baselinesFolder, type SessionRecord, sessionsFolder, terminalPath, terminalsFolder } from "./session.ts";

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

/**
 * What a supervised launch saves for its hooks: everything that must not come from the folder, its settings or the
 * agent. Hooks find it by the folder and copy it into the session's own record at the first event.
 */
export const LaunchRecordSchema = v.object({
  cwd: v.string(),
  provider: v.optional(v.string()),
  engine: v.optional(v.picklist(ENGINES)),
  /** When it was launched, until the first of its hooks runs. Not set for launches without hooks. */
  waiting_since: v.optional(v.string()),
  /** What the user is told when the first session of the launch starts. */
  notice: v.optional(v.string()),
  /** Path of the claude that was launched. */
  claude: v.string(),
  /** Its version; null if unknown. */
  version: v.optional(v.nullable(v.string()), null),
  /** Whether the reviewer has the agent's provider and model. */
  same_model: v.optional(v.boolean(), false),
  /** The reviewer's name: "provider" or "provider:model". Empty in the records of older versions. */
  reviewer: v.optional(v.string(), ""),
  /** Who is asked if it cannot review, in order, each with its settings file. */
  fallback: v.optional(v.array(v.object({ reviewer: v.string(), settings: v.string(), same_model: v.boolean() })), []),
  environment: v.object({ salt: v.string(), plain: v.record(v.string(), v.string()), hashed: v.array(v.string()) }),
  /** The reviewer's instructions and their file; null for the built-in ones. */
  instructions: v.object({ path: v.nullable(v.string()), text: v.string() }),
  /** The commands that run at every stop, and those of the project that do not, because nobody could be asked. */
  checks: v.optional(v.object({ commands: v.array(v.string()), left_out: v.array(v.string()) }), {
    commands: [],
    left_out: [],
  }),
});

export type LaunchRecord = v.InferOutput<typeof LaunchRecordSchema>;

/** Saves the record for sessions that start in the folder of the launch. */
export function saveLaunch(files: Files, paths: Paths, launch: LaunchRecord): void {
  files.writePrivate(folderPath(paths, launch.cwd), prettyJson(launch));
}

/** Notes that a hook of this launch runs. */
export function markHeard(files: Files, paths: Paths, launch: LaunchRecord): void {
  if (launch.waiting_since === undefined) return;
  const { notice: _, ...rest } = heard(launch);
  saveLaunch(files, paths, rest);
}

export function heard({ waiting_since: _, ...launch }: LaunchRecord): LaunchRecord {
  return launch;
}

/** The last launch in exactly this folder. */
export function lastLaunch(files: Files, paths: Paths, folder: string): LaunchRecord | undefined {
  return readLaunch(files, folderPath(paths, folder));
}

/** The last launch of every folder. */
export function allLaunches(files: Files, paths: Paths): LaunchRecord[] {
  const folder = launchesFolder(paths);
  return files.list(folder).flatMap((name) => readLaunch(files, join(folder, name)) ?? []);
}

/** Saves the record of `ccc use --supervisor`, for sessions that ccc does not start. */
export function saveUse(files: Files, paths: Paths, launch: LaunchRecord): void {
  files.writePrivate(usePath(paths), prettyJson(launch));
}

/** Removes it, with temporary files of a killed writer. */
export function forgetUse(files: Files, paths: Paths): void {
  files.remove(usePath(paths));
  files.removeOld(launchesFolder(paths), (name) => name.startsWith("use.json."), 0);
}

/** The last launch in the folder or, for a session in a worktree, in a folder above it. */
export function findLaunch(files: Files, paths: Paths, project: string): LaunchRecord | undefined {
  for (let folder = project; ; folder = dirname(folder)) {
    const launch = readLaunch(files, folderPath(paths, folder));
    if (launch?.cwd === folder) return launch;
    if (folder === dirname(folder)) return undefined;
  }
}

export function findUse(files: Files, paths: Paths): LaunchRecord | undefined {
  return readLaunch(files, usePath(paths));
}

export function readLaunch(files: Files, path: string): LaunchRecord | undefined {
  const launch = v.safeParse(LaunchRecordSchema, parseJson(files.read(path) ?? ""));
  return launch.success ? launch.output : undefined;
}

export function launchesFolder({ generated }: Pick<Paths, "generated">): string {
  return join(generated, "launches");
}

function folderPath(paths: Paths, folder: string): string {
  const name = new Bun.CryptoHasher("sha256").update(folder).digest("hex").slice(0, 32);
  return join(launchesFolder(paths), `${name}.json`);
}

function usePath(paths: Paths): string {
  return join(launchesFolder(paths), "use.json");
}

/** The limit of the agent's provider that ended a run, if one did; `resets_at` is null if the error does not say when it ends. */
export const UsageLimitSchema = v.nullable(v.object({ resets_at: v.nullable(v.string()) }));

/** How a run of the loop engine ended. After a review, its outcome says the same. */
const LoopEndSchema = v.object({
  at: v.string(),
  outcome: v.string(),
  /** Why it is not done. */
  reason: v.string(),
  usage_limit: v.optional(UsageLimitSchema, null),
});

export type LoopEnd = v.InferOutput<typeof LoopEndSchema>;

export function recordLoopEnd(files: Files, { end }: SessionRecord, ended: LoopEnd): void {
  files.writePrivate(end, prettyJson(ended));
}

export function readLoopEnd(files: Files, { end }: SessionRecord): LoopEnd | undefined {
  const found = v.safeParse(LoopEndSchema, parseJson(files.read(end) ?? ""));
  return found.success ? found.output : undefined;
}

/** A baseline may hold copies of files that git does not have, and only the last prompt's is needed. */
const BASELINES_KEPT_MS = 7 * 24 * 3600 * 1000;
const KEPT_MS = 90 * 24 * 3600 * 1000;

/** Removes records of launches and sessions that are too old to matter, and returns how many. */
export function removeOldRecords(files: Files, paths: Paths): number {
  const folders = [launchesFolder, runNotesFolder, sessionsFolder, baselinesFolder].map((folder) => folder(paths));
  const count = () => folders.reduce((sum, folder) => sum + files.list(folder).length, 0);
  const before = count();
  files.removeOld(launchesFolder(paths), (name) => name !== "use.json", KEPT_MS);
  files.removeOld(runNotesFolder(paths), () => true, KEPT_MS);
  files.removeOldFolders(sessionsFolder(paths), KEPT_MS);
  files.removeOldFolders(baselinesFolder(paths), BASELINES_KEPT_MS);
  return before - count();
}

/** What the user has switched in a session. Without it, the session is supervised if it was launched so. */
const SwitchSchema = v.object({
  is_on: v.boolean(),
  /** Whether the next stop is reviewed in any case. */
  is_due: v.optional(v.boolean(), false),
  /** The reviewer's settings file, if the launch had none. */
  reviewer: v.optional(v.string()),
});

export type Switch = v.InferOutput<typeof SwitchSchema>;

export function readSwitch(files: Files, { switch: path }: SessionRecord): Switch | undefined {
  const found = v.safeParse(SwitchSchema, parseJson(files.read(path) ?? ""));
  return found.success ? found.output : undefined;
}

export function saveSwitch(files: Files, { switch: path }: SessionRecord, value: Switch): void {
  files.writePrivate(path, prettyJson(value));
}

/**
 * What is known of a claude in a terminal: its sessions, the last one at the end, and for one that is not supervised
 * everything that a later supervision must not take from the folder or from the agent.
 */
const TerminalRecordSchema = v.object({ sessions: v.array(v.string()), launch: v.optional(LaunchRecordSchema) });

export type TerminalRecord = v.InferOutput<typeof TerminalRecordSchema>;

/** `claude` is its process id: Claude Code tells each hook, and no settings can change it. */
export function readTerminal(files: Files, paths: Paths, claude: string | undefined): TerminalRecord | undefined {
  if (claude === undefined) return undefined;
  const found = v.safeParse(TerminalRecordSchema, parseJson(files.read(terminalPath(paths, claude)) ?? ""));
  return found.success ? found.output : undefined;
}

/** A claude that starts: what is on record of another one with the same process id is forgotten. */
export function startTerminal(
  files: Files,
  paths: Paths,
  claude: string,
  session: string,
  launch: LaunchRecord | undefined,
): void {
  const record: TerminalRecord = { sessions: [session], ...(launch === undefined ? {} : { launch }) };
  files.writePrivate(terminalPath(paths, claude), prettyJson(record));
  files.removeOld(terminalsFolder(paths), () => true, TERMINAL_RECORD_KEPT_MS);
}

/** Adds the session that follows after `/clear`. */
export function continueTerminal(files: Files, paths: Paths, claude: string, session: string): void {
  const record = readTerminal(files, paths, claude);
  if (record === undefined || record.sessions.includes(session)) return;
  files.writePrivate(
    terminalPath(paths, claude),
    prettyJson({ ...record, sessions: [...record.sessions, session].slice(-MOST_SESSIONS) }),
  );
}

const TERMINAL_RECORD_KEPT_MS = 30 * 24 * 3600 * 1000;
const MOST_SESSIONS = 100;
