/** The sessions that Claude Code has saved, and what ties a process to one. */
import type { Files } from "../os/files.ts";
import { join } from "../os/path.ts";
import type { Env } from "../world.ts";
import { claudeFolder, type Place } from "./layers.ts";

/** Safe as a file name. */
export const SESSION_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/** The ids that Claude Code itself gives to sessions. */
export const IS_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** A session that Claude Code has saved. */
export interface SavedSession {
  readonly id: string;
  readonly transcript: string;
}

/** The session with this id, if any, in any folder, as Claude Code finds it. */
export function savedSession(files: Files, place: Place, id: string): SavedSession | undefined {
  if (!IS_ID.test(id)) return undefined;
  const own = projectFolders(files, place);
  const folders = [...own, ...allFolders(files, place).filter((folder) => !own.includes(folder))];
  const transcript = folders.map((folder) => join(folder, `${id}${EXTENSION}`)).find((path) => files.exists(path));
  return transcript === undefined ? undefined : { id, transcript };
}

/** The sessions of a folder, newest first: `--continue` takes the first that it can. */
export function savedSessions(files: Files, place: Place): SavedSession[] {
  return projectFolders(files, place)
    .flatMap((folder) => transcriptsIn(files, folder))
    .filter(({ id }) => IS_ID.test(id))
    .map((session) => ({ session, modified: files.modified(session.transcript) ?? 0 }))
    .sort((a, b) => b.modified - a.modified)
    .map(({ session }) => session);
}

/** The sessions of all projects whose transcripts were modified since a time in milliseconds. */
export function transcriptsSince(files: Files, place: Pick<Place, "env" | "platform">, since: number): SavedSession[] {
  return (
    allFolders(files, place)
      .filter((folder) => files.identify(folder)?.isFolder)
      .flatMap((folder) => transcriptsIn(files, folder))
      // Older versions keep the conversations of delegated agents beside them.
      .filter(({ id, transcript }) => !id.startsWith("agent-") && (files.modified(transcript) ?? 0) >= since)
  );
}

/** Whether a hook's session runs in a terminal, not with `-p`. */
export function isTerminalSession(env: Env): boolean {
  return !env.CLAUDE_CODE_ENTRYPOINT?.startsWith("sdk");
}

/** An environment without traces of the session that ccc runs in. */
export function withoutSession(env: Env): Record<string, string | undefined> {
  const own: Record<string, string | undefined> = { ...env };
  for (const name of BOUND) delete own[name];
  return own;
}

/** In the environment of what tools and hooks of a session run, but not of its key helper. */
export const TOOL_MARKER = "CLAUDECODE";

/** Variables that tie a process to the session that started it, such as its sockets and tokens. */
const BOUND = [
  "AI_AGENT",
  TOOL_MARKER,
  "CLAUDE_CODE_AGENT",
  "CLAUDE_CODE_CHILD_SESSION",
  "CLAUDE_CODE_ENTRYPOINT",
  "CLAUDE_CODE_EXECPATH",
  "CLAUDE_CODE_MESSAGING_SOCKET",
  "CLAUDE_CODE_MESSAGING_TOKEN",
  "CLAUDE_CODE_SESSION_ATTENDED",
  "CLAUDE_CODE_SESSION_ID",
  "CLAUDE_CODE_SSE_PORT",
  "CLAUDE_EFFORT",
  "CLAUDE_ENV_FILE",
  "CLAUDE_PID",
  "CLAUDE_PROJECT_DIR",
];

/** Where the sessions of a folder are: under its path with dashes. Claude Code ends a long name with a hash. */
function projectFolders(files: Files, place: Place): string[] {
  const name = place.cwd.replace(/[^a-zA-Z0-9]/g, "-");
  if (name.length <= LONGEST_NAME) return [join(projects(place), name)];
  const start = `${name.slice(0, LONGEST_NAME)}-`;
  return allFolders(files, place).filter((folder) => folder.startsWith(join(projects(place), start)));
}

const LONGEST_NAME = 200;

function allFolders(files: Files, place: Pick<Place, "env" | "platform">): string[] {
  return files.list(projects(place)).map((name) => join(projects(place), name));
}

function projects({ env, platform }: Pick<Place, "env" | "platform">): string {
  return join(claudeFolder(env, platform), "projects");
}

function transcriptsIn(files: Files, folder: string): SavedSession[] {
  return files
    .list(folder)
    .filter((name) => name.endsWith(EXTENSION))
    .map((name) => ({ id: name.slice(0, -EXTENSION.length), transcript: join(folder, name) }));
}

const EXTENSION = ".jsonl";
