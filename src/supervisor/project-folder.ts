import { dirname, join, relative, sep } from "node:path";
import type { Files, GuardedFiles } from "../os/files.ts";
import { STATE_FOLDER } from "./hook-options.ts";

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
