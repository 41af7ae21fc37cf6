import * as v from "valibot";
import type { Paths } from "../../config/ccc-paths.ts";
import type { Files } from "../../os/files.ts";
import { parseJson, prettyJson } from "../../text/json.ts";
import { type LaunchRecord, LaunchRecordSchema } from "./launch-record.ts";
import { terminalPath, terminalsFolder } from "./session-record.ts";

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
  files.removeOld(terminalsFolder(paths), () => true, KEPT_MS);
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

const KEPT_MS = 30 * 24 * 3600 * 1000;
const MOST_SESSIONS = 100;
