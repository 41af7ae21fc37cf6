import { totalTokens } from "../../claude/token-usage.ts";
import type { Changes } from "../baseline/changes.ts";
import { bestEffort } from "../best-effort.ts";
import { checkSession } from "../checks/check-session.ts";
import { checkFeedback, checkLabel } from "../checks/describe-checks.ts";
import { isNoticed } from "../ledger/criterion.ts";
import { doneMeans } from "../ledger/done-means.ts";
import { openLedger, withNoticed } from "../ledger/ledger.ts";
import { addCost, NO_COST } from "../record/review-cost.ts";
import { type DoneMark, type ReviewNote, type Round, recordReview } from "../record/state.ts";
import { limitReached } from "./announcement.ts";
import { askForVerdict } from "./ask-for-verdict.ts";
import { suspicionsIn } from "./changed-files.ts";
import { claimReview } from "./claim-review.ts";
import { decideOutcome, isOver } from "./decide-outcome.ts";
import { NOT_LOOKED, type Outcome } from "./outcome.ts";
import { reviewProgress } from "./review-progress.ts";
import type { Session, Stop } from "./supervised-stop.ts";

/** Reviews a stop, if the limits allow: state → checks → request → reviewer → verdict → ledger → outcome. */
export async function reviewStop(session: Session, stop: Stop): Promise<Outcome> {
  const { log, options } = session;
  session.note({ limit: options.maxIterations, agentTokens: stop.agentTokens });
  const { round: claimed, place } = claimReview(session, stop);
  const remember = (note: ReviewNote) =>
    bestEffort(
      log.say,
      "save the verdict",
      () => place && recordReview(place, note, session.world.now().toISOString()),
    );
  const changes = await stop.changes();
  session.note({ changes });
  const prompts = stop.asked.prompts.length;
  const round = { ...claimed, ledger: withNoticed(claimed.ledger, { prompts, noticed: suspicionsIn(changes) }) };
  // Whatever ends this stop, even a hook that is killed: the user's next prompt must not hide what was done to the tests.
  if ([claimed, round].some(({ ledger }) => ledger.criteria.some(isNoticed)))
    remember({ ledger: round.ledger, cost: NO_COST });
  if (round.number !== undefined) return reviewRound(session, stop, { round, changes, remember });
  log.say(`NOT done: ${limitReached(options.maxIterations)}`);
  return { kind: "limit", criteria: round.ledger.criteria, total: round.cost, feedback: round.earlier.at(-1) };
}

interface OpenRound {
  readonly round: Round;
  readonly changes: Changes;
  readonly remember: (note: ReviewNote) => void;
}

async function reviewRound(session: Session, stop: Stop, { round, changes, remember }: OpenRound): Promise<Outcome> {
  const { world, log, options, project } = session;
  const known = round.ledger.criteria;
  const clean = session.redactor.known;
  const startedAt = world.now().getTime();
  const took = (tokens: number) => {
    const seconds = Math.ceil((world.now().getTime() - startedAt) / 100) / 10;
    const cost = { seconds, tokens };
    return { cost, times: { seconds, total: addCost(round.cost, cost) } };
  };
  const notLooked = () => ({ ...NOT_LOOKED, ...took(0).times });

  if (isOver(options.budgetTokens, round.tokens)) {
    log.say(`round ${round.number}: no tokens left for a review`);
    const feedback = round.earlier.at(-1) ?? "";
    return { kind: "budget", spent: round.tokens, feedback, ...notLooked(), criteria: known };
  }
  const progress = reviewProgress(session, round.number);
  const limits = { timeoutSeconds: options.checkTimeoutSeconds, clean, say: log.say, onCheck: progress.check };
  const checks = await checkSession({ ...session, ...limits }, stop.changes);
  if (checks === undefined) return { kind: "unreviewed", why: "interrupted while the checks ran", ...notLooked() };
  session.note({ checks });
  const failed = checks.find(({ isPassed }) => !isPassed);
  if (failed !== undefined) {
    const check = clean(checkLabel(failed));
    log.say(`round ${round.number}: check failed: ${check}`);
    remember({ feedback: `A check failed: ${check}.`, cost: took(0).cost });
    const feedback = clean(checkFeedback(failed, project));
    return { kind: "rework", round: round.number, feedback, check, ...notLooked(), criteria: known };
  }

  const ledger = openLedger(round.ledger, {
    prompts: stop.asked.prompts.length,
    isSettled: round.isSettled,
    standing: doneMeans(session.instructions.text),
    stated: stop.asked.prompts.slice(round.ledger.prompts).flatMap(doneMeans),
    noticed: suspicionsIn(changes),
  });
  const asked = await askForVerdict(session, stop, { round, checks, changes, ledger, progress });
  const { usage, looked, reviewer } = asked;
  const { cost, times } = took(totalTokens(usage));
  if ("failure" in asked) {
    remember({ cost });
    return { kind: "unreviewed", why: asked.failure, cause: asked.cause, usage, ...times, looked, reviewer };
  }
  const { verdict } = asked;
  session.note({ feedback: verdict.feedback });
  const outcome = decideOutcome({
    verdict,
    round: round.number,
    before: ledger.criteria,
    criteria: asked.ledger.criteria,
    spent: round.tokens + cost.tokens,
    options,
    ...{ usage, ...times, looked, reviewer, instead: asked.instead },
  });
  log.say(`round ${round.number}: ${outcome.kind === "rework" ? "not done" : outcome.kind.replace("_", " ")}`);
  const isDone = outcome.kind === "done";
  const done = isDone ? doneMark(stop, changes) : undefined;
  remember({ ...(isDone ? {} : { feedback: verdict.feedback }), ledger: asked.ledger, cost, isDone, done });
  return outcome;
}

/** What must be the same at a later stop for this verdict to hold. */
function doneMark({ recorded }: Stop, changes: Changes): DoneMark | undefined {
  if (recorded === undefined) return undefined;
  return { prompts: recorded, files: "tree" in changes ? changes.tree : null };
}
