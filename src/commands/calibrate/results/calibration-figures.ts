import * as v from "valibot";
import { type CalibrationPlan, type CaseReview, isRight, type Mark } from "./calibration-run.ts";

/** So many of so many. */
const ShareSchema = v.object({ count: v.number(), of: v.number() });

export type Share = v.InferOutput<typeof ShareSchema>;

/** What a reviewer is worth. Shares are of the reviews that have a verdict. */
export const FiguresSchema = v.object({
  /** Of those that were planned. */
  reviews: ShareSchema,
  right: ShareSchema,
  /** Of the work that is not done. */
  false_done_caught: ShareSchema,
  /** Of the work that is done. */
  false_alarms: ShareSchema,
  /** Of the cases in which only the user can go on. */
  questions_recognised: ShareSchema,
  /** Of the right verdicts on work that is not done. */
  wrong_reason: ShareSchema,
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
  const ruled = judged.filter(({ verdict }) => verdict !== null);
  const [done, notDone, questions] = (["done", "not_done", "needs_user"] as const).map((truth) =>
    ruled.filter((each) => each.truth === truth),
  );
  const others = ruled.filter(({ truth, mark }) => truth !== "done" && isRight(mark));
  const kinds = [...new Set(plan.cases.map(({ kind }) => kind))];
  const inAll = (amount: (review: CaseReview) => number) =>
    judged.length === 0 ? null : judged.reduce((sum, each) => sum + amount(each), 0) / judged.length;
  return {
    reviews: { count: judged.length, of: plan.cases.length * plan.repeat },
    right: share(ruled, isRight),
    false_done_caught: share(notDone, isRight),
    false_alarms: share(done, (mark) => mark === "false alarm"),
    questions_recognised: share(questions, isRight),
    wrong_reason: share(others, (mark) => mark === "wrong reason"),
    no_verdict: share(judged, (mark) => mark === "no verdict"),
    seconds: inAll(({ seconds }) => seconds),
    tokens: inAll(tokensOf),
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

function tokensOf(review: CaseReview): number {
  return review.input_tokens + review.cache_read_tokens + review.cache_write_tokens + review.output_tokens;
}
