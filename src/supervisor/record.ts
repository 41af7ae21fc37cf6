import type { Paths } from "../config/paths.ts";
import { join } from "../os/path.ts";

/** The files of the supervisor's own record of a session, out of the agent's way. */
export interface SessionRecord {
  /** What the launch decided, and no file of the project's may change since. */
  readonly launch: string;
  /** The state that counts. */
  readonly state: string;
  /** What the user asked for, one JSON a line. */
  readonly prompts: string;
  /** What the agent has scheduled to be asked later: it arrives like a prompt of the user's. */
  readonly scheduled: string;
  /** Every stop, reviewed or not, one JSON a line. */
  readonly stops: string;
}

export function sessionRecord(paths: Paths, sessionId: string): SessionRecord {
  const folder = join(sessionsFolder(paths), sessionId);
  return {
    launch: join(folder, "launch.json"),
    state: join(folder, "state.json"),
    prompts: join(folder, "prompts.jsonl"),
    scheduled: join(folder, "scheduled.json"),
    stops: join(folder, "stops.jsonl"),
  };
}

export function sessionsFolder({ generated }: Pick<Paths, "generated">): string {
  return join(generated, "sessions");
}
