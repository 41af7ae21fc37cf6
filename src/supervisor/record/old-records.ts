import type { Paths } from "../../config/ccc-paths.ts";
import type { Files } from "../../os/files.ts";
import { launchesFolder } from "./launch-record.ts";
import { runNotesFolder } from "./run-notes.ts";
import { baselinesFolder, sessionsFolder } from "./session-record.ts";

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
