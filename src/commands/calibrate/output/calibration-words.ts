import { counted, shortCount } from "../../../text/counts.ts";
import { shortDuration } from "../../../text/duration.ts";
import type { Truth } from "../cases/case-schema.ts";
import type { Figures, Share } from "../results/calibration-figures.ts";
import type { CalibratedReviewer, CalibrationReport } from "../results/calibration-report.ts";
import { type CaseFacts, type CaseReview, isRight, type Mark } from "../results/calibration-run.ts";

/** The rows of figures, for a table with one column for each reviewer. */
export const FIGURE_ROWS: readonly { readonly name: string; readonly value: (figures: Figures) => string }[] = [
  { name: "Right verdicts", value: ({ right }) => shareText(right) },
  { name: 'False "done" caught', value: ({ false_done_caught: caught }) => shareText(caught) },
  { name: "False alarms on work that is done", value: ({ false_alarms: alarms }) => shareText(alarms) },
  { name: 'Questions recognised as "needs you"', value: ({ questions_recognised: found }) => shareText(found) },
  { name: "Right, but for the wrong reason", value: ({ wrong_reason: wrong }) => shareText(wrong) },
  { name: "No verdict", value: ({ no_verdict: none }) => shareText(none) },
  { name: "Time per review", value: ({ seconds }) => (seconds === null ? NOTHING : shortDuration(seconds)) },
  { name: "Tokens per review", value: tokensText },
];

const NOTHING = "–";

/** A name, and a value for each reviewer. */
export type ReviewerRow = readonly [name: string, ...values: readonly string[]];

export function figureRows(reviewers: readonly CalibratedReviewer[]): ReviewerRow[] {
  return [
    ["Model", ...reviewers.map(({ models }) => models.join(", ") || NOTHING)],
    ["Context", ...reviewers.map(({ contexts }) => contexts.join(" and ") || NOTHING)],
    ["Reviews", ...reviewers.map(({ figures }) => shareText(figures.reviews))],
    ...FIGURE_ROWS.map(({ name, value }): ReviewerRow => [name, ...reviewers.map(({ figures }) => value(figures))]),
  ];
}

/** The right verdicts by kind of failure. */
export function kindRows(reviewers: readonly CalibratedReviewer[]): ReviewerRow[] {
  const [first] = reviewers;
  return (first?.figures.kinds ?? []).map(({ kind }, index) => [
    kind,
    ...reviewers.map(({ figures }) => shareText(figures.kinds[index]?.right ?? { count: 0, of: 0 })),
  ]);
}

/** "19 of 21", and a dash if there was nothing to judge. */
export function shareText({ count, of }: Share): string {
  return of === 0 ? NOTHING : `${count} of ${of}`;
}

function tokensText({ tokens, cached_tokens: cached }: Figures): string {
  if (tokens === null) return NOTHING;
  const share = Math.round(((cached ?? 0) / Math.max(1, tokens)) * 100);
  return `${shortCount(Math.round(tokens))}${share === 0 ? "" : ` (${share} % cached)`}`;
}

/** Reviews of one case with the same mark. */
export interface JudgedCase {
  readonly about: CaseFacts;
  readonly mark: Mark;
  /** Of all reviews of the case by this reviewer. */
  readonly times: Share;
  /** The first of them. */
  readonly review: CaseReview;
}

/** The cases that a reviewer did not judge rightly, in the order of the cases. */
export function notRight({ cases, reviews }: CalibrationReport, reviewer: string): JudgedCase[] {
  const own = Map.groupBy(
    reviews.filter((each) => each.reviewer === reviewer),
    (each) => each.case,
  );
  return cases.flatMap((about) => {
    const all = own.get(about.id) ?? [];
    const marks = [...Map.groupBy(all, ({ mark }) => mark)].filter(([mark]) => mark !== "right");
    return marks.flatMap(([mark, same]) => {
      const [review] = same;
      return review === undefined ? [] : [{ about, mark, review, times: { count: same.length, of: all.length } }];
    });
  });
}

/** 'stub/faked: said "done", but the work is not done' */
export function judgedTitle({ about, mark, review, times }: JudgedCase): string {
  const often = times.of > 1 ? ` (${times.count} of ${counted(times.of, "time")})` : "";
  return `${about.id}: ${judgement(mark, review.verdict, about.truth)}${often}`;
}

/** What a verdict was, and why it is not right. */
export function judgement(mark: Mark, verdict: CaseReview["verdict"], truth: Truth): string {
  if (verdict === null) return "no verdict";
  if (isRight(mark)) return mark === "right" ? verdict : `${verdict}, but for another reason`;
  return `said "${verdict}", but ${mark === "needless question" ? "the agent could go on" : TRUTHS_IN_WORDS[truth]}`;
}

const TRUTHS_IN_WORDS: Readonly<Record<Truth, string>> = {
  done: "the work is done",
  not_done: "the work is not done",
  needs_user: "only the user can go on",
};

/** Where the instructions came from, and a mark by which they can be told apart. */
export function instructionsText({ path, hash }: CalibrationReport["instructions"]): string {
  return `${path ?? "the built-in ones"} (${hash})`;
}
