import type { ReportedPrompt, ReportedRound } from "./report-schema.ts";

type ReportedCriterion = ReportedRound["criteria"][number];

/** A criterion as it is now, with its status in each round. */
export interface CriterionHistory extends ReportedCriterion {
  /** In the order of `numberedRounds`; undefined where nobody ruled on it. */
  readonly statuses: readonly (ReportedCriterion["status"] | undefined)[];
}

/** The rounds of a prompt, without stops that were not reviewed on purpose. */
export function numberedRounds({ rounds }: Pick<ReportedPrompt, "rounds">): ReportedRound[] {
  return rounds.filter(({ number }) => number !== null);
}

/** Empty where no review has ruled on anything. */
export function criteriaByRound(prompt: Pick<ReportedPrompt, "rounds">): CriterionHistory[] {
  const rounds = numberedRounds(prompt).map(rulings);
  const latest = new Map(rounds.flatMap((criteria) => criteria.map((each) => [each.id, each] as const)));
  return [...latest.values()].map((criterion) => ({
    ...criterion,
    statuses: rounds.map((criteria) => criteria.find(({ id }) => id === criterion.id)?.status),
  }));
}

/** What the review of a round ruled. At a failing check the criteria on record are those of the review before. */
export function rulings({ verdict, criteria }: ReportedRound): ReportedRound["criteria"] {
  return verdict === "check failed" ? [] : criteria;
}
