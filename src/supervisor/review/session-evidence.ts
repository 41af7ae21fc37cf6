import { type SessionLog, sessionSteps } from "../../claude/session-steps.ts";
import { readTranscript } from "../record/read-transcript.ts";
import type { Evidence } from "./review-message.ts";

/** What the transcript tells about a session. */
export async function sessionEvidence(session: {
  readonly project: string;
  readonly transcript: string | undefined;
  /** The agent's last words, if Claude Code reported them: they may not be in the transcript yet. */
  readonly lastMessage: string | undefined;
}): Promise<Evidence> {
  const { project, transcript } = session;
  const { steps, lastMessage } = transcript === undefined ? NOTHING : await readLog(transcript);
  return { project, transcript, steps, lastMessage: session.lastMessage ?? lastMessage };
}

const NOTHING: SessionLog = { steps: [], lastMessage: "" };

async function readLog(transcript: string): Promise<SessionLog> {
  const { add, log } = sessionSteps();
  await readTranscript(transcript, add);
  return log();
}
