import { dirname, join, relative, sep } from "node:path";
import { messageOf } from "../errors.ts";
import type { Files } from "../os/files.ts";
import type { GuardedFiles } from "../os/locks.ts";

// What ccc leaves in a supervised project: a folder with state, output and log. Reviews do not depend on it.

export const STATE_FOLDER = ".claude/ccc";
export const LOG_NAME = "supervisor.log";

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

/** Removes the files of sessions that nobody has continued for a long time. Returns how many files. */
export function removeOldSessionFiles(files: Files, project: string, untouchedMs: number): number {
  const isSessions = (name: string) => SESSION_FILE.test(name);
  try {
    return files.guarded(project).removeOld(stateFolder(project), isSessions, untouchedMs);
  } catch {
    // A link, or a folder that cannot be read or written: ccc has left nothing there.
    return 0;
  }
}

/** State and output files, with older parts set aside and locks. */
const SESSION_FILE = /^supervisor-[0-9a-f]{8}-[\w.-]+\.jsonl?(\.1|\.lock)?$/;

/** For a folder that existed before: it may have files that are not ccc's. */
const OWN_FILES = "supervisor-*\nsupervisor.log*\n.gitignore\n";

/** Messages for people: on stderr, which Claude Code does not show, and in a file. */
export interface SupervisorLog {
  readonly say: (message: string) => void;
}

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
        // The review continues without a log.
      }
    },
  };
}

/** Runs a side effect that a review does not depend on. A failure is only reported: "could not <what>: …". */
export function bestEffort<T>(say: (message: string) => void, what: string, action: () => T): T | undefined {
  try {
    return action();
  } catch (error) {
    say(`could not ${what}: ${messageOf(error)}`);
    return undefined;
  }
}
