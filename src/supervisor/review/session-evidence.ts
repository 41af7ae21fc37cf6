import { type SessionLog, sessionSteps } from "../../claude/session-steps.ts";
import { pause } from "../../os/pause.ts";
import { readTranscriptEnd } from "../record/read-transcript.ts";
import type { Evidence } from "./review-message.ts";

/** The steps at the end of a session. */
interface EndOfSession extends SessionLog {
  /** Whether earlier ones were not read. */
  readonly isPartial: boolean;
}

/** What the transcript tells about a session. */
export async function sessionEvidence(session: {
  readonly project: string;
  readonly transcript: string | undefined;
  /** The agent's last words, if Claude Code reported them. */
  readonly lastMessage: string | undefined;
}): Promise<Evidence> {
  const { project, transcript } = session;
  const { steps, lastMessage, isPartial } =
    transcript === undefined ? NOTHING : await readUpTo(session.lastMessage, transcript);
  return { project, transcript, steps, isPartial, lastMessage: session.lastMessage ?? lastMessage };
}

/** Claude Code writes the transcript a little later than it reports a stop: the last steps may not be in it yet. */
async function readUpTo(lastMessage: string | undefined, transcript: string): Promise<EndOfSession> {
  const isComplete = ({ lastMessage: read }: SessionLog) =>
    lastMessage === undefined || (read !== "" && lastMessage.trim().endsWith(read.trim()));
  let log = await readLog(transcript);
  for (let tries = 0; tries < MOST_TRIES && !isComplete(log); tries++) {
    await pause(SECONDS_BETWEEN_TRIES);
    log = await readLog(transcript);
  }
  return log;
}

const MOST_TRIES = 20;
const SECONDS_BETWEEN_TRIES = 0.05;

/** All that was done for the user's last prompt, and enough before it for a digest. */
function isEnough({ steps }: SessionLog): boolean {
  return steps.length >= ENOUGH_STEPS && steps.some(({ kind }) => kind === "prompt");
}

const ENOUGH_STEPS = 50;

const NOTHING: EndOfSession = { steps: [], lastMessage: "", isPartial: false };

async function readLog(transcript: string): Promise<EndOfSession> {
  const { reader, isWhole } = await readTranscriptEnd(transcript, sessionSteps, ({ log }) => isEnough(log()));
  return { ...reader.log(), isPartial: !isWhole };
}
