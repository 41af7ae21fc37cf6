import type { Outcome, SkipReason } from "../review/outcome.ts";
import type { Session, Stop } from "../review/supervised-stop.ts";

/** What every review by a hook needs, with or without a session record. */
export type HookSession = Pick<Session, "world" | "id" | "project" | "files" | "outputFile" | "log" | "redactor">;

export interface ReadyStop {
  readonly session: Session;
  readonly stop: Stop;
  /** Why it needs no review. */
  readonly skipped: SkipReason | undefined;
  /** Whether this Claude Code lets a Stop hook give feedback without calling it an error. */
  readonly takesFeedback: boolean;
  /** Notifies the user of the end of a run; returns what the terminal gets, if anything. The message has no secrets. */
  readonly notify: (outcome: Outcome, message: string) => Promise<string | undefined>;
  /** Records how the stop ended. */
  readonly close: (outcome: Outcome) => void;
}
