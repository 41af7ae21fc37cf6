/** Something that must be true for the work to be done, as the last review that ruled on it saw it. */
export interface Criterion {
  /** "C1". The ids of what ccc itself noticed begin with T. */
  readonly id: string;
  readonly text: string;
  readonly status: (typeof CRITERION_STATUSES)[number];
  /** What the reviewer saw. */
  readonly evidence: string;
  /** In how many reviews in a row it was not met. */
  readonly unmet_reviews: number;
  /** A fingerprint of the files at the last of them; null if unknown. */
  readonly unmet_files: string | null;
  /** A fingerprint of the files at the review that called it met. Not in records of older versions. */
  readonly met_files?: string | null | undefined;
  /** For what ccc noticed: how many prompts the user had sent by then, and what identifies the content. */
  readonly noticed_at?: number | undefined;
  readonly content?: string | undefined;
}

/** "dropped": no longer asked for. */
export const CRITERION_STATUSES = ["met", "unmet", "dropped"] as const;

/** Longer texts are cut. */
export const LONGEST_CRITERION = 300;

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

/** How a point begins that is about a claim of the agent's rather than about changed files. */
export const AGENT_SAYS = "the agent says";

/** Whether ccc noticed it itself; otherwise the user asked for it. */
export function isNoticed({ id }: Pick<Criterion, "id">): boolean {
  return id.startsWith("T");
}
