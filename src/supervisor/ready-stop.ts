import type { Outcome } from "./answer.ts";
import type { Session, Stop } from "./round.ts";

/** What every review of a hook needs, whether or not the session has a record. */
export type HookSession = Pick<Session, "world" | "id" | "project" | "files" | "outputFile" | "log" | "redactor">;

/** A stop that is ready to be reviewed. */
export interface ReadyStop {
  readonly session: Session;
  readonly stop: Stop;
  /** Writes down how the stop ended. */
  readonly close: (outcome: Outcome) => void;
}
