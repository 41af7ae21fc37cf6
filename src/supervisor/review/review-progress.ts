import type { StreamEvent } from "../../claude/stream.ts";
import { oneLine } from "../../text/one-line.ts";
import { bestEffort } from "../best-effort.ts";
import type { RunningReview } from "../record/review-now.ts";
import type { Session } from "./supervised-stop.ts";

type Shown = Pick<Session, "world" | "now" | "log" | "redactor" | "reviewers" | "checks" | "options" | "onStep">;

export interface ReviewProgress {
  readonly begin: () => void;
  readonly check: (command: string) => void;
  readonly read: (event: StreamEvent) => void;
}

/** Writes down what a review does, for the status line, and tells whoever waits for it. If that fails, the review goes on without. */
export function reviewProgress(session: Shown, round: number): ReviewProgress {
  const { world, log, redactor, options } = session;
  const ends_by = world.now().getTime() + longestReviewMs(session);
  let path = session.now;
  const show = (what: string) => {
    const doing = shortStep(redactor.text(what));
    session.onStep?.(doing);
    const running: RunningReview = { pid: world.pid, round, limit: options.maxIterations, doing, ends_by };
    const isSaved = bestEffort(log.say, "save what the review does", () => {
      if (path !== undefined) world.files.writePrivate(path, `${JSON.stringify(running)}\n`);
      return true;
    });
    if (!isSaved) path = undefined;
  };
  const begin = () => show("");
  begin();
  return {
    begin,
    check: (command: string) => show(`check ${command}`),
    read: (event: StreamEvent) => {
      const step = stepOf(event);
      if (step !== undefined) show(step);
    },
  };
}

/** What a line of the reviewer's stream says about what it does now. */
function stepOf(event: StreamEvent): string | undefined {
  if (event.kind === "retry")
    return event.status === undefined ? "server not reached, trying again" : `HTTP ${event.status}, trying again`;
  const call = event.kind === "text" ? event.tools.at(-1) : undefined;
  return call && `${call.name} ${call.what}`;
}

/** A step that is cut must have been redacted before: half a key would not be recognized. */
function shortStep(step: string): string {
  return oneLine(step).slice(0, LONGEST_STEP);
}

const LONGEST_STEP = 200;

function longestReviewMs({ reviewers, checks, options }: Shown): number {
  const seconds = reviewers.length * options.timeoutSeconds + checks.commands.length * options.checkTimeoutSeconds;
  return (seconds + MARGIN_SECONDS) * 1000;
}

/** Time for what a review does besides. */
const MARGIN_SECONDS = 60;
