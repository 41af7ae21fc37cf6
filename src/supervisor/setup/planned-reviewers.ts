import { type ReviewerName, reviewerLabel } from "../../config/reviewer-name.ts";
import type { LaunchRecord } from "../record/launch-record.ts";
import type { Supervision } from "./supervised-settings.ts";

export interface PlannedReviewer extends ReviewerName {
  /** As `supervisor.fallback` would name it. */
  readonly label: string;
  /** Whether it has the agent's provider and model. */
  readonly isAgents: boolean;
}

/** Who reviews, in the order in which they are asked. `provider` is the agent's. */
export function plannedReviewers(
  provider: string,
  { reviewerProvider = provider, reviewerModel, fallback }: Supervision,
): readonly [PlannedReviewer, ...PlannedReviewer[]] {
  const planned = (name: ReviewerName) => ({
    ...name,
    label: reviewerLabel(name),
    isAgents: name.provider === provider && name.model === undefined,
  });
  const first = planned({ provider: reviewerProvider, model: reviewerModel });
  const others = new Map(fallback.map((name) => [reviewerLabel(name), planned(name)]));
  others.delete(first.label);
  return [first, ...others.values()];
}

/** The same for the record of a launch. `fallback` are the settings files of all but the first. */
export function recordedReviewers(
  [first, ...others]: readonly [PlannedReviewer, ...PlannedReviewer[]],
  fallback: readonly string[],
): Pick<LaunchRecord, "same_model" | "reviewer" | "fallback"> {
  return {
    same_model: first.isAgents,
    reviewer: first.label,
    fallback: others.map(({ label: reviewer, isAgents }, index) => {
      return { reviewer, settings: fallback[index] ?? "", same_model: isAgents };
    }),
  };
}
