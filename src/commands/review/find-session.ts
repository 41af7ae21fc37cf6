import { dirname } from "node:path";
import type { Place } from "../../claude/layers.ts";
import { transcriptsSince } from "../../claude/recent-transcripts.ts";
import type { SessionFacts } from "../../claude/session-facts.ts";
import { IS_ID, type SavedSession, savedSessions } from "../../claude/sessions.ts";
import { CccError, EXIT, usageError } from "../../errors.ts";
import { shellWord } from "../../launch/shell.ts";
import type { Files } from "../../os/files.ts";
import { printable } from "../../supervisor/checks/describe-checks.ts";

export interface FoundSession extends SavedSession {
  readonly facts: SessionFacts;
}

/** The session that a user means: by its id or the beginning of it, else the last one in this folder that has an answer. */
export async function findSession(
  word: string | undefined,
  files: Files,
  place: Place,
  read: (transcript: string) => Promise<SessionFacts>,
): Promise<FoundSession> {
  const own = savedSessions(files, place);
  if (word === undefined) return lastSession(own, files, place, read);
  const session = namedSession(word, own, files, place);
  refuseUnreadable(session, files);
  const facts = await read(session.transcript);
  const why = nothingIn(facts);
  if (why !== undefined) {
    throw new CccError(`session ${session.id} has ${why}, so there is nothing to review`, {
      exitCode: EXIT.notReviewed,
    });
  }
  const [folder = ""] = facts.folders;
  if (!facts.folders.includes(place.cwd)) {
    throw usageError(
      `session ${session.id} belongs to another folder: ${printable(folder)}`,
      `Review it there: cd ${printable(shellWord(folder))} && ccc review ${session.id}`,
    );
  }
  return { ...session, facts };
}

/** Folders with similar paths share a folder of transcripts, and a session may have ended before it began. */
async function lastSession(
  own: readonly SavedSession[],
  files: Files,
  place: Place,
  read: (transcript: string) => Promise<SessionFacts>,
): Promise<FoundSession> {
  for (const session of own.slice(0, MOST_TRIED)) {
    refuseUnreadable(session, files);
    const facts = await read(session.transcript);
    if (facts.folders.includes(place.cwd) && nothingIn(facts) === undefined) return { ...session, facts };
  }
  const above = folderAbove(files, place);
  throw new CccError(`Claude Code has no session with an answer in ${place.cwd}, so there is nothing to review`, {
    exitCode: EXIT.notReviewed,
    advice:
      above === undefined
        ? "Start one here with ccc, or go to the folder that you started it in."
        : `There is one in ${above}: cd ${shellWord(above)} && ccc review`,
  });
}

const MOST_TRIED = 20;

function refuseUnreadable({ transcript }: SavedSession, files: Files): void {
  if (files.entry(transcript)?.isReadable === false) throw new CccError(`cannot read ${transcript}: permission denied`);
}

function nothingIn({ prompts, hasAnswer }: SessionFacts): string | undefined {
  if (!prompts.some(({ byUser }) => byUser)) return "no prompt of yours";
  return hasAnswer ? undefined : "no answer of the agent";
}

function folderAbove(files: Files, place: Place): string | undefined {
  for (let folder = dirname(place.cwd); folder !== dirname(folder); folder = dirname(folder))
    if (savedSessions(files, { ...place, cwd: folder }).length > 0) return folder;
  return undefined;
}

function namedSession(word: string, own: readonly SavedSession[], files: Files, place: Place): SavedSession {
  const wanted = word.toLowerCase();
  const begins = ({ id }: SavedSession) => wanted !== "" && id.toLowerCase().startsWith(wanted);
  const here = own.filter(begins);
  const others = () =>
    transcriptsSince(files, place, 0).map(({ session: id, path: transcript }) => ({ id, transcript }));
  const found = here.length > 0 ? here : others().filter((each) => IS_ID.test(each.id) && begins(each));
  const [session] = found;
  if (session === undefined) {
    const [last] = own;
    throw usageError(
      `no session begins with "${word.slice(0, LONGEST_SHOWN)}"`,
      last === undefined ? "Claude Code has none in this folder." : `The last one in this folder is ${last.id}.`,
    );
  }
  if (found.length > 1) {
    const ids = found.slice(0, MOST_SHOWN).map(({ id }) => id);
    throw usageError(`${found.length} sessions begin with "${word}"`, `Type more of the id: ${ids.join(", ")}`);
  }
  return session;
}

const MOST_SHOWN = 5;
const LONGEST_SHOWN = 40;
