import type { CalibrationCase } from "../../src/commands/calibrate/cases.ts";
import { caseReview } from "../../src/commands/calibrate/results.ts";
import type { CalibrationPlan, CalibrationRun, CaseReview } from "../../src/commands/calibrate/run.ts";
import type { ReviewResult } from "../../src/commands/review/command.ts";
import { CASES } from "./case-place.ts";

/** A reviewer that needs no model: its answer to each case. */
export type ScriptedReviewer = (given: CalibrationCase) => Pick<CaseReview, "verdict"> & { readonly feedback: string };

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
export function scriptedPlan(
  parts: Partial<CalibrationPlan> = {},
  cases: readonly CalibrationCase[] = CASES,
): CalibrationPlan {
  return {
    version: 1,
    started_at: "2026-11-17T02:00:00.000Z",
    ccc_version: "1.2.3",
    claude_version: "2.1.325",
    reviewers: Object.keys(REVIEWERS),
    context: "fresh",
    confirm: false,
    instructions: { path: null, hash: shortHash("Be strict.") },
    folder: null,
    cases: cases.map((each) => {
      const { id, kind, truth, why } = each;
      return { id, hash: shortHash(JSON.stringify(each)), kind, truth, why };
    }),
    left_out: [],
    repeat: 1,
    ...parts,
  };
}

function shortHash(text: string): string {
  return new Bun.CryptoHasher("sha256").update(text).digest("hex").slice(0, 12);
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

export function reviewOf(
  reviewer: string,
  about: string | CalibrationCase,
  time: number,
  answer: ScriptedReviewer,
  more: Partial<ReviewResult> = {},
): CaseReview {
  const given = typeof about === "string" ? CASES.find(({ id }) => id === about) : about;
  if (given === undefined) throw new Error(`there is no case ${about}`);
  const { verdict, feedback } = answer(given);
  return caseReview(
    given,
    { reviewer, case: given.id, time },
    {
      session: "s",
      folder: "/p",
      verdict: verdict ?? "not reviewed",
      exit_code: 0,
      feedback,
      reason: feedback,
      criteria: [],
      checks: [],
      proof: null,
      findings: [],
      reviewer,
      instead: null,
      context: "fresh",
      sandbox: false,
      looked: [],
      asked_again: [],
      confirmation: null,
      seconds: 4,
      input_tokens: 200,
      cache_read_tokens: 700,
      cache_write_tokens: 50,
      output_tokens: 50,
      cost_usd: null,
      model: "m-1",
      ...more,
    },
  );
}
