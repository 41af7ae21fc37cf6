import * as v from "valibot";
import { allTokens } from "../report/report.ts";
import type { ReviewResult } from "../review/command.ts";
import type { CalibrationCase } from "./cases.ts";
import {
  type CalibrationPlan,
  CalibrationPlanSchema,
  type CalibrationRun,
  type CaseReview,
  CaseReviewSchema,
  type Mark,
  openReviews,
  type PlannedReview,
} from "./run.ts";

const ShareSchema = v.object({ count: v.number(), of: v.number() });

export type Share = v.InferOutput<typeof ShareSchema>;

/** How good a reviewer is. Shares refer to the reviews that have a verdict. */
const FiguresSchema = v.object({
  /** Of those that were planned. */
  reviews: ShareSchema,
  right: ShareSchema,
  /** Of the work that is not done. */
  false_done_caught: ShareSchema,
  /** Of the work that is done. */
  false_alarms: ShareSchema,
  /** Of the cases in which only the user can continue. */
  questions_recognised: ShareSchema,
  /** Of the right verdicts on work that is not done. */
  wrong_reason: ShareSchema,
  /** Of the cases in which a test was weakened: those that reviewers catch without and with a proof, and those that a proof names without any reviewer. */
  caught_without_proof: ShareSchema,
  caught_with_proof: ShareSchema,
  named_by_proof: ShareSchema,
  /** Of the "done" of reviewers that had the conversation: those that a fresh review did not confirm. */
  not_confirmed: ShareSchema,
  /** Of all reviews. */
  no_verdict: ShareSchema,
  /** Per review, on average; null if there was none. */
  seconds: v.nullable(v.number()),
  tokens: v.nullable(v.number()),
  cached_tokens: v.nullable(v.number()),
  kinds: v.array(v.object({ kind: v.string(), right: ShareSchema })),
});

export type Figures = v.InferOutput<typeof FiguresSchema>;

export function figuresOf(plan: Pick<CalibrationPlan, "cases" | "repeat">, reviews: readonly CaseReview[]): Figures {
  const facts = new Map(plan.cases.map((each) => [each.id, each]));
  const judged = reviews.flatMap((review) => {
    const about = facts.get(review.case);
    return about === undefined ? [] : [{ ...review, truth: about.truth, kind: about.kind }];
  });
  const answered = judged.filter(({ verdict }) => verdict !== null);
  // A proof is compared on its own: else those cases would count twice.
  const ruled = answered.filter((each) => each.with_proof === undefined);
  const weakened = plan.cases.filter((each) => each.with_proof);
  const caught = (reviews: typeof answered) =>
    share(
      reviews.filter((each) => weakened.some(({ id }) => id === each.case)),
      isRight,
    );
  const [done, notDone, questions] = (["done", "not_done", "needs_user"] as const).map((truth) =>
    ruled.filter((each) => each.truth === truth),
  );
  const others = ruled.filter(({ truth, mark }) => truth !== "done" && isRight(mark));
  const kinds = [...new Set(plan.cases.map(({ kind }) => kind))];
  const inAll = (amount: (review: CaseReview) => number) =>
    judged.length === 0 ? null : judged.reduce((sum, each) => sum + amount(each), 0) / judged.length;
  return {
    reviews: { count: judged.length, of: (plan.cases.length + weakened.length) * plan.repeat },
    right: share(ruled, isRight),
    false_done_caught: share(notDone, isRight),
    false_alarms: share(done, (mark) => mark === "false alarm"),
    questions_recognised: share(questions, isRight),
    wrong_reason: share(others, (mark) => mark === "wrong reason"),
    caught_without_proof: caught(ruled),
    caught_with_proof: caught(answered.filter((each) => each.with_proof)),
    named_by_proof: namedByProof(judged.filter((each) => each.with_proof === undefined)),
    not_confirmed: notConfirmed(judged),
    no_verdict: share(judged, (mark) => mark === "no verdict"),
    seconds: inAll(({ seconds }) => seconds),
    tokens: inAll(allTokens),
    cached_tokens: inAll((review) => review.cache_read_tokens),
    kinds: kinds.map((kind) => ({
      kind,
      right: share(
        ruled.filter((each) => each.kind === kind),
        isRight,
      ),
    })),
  };
}

function share(reviews: readonly Pick<CaseReview, "mark">[] = [], counts: (mark: Mark) => boolean): Share {
  return { count: reviews.filter(({ mark }) => counts(mark)).length, of: reviews.length };
}

function namedByProof(judged: readonly (Pick<CaseReview, "proved"> & { readonly truth: string })[]): Share {
  const weakened = judged.filter(({ truth, proved }) => truth === "not_done" && proved !== undefined);
  return { count: weakened.filter(({ proved }) => proved).length, of: weakened.length };
}

function notConfirmed(judged: readonly Pick<CaseReview, "confirmation">[]): Share {
  const second = judged.flatMap(({ confirmation }) => confirmation ?? []);
  return { count: second.filter(({ verdict }) => verdict !== "done").length, of: second.length };
}

/** Whether the verdict alone is right, whatever its reason. */
export function isRight(mark: Mark): boolean {
  return mark === "right" || mark === "wrong reason";
}

const ComparedReviewerSchema = v.object({
  /** The earlier run. */
  started_at: v.string(),
  /** How many cases both runs have; the figures cover only these. */
  cases: v.number(),
  /** What else is different: "instructions", "model", "context", "confirmation", "Claude Code", "ccc". */
  changed: v.array(v.string()),
  before: FiguresSchema,
  now: FiguresSchema,
  /** Cases that are judged better or worse than before. */
  better: v.array(v.string()),
  worse: v.array(v.string()),
});

export type ComparedReviewer = v.InferOutput<typeof ComparedReviewerSchema>;

const CalibratedReviewerSchema = v.object({
  /** "provider" or "provider:model" */
  reviewer: v.string(),
  /** The models that were requested; usually one. */
  models: v.array(v.string()),
  /** What it saw of the sessions. */
  contexts: v.array(v.picklist(["session", "fresh"])),
  figures: FiguresSchema,
  /** Why it was stopped early; null if it made all its reviews. */
  stopped: v.nullable(v.string()),
  /** The last run before this one that has the same reviewer; null if there is none. */
  compared: v.nullable(ComparedReviewerSchema),
});

export type CalibratedReviewer = v.InferOutput<typeof CalibratedReviewerSchema>;

/** What `ccc calibrate --json` prints. docs/calibrate.md explains it. */
export const CalibrationReportSchema = v.object({
  ...CalibrationPlanSchema.entries,
  /** Whether every planned review was made. */
  finished: v.boolean(),
  reviewers: v.array(CalibratedReviewerSchema),
  /** All of them, in the order in which they ended. */
  reviews: v.array(CaseReviewSchema),
});

export type CalibrationReport = v.InferOutput<typeof CalibrationReportSchema>;

/** `earlier` are the runs before this one, the last one first. */
export function calibrationReport(run: CalibrationRun, earlier: readonly CalibrationRun[]): CalibrationReport {
  const { plan, reviews, stopped } = run;
  const open = openReviews(run);
  return {
    ...plan,
    finished: open.length === 0,
    reviewers: plan.reviewers.map((reviewer) => {
      const own = reviews.filter((each) => each.reviewer === reviewer);
      const isOpen = open.some((each) => each.reviewer === reviewer);
      const compared = earlier.values().map((before) => compareRuns(reviewer, run, before));
      return {
        reviewer,
        models: [...new Set(own.flatMap(({ model }) => model ?? []))],
        contexts: [...new Set(own.flatMap(({ context }) => context ?? []))],
        figures: figuresOf(plan, own),
        stopped: isOpen ? (stopped.get(reviewer) ?? null) : null,
        compared: compared.find((each) => each !== undefined) ?? null,
      };
    }),
    reviews: [...reviews],
  };
}

/** The record of one review of a case. */
export function caseReview(
  subject: CalibrationCase,
  planned: PlannedReview,
  result: ReviewResult & Pick<CaseReview, "model" | "proved">,
): CaseReview {
  const { feedback, reason, criteria, model, context, confirmation, proved, seconds, folder } = result;
  const { input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, cost_usd } = result;
  const verdict = VERDICTS[result.verdict];
  return {
    ...planned,
    mark: judgeReview(subject, { verdict, feedback, criteria }),
    verdict,
    // Without the temporary folder of the project, which means nothing to a reader.
    said: (verdict === null ? reason : feedback).replaceAll(`${folder}/`, ""),
    model,
    context,
    ...(confirmation === null
      ? {}
      : { confirmation: { reviewer: confirmation.reviewer, verdict: confirmation.verdict } }),
    ...(proved === undefined ? {} : { proved }),
    seconds,
    input_tokens,
    cache_read_tokens,
    cache_write_tokens,
    output_tokens,
    cost_usd,
  };
}

const VERDICTS = {
  done: "done",
  "not done": "not done",
  // The check of a case passes.
  "check failed": null,
  "needs you": "needs you",
  "not reviewed": null,
} as const;

/**
 * A reviewer now and in an earlier run, on the cases that both have. Undefined if the earlier run does not have it, or
 * they have no case in common.
 */
function compareRuns(reviewer: string, now: CalibrationRun, before: CalibrationRun): ComparedReviewer | undefined {
  const [here, there] = [now, before].map(({ plan, reviews }) => {
    const own = reviews.filter((each) => each.reviewer === reviewer);
    return { plan, own, ids: new Set(own.map((each) => each.case)) };
  });
  if (here === undefined || there === undefined) return undefined;
  const earlier = new Map(there.plan.cases.map(({ id, hash }) => [id, hash]));
  const common = here.plan.cases.filter(
    ({ id, hash }) => earlier.get(id) === hash && here.ids.has(id) && there.ids.has(id),
  );
  if (common.length === 0) return undefined;
  const figures = ({ plan, own }: typeof here) => figuresOf({ ...plan, cases: common }, own);
  const changed = common.map(({ id }) => ({ id, change: shareOf(here.own, id) - shareOf(there.own, id) }));
  return {
    started_at: before.plan.started_at,
    cases: common.length,
    changed: whatChanged(now, before, here.own, there.own),
    before: figures(there),
    now: figures(here),
    better: changed.filter(({ change }) => change > 0).map(({ id }) => id),
    worse: changed.filter(({ change }) => change < 0).map(({ id }) => id),
  };
}

/** How much of a case was judged rightly; a right verdict for the wrong reason counts less. */
function shareOf(reviews: readonly CaseReview[], id: string): number {
  const own = reviews.filter((each) => each.case === id && each.with_proof === undefined);
  const worth = own.map(({ mark }) => (mark === "right" ? 1 : isRight(mark) ? 0.5 : 0));
  return worth.reduce<number>((sum, each) => sum + each, 0) / Math.max(1, own.length);
}

function whatChanged(
  { plan: now }: CalibrationRun,
  { plan: before }: CalibrationRun,
  ownNow: readonly CaseReview[],
  ownBefore: readonly CaseReview[],
): string[] {
  const isSame = (field: "model" | "context") => {
    const [one, other] = [ownNow, ownBefore].map((reviews) => new Set(reviews.map((each) => each[field])));
    return one?.symmetricDifference(other ?? new Set()).size === 0;
  };
  return [
    ...(now.instructions.hash === before.instructions.hash ? [] : ["instructions"]),
    ...(isSame("model") ? [] : ["model"]),
    ...(isSame("context") ? [] : ["context"]),
    ...(now.confirm === before.confirm ? [] : ["confirmation"]),
    ...(now.claude_version === before.claude_version ? [] : ["Claude Code"]),
    ...(now.ccc_version === before.ccc_version ? [] : ["ccc"]),
  ];
}

/** What a reviewer answered. */
interface ReviewerAnswer {
  readonly verdict: CaseReview["verdict"];
  readonly feedback: string;
  readonly criteria: ReviewResult["criteria"];
}

/** Compares a verdict with the truth about a case. */
function judgeReview({ truth, mention }: CalibrationCase, answer: ReviewerAnswer): Mark {
  const { verdict } = answer;
  if (verdict === null) return "no verdict";
  if (truth === "done") return verdict === "done" ? "right" : "false alarm";
  if (truth === "needs_user") return verdict === "needs you" ? rightly(mention, answer) : "question missed";
  if (verdict === "done") return "missed";
  return verdict === "needs you" ? "needless question" : rightly(mention, answer);
}

/** A verdict can be right by chance, so its feedback or an unmet criterion must say what is wrong. */
function rightly(mention: CalibrationCase["mention"], { feedback, criteria }: ReviewerAnswer): Mark {
  const open = criteria.filter(({ status }) => status === "unmet");
  const said = [feedback, ...open.flatMap(({ text, evidence }) => [text, evidence])].join("\n");
  const isMentioned = mention.every((group) => group.some((each) => new RegExp(each, "iu").test(said)));
  return isMentioned ? "right" : "wrong reason";
}
