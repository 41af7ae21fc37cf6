import * as v from "valibot";

/** "dropped": no longer asked for. */
export const CRITERION_STATUSES = ["met", "unmet", "dropped"] as const;

/** Something that must be true for the work to be done, as the last review that ruled on it saw it. */
export const CriterionSchema = v.object({
  /** "C1". The ids of what ccc itself noticed begin with T. */
  id: v.string(),
  text: v.string(),
  status: v.picklist(CRITERION_STATUSES),
  /** What the reviewer saw. */
  evidence: v.optional(v.string(), ""),
  /** In how many reviews in a row it was not met. */
  unmet_reviews: v.optional(v.number(), 0),
  /** What identifies the files at the last of them; null if that is not known. */
  unmet_files: v.optional(v.nullable(v.string()), null),
  /** For what ccc noticed: how many prompts of the user there were then, and the content that it is about. */
  noticed_at: v.optional(v.number()),
  content: v.optional(v.string()),
});

export type Criterion = v.InferOutput<typeof CriterionSchema>;

/** What a review says about a criterion. */
export interface Ruling {
  /** Empty for a new one. */
  readonly id: string;
  readonly text: string;
  readonly status: Criterion["status"];
  readonly evidence: string;
}

export function newCriterion(id: string, text: string): Criterion {
  return { id, text, status: "unmet", evidence: "", unmet_reviews: 0, unmet_files: null };
}

/** "3 of 5 met"; undefined if there are no criteria. */
export function tally(criteria: readonly Pick<Criterion, "status">[]): string | undefined {
  const { met, of } = countMet(criteria);
  return of === 0 ? undefined : `${met} of ${of} met`;
}

/** How many are met, of those that still count. */
export function countMet(criteria: readonly Pick<Criterion, "status">[]) {
  const counted = criteria.filter(({ status }) => status !== "dropped");
  return { met: counted.filter(({ status }) => status === "met").length, of: counted.length };
}

export function unmet(criteria: readonly Criterion[]): Criterion[] {
  return criteria.filter(({ status }) => status === "unmet");
}

/** Whether it stands for something that ccc noticed, not for something that the user asked for. */
export function isNoticed({ id }: Pick<Criterion, "id">): boolean {
  return id.startsWith("T");
}
