import type { Criterion } from "./criterion.ts";

/**
 * The criteria that agent and reviewer cannot settle: not met in `limit` reviews in a row, or in two without a change of
 * the files in between. `before` and `after` are the criteria around a review.
 */
export function deadlocked(before: readonly Criterion[], after: readonly Criterion[], limit: number): Criterion[] {
  if (limit === 0) return [];
  return after.filter((now) => {
    if (now.status !== "unmet" || now.unmet_reviews < 2) return false;
    const earlier = before.find(({ id }) => id === now.id);
    const wasRuledOn = earlier !== undefined && now.unmet_reviews > earlier.unmet_reviews;
    const hasSameFiles = now.unmet_files !== null && now.unmet_files === earlier?.unmet_files;
    return wasRuledOn && (now.unmet_reviews >= limit || hasSameFiles);
  });
}
