import type { Paths } from "../../config/ccc-paths.ts";
import { CccError } from "../../errors.ts";
import type { Files } from "../../os/files.ts";
import { readLaunch } from "../../supervisor/record/launch-record.ts";
import { sessionRecord, sessionsFolder } from "../../supervisor/record/session-record.ts";

/** A session on record. */
interface KnownSession {
  readonly id: string;
  /** The folder it was started in; undefined if the record does not say. */
  readonly folder: string | undefined;
  /** When something was last recorded, in milliseconds. */
  readonly modified: number;
}

/** The session with this id or the beginning of one, or else the last one that was started in the folder. */
export function findRecordedSession(files: Files, paths: Paths, cwd: string, wanted: string | undefined): string {
  if (wanted !== undefined) return byId(knownSessions(files, paths), wanted);
  const [last] = sessionsIn(files, paths, cwd);
  if (last !== undefined) return last.id;
  throw new CccError(`no supervised session on record in ${cwd}`, { advice: adviceFor(knownSessions(files, paths)) });
}

/** The sessions that were started in a folder, the last one first. Links are resolved. */
function sessionsIn(files: Files, paths: Paths, cwd: string): KnownSession[] {
  const here = realFolder(files, cwd);
  return knownSessions(files, paths).filter(({ folder }) => folder !== undefined && realFolder(files, folder) === here);
}

function byId(sessions: readonly KnownSession[], wanted: string): string {
  const found = sessions.filter(({ id }) => id === wanted || (wanted !== "" && id.startsWith(wanted)));
  const exact = found.find(({ id }) => id === wanted) ?? found[0];
  if (exact === undefined)
    throw new CccError(`no supervised session on record begins with "${wanted}"`, { advice: adviceFor(sessions) });
  if (found.length > 1 && exact.id !== wanted) {
    throw new CccError(`${found.length} sessions begin with "${wanted}"`, {
      advice: `Write more of the id: ${found
        .slice(0, MOST_NAMED)
        .map(({ id }) => id)
        .join(", ")}${found.length > MOST_NAMED ? ", …" : ""}`,
    });
  }
  return exact.id;
}

function knownSessions(files: Files, paths: Paths): KnownSession[] {
  return files
    .list(sessionsFolder(paths))
    .map((id) => {
      const { launch, prompts, stops } = sessionRecord(paths, id);
      const times = [prompts, stops].flatMap((path) => files.modified(path) ?? []);
      return {
        id,
        folder: readLaunch(files, launch)?.cwd,
        modified: Math.max(0, ...times),
        isEmpty: times.length === 0,
      };
    })
    .filter(({ isEmpty }) => !isEmpty)
    .sort((a, b) => b.modified - a.modified);
}

/** The folder may be gone. */
function realFolder(files: Files, folder: string): string {
  try {
    return files.realPath(folder);
  } catch {
    return folder;
  }
}

function adviceFor(sessions: readonly KnownSession[]): string {
  if (sessions.length === 0) return "Sessions are recorded when they are supervised. Start one: ccc --supervisor";
  const last = sessions.slice(0, MOST_NAMED).map(({ id, folder }) => `  ${id}  ${folder ?? ""}`.trimEnd());
  return ["The last ones on record:", ...last, "Name one: ccc report SESSION"].join("\n");
}

const MOST_NAMED = 5;
