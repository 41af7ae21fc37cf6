import type { ReviewContext } from "../../../config/defaults.ts";
import type { LoadedConfig } from "../../../config/load.ts";
import { readSessionFacts } from "../../../supervisor/record/read-transcript.ts";
import type { Instructions } from "../../../supervisor/review/instructions.ts";
import type { Redactor } from "../../../text/redactor.ts";
import type { World } from "../../../world.ts";
import type { PreparedReviewers } from "../../review/prepare-reviewers.ts";
import { reviewSession, type SessionReview } from "../../review/review-session.ts";
import type { CaseSession } from "./case-session.ts";

export interface CaseOrder {
  readonly loaded: LoadedConfig;
  readonly reviewers: PreparedReviewers;
  readonly instructions: Instructions;
  readonly context: ReviewContext;
  readonly redactor: Redactor;
  readonly usesLogin: boolean;
}

/** Reviews the session of a case like any other that the user has. */
export async function reviewCase(world: World, session: CaseSession, order: CaseOrder): Promise<SessionReview> {
  const { id, transcript, project, paths, configFolder, scratch } = session;
  // A login belongs to the user's own configuration folder, and a fresh reviewer needs nothing of the session's.
  const folder = order.usesLogin ? {} : { CLAUDE_CONFIG_DIR: configFolder };
  const there: World = { ...world, cwd: project, env: { ...world.env, ...folder, TMPDIR: scratch } };
  // A review that comes late would otherwise not get the conversation.
  world.files.touch(transcript);
  return reviewSession(there, {
    ...order,
    session: { id, transcript, facts: await readSessionFacts(transcript) },
    paths,
    checks: { commands: [], left_out: [] },
    onStep: () => {},
    onTrouble: () => {},
  });
}
