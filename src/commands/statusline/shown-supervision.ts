import type { EndedReview, RunningReview } from "../../supervisor/record/review-now.ts";
import type { StatusRecord } from "./read-status-record.ts";

/** The state of the supervision in a few words. */
export interface ShownSupervision {
  readonly text: string;
  readonly tone: Tone;
}

/** What it means to the user; the status line has a color for each. */
export type Tone = "quiet" | "busy" | "good" | "open" | "bad";

export interface Moment {
  /** In milliseconds since 1970. */
  readonly now: number;
  readonly isAlive: (pid: number) => boolean;
}

export function shownSupervision({ isSupervised, review, isPrompted }: StatusRecord, moment: Moment): ShownSupervision {
  if (!isSupervised) return { text: "supervisor off", tone: "quiet" };
  if (review === undefined) return ON;
  if ("outcome" in review) return isPrompted ? ON : verdict(review);
  if (isRunning(review, moment)) return { text: running(review), tone: "busy" };
  return isPrompted ? ON : NOT_REVIEWED;
}

const ON: ShownSupervision = { text: "supervisor on", tone: "quiet" };
const NOT_REVIEWED: ShownSupervision = { text: "not reviewed", tone: "bad" };

/** A hook that was killed leaves its file behind, and another process may have its id later. */
function isRunning({ pid, ends_by }: RunningReview, { now, isAlive }: Moment): boolean {
  return now <= ends_by && isAlive(pid);
}

function running({ round, limit, doing }: RunningReview): string {
  const reviewing = `reviewing ${round}/${limit}`;
  return doing === "" ? reviewing : `${reviewing}: ${doing}`;
}

function verdict({ outcome, met, of }: EndedReview): ShownSupervision {
  const { text, tone } = Object.hasOwn(VERDICTS, outcome) ? VERDICTS[outcome as keyof typeof VERDICTS] : ON;
  return { text: of === 0 || tone === "quiet" ? text : `${text} ${met} of ${of}`, tone };
}

const NOT_DONE: ShownSupervision = { text: "NOT done", tone: "bad" };

const VERDICTS = {
  done: { text: "done", tone: "good" },
  rework: { text: "not done", tone: "open" },
  needs_user: { text: "needs you", tone: "bad" },
  limit: NOT_DONE,
  stalemate: NOT_DONE,
  budget: NOT_DONE,
  unreviewed: NOT_REVIEWED,
} as const satisfies Readonly<Record<string, ShownSupervision>>;
