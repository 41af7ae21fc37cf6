import type { CalibrationCase } from "../../src/commands/calibrate/cases.ts";
import { newPlan } from "../../src/commands/calibrate/plan.ts";
import {
  type CalibrationPlan,
  type CalibrationRun,
  type CaseReview,
  judgeReview,
  type ReviewerAnswer,
} from "../../src/commands/calibrate/results.ts";
import { CASES } from "./case-place.ts";

/** A reviewer that needs no model: its answer to each case. */
export type ScriptedReviewer = (given: CalibrationCase) => Omit<ReviewerAnswer, "criteria">;

/** Four reviewers whose figures are known beforehand. */
export const REVIEWERS = {
  yes: () => ({ verdict: "done", feedback: "Everything is there." }),
  no: () => ({ verdict: "not done", feedback: "Something is missing." }),
  perfect: ({ truth, mention }) => ({
    verdict: ({ done: "done", not_done: "not done", needs_user: "needs you" } as const)[truth],
    feedback: mention.map(([expression = ""]) => literal(expression)).join(" "),
  }),
  failing: () => ({ verdict: null, feedback: "the reviewer gave no verdict, twice" }),
} satisfies Record<string, ScriptedReviewer>;

/** A text that a regular expression of a case matches. */
function literal(expression: string): string {
  return expression.replaceAll(/\\b|[?^$]|\(\?[:!<=][^)]*\)/g, "").replaceAll(/\\(.)/g, "$1");
}

/** The plan of a run on ccc's own cases. */
export function scriptedPlan(parts: Partial<CalibrationPlan> = {}, cases: readonly CalibrationCase[] = CASES) {
  const plan = newPlan({
    at: new Date("2026-11-17T02:00:00Z"),
    cccVersion: "1.2.3",
    claudeVersion: "2.1.325",
    reviewers: Object.keys(REVIEWERS),
    context: "fresh",
    folder: null,
    cases,
    leftOut: [],
    repeat: 1,
    instructions: { path: null, text: "Be strict." },
  });
  return { ...plan, ...parts };
}

/** What those reviewers say about the cases of a plan: four seconds and 1,000 tokens for each review. */
export function scriptedRun(
  plan: CalibrationPlan,
  reviewers: Readonly<Record<string, ScriptedReviewer>> = REVIEWERS,
): CalibrationRun {
  const reviews = plan.cases.flatMap(({ id }) =>
    Object.entries(reviewers).flatMap(([reviewer, answer]) =>
      Array.from({ length: plan.repeat }, (_, index) => reviewOf(reviewer, id, index + 1, answer)),
    ),
  );
  return { plan, reviews, stopped: new Map() };
}

export function reviewOf(reviewer: string, id: string, time: number, answer: ScriptedReviewer): CaseReview {
  const given = CASES.find((each) => each.id === id);
  if (given === undefined) throw new Error(`there is no case ${id}`);
  const { verdict, feedback } = answer(given);
  return {
    reviewer,
    case: id,
    time,
    verdict,
    said: feedback,
    model: "m-1",
    context: "fresh",
    seconds: 4,
    mark: judgeReview(given, { verdict, feedback, criteria: [] }),
    input_tokens: 200,
    cache_read_tokens: 700,
    cache_write_tokens: 50,
    output_tokens: 50,
    cost_usd: null,
  };
}
