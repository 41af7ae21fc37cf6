import { dirname } from "node:path";
import * as v from "valibot";
import type { Paths } from "../../config/ccc-paths.ts";
import { ENGINES } from "../../config/defaults.ts";
import type { Files } from "../../os/files.ts";
import { join } from "../../os/path.ts";
import { parseJson, prettyJson } from "../../text/json.ts";

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
