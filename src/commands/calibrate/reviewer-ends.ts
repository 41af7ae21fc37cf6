import type { ApiFailureKind } from "../../claude/api-failure.ts";

/** A review that there was no answer for. */
export interface FailedAsk {
  readonly cause: ApiFailureKind;
  readonly why: string;
}

/**
 * When a reviewer is not asked any more: at once if a further request would only fail again, else after some failures in
 * a row. Until a reviewer has answered for the first time, it is asked by one at a time.
 */
export function reviewerEnds() {
  const inARow = new Map<string, number>();
  const ended = new Set<string>();
  const first = new Map<string, Promise<void>>();
  return {
    has: (reviewer: string) => ended.has(reviewer),
    add(reviewer: string, failed: FailedAsk | undefined): "at once" | "after several" | undefined {
      const count = failed === undefined ? 0 : (inARow.get(reviewer) ?? 0) + 1;
      inARow.set(reviewer, count);
      const isHopeless = failed !== undefined && HOPELESS.includes(failed.cause);
      if (!isHopeless && count < MOST_IN_A_ROW) return undefined;
      ended.add(reviewer);
      return isHopeless ? "at once" : "after several";
    },
    /** Runs the first review of a reviewer while the others wait. */
    async firstAnswer(reviewer: string, review: () => Promise<void>): Promise<void> {
      const asked = first.get(reviewer);
      if (asked !== undefined) {
        await asked.catch(() => {});
        return review();
      }
      const answer = review();
      first.set(reviewer, answer);
      return answer;
    },
  };
}

const MOST_IN_A_ROW = 3;

const HOPELESS: readonly ApiFailureKind[] = ["refused", "usage limit", "no credit", "unreachable"];
