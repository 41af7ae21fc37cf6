import { type SessionLog, sessionSteps } from "../../claude/session-steps.ts";
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
  /** The agent's last words, if Claude Code reported them: they may not be in the transcript yet. */
  readonly lastMessage: string | undefined;
}): Promise<Evidence> {
  const { project, transcript } = session;
  const { steps, lastMessage, isPartial } = transcript === undefined ? NOTHING : await readLog(transcript);
  return { project, transcript, steps, isPartial, lastMessage: session.lastMessage ?? lastMessage };
}

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
