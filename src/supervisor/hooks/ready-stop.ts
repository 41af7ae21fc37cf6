import type { Outcome, SkipReason } from "../review/outcome.ts";
import type { Session, Stop } from "../review/review-stop.ts";

/** What every review by a hook needs, with or without a session record. */
export type HookSession = Pick<Session, "world" | "id" | "project" | "files" | "outputFile" | "log" | "redactor">;

export interface ReadyStop {
  readonly session: Session;
  readonly stop: Stop;
  /** Why it needs no review. */
  readonly skipped: SkipReason | undefined;
  /** Records how the stop ended. */
  readonly close: (outcome: Outcome) => void;
}
