import type { Files } from "../os/files.ts";
import { join } from "../os/path.ts";
import { claudeFolder } from "./claude-paths.ts";
import type { Place } from "./layers.ts";

/** A session that Claude Code has saved. */
export interface SavedSession {
  readonly id: string;
  readonly transcript: string;
}

/** The session with this id, if any. Claude Code finds one of another folder too. */
export function savedSession(files: Files, place: Place, id: string): SavedSession | undefined {
  if (!IS_ID.test(id)) return undefined;
  const own = projectFolders(files, place);
  const folders = [...own, ...allFolders(files, place).filter((folder) => !own.includes(folder))];
  const transcript = folders.map((folder) => join(folder, `${id}.jsonl`)).find((path) => exists(files, path));
  return transcript === undefined ? undefined : { id, transcript };
}

/** The sessions of a folder, the newest first: `--continue` takes the first that it can. */
export function savedSessions(files: Files, place: Place): SavedSession[] {
  const found = projectFolders(files, place).flatMap((folder) =>
    files.list(folder).flatMap((name) => {
      const id = name.replace(/\.jsonl$/, "");
      return id !== name && IS_ID.test(id) ? [{ id, transcript: join(folder, name) }] : [];
    }),
  );
  return found
    .map((session) => ({ session, modified: files.modified(session.transcript) ?? 0 }))
    .sort((a, b) => b.modified - a.modified)
    .map(({ session }) => session);
}

export const IS_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Where the sessions of a folder are: under its path with dashes. Claude Code ends a long name with a hash. */
function projectFolders(files: Files, place: Place): string[] {
  const name = place.cwd.replace(/[^a-zA-Z0-9]/g, "-");
  if (name.length <= LONGEST_NAME) return [join(projects(place), name)];
  const start = `${name.slice(0, LONGEST_NAME)}-`;
  return allFolders(files, place).filter((folder) => folder.startsWith(join(projects(place), start)));
}

const LONGEST_NAME = 200;

function allFolders(files: Files, place: Place): string[] {
  return files.list(projects(place)).map((name) => join(projects(place), name));
}

function projects({ env, platform }: Place): string {
  return join(claudeFolder(env, platform), "projects");
}

function exists(files: Files, path: string): boolean {
  return files.modified(path) !== undefined;
}
