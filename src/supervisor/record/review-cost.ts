/** What reviews took. */
export interface ReviewCost {
  readonly seconds: number;
  readonly tokens: number;
}

export const NO_COST: ReviewCost = { seconds: 0, tokens: 0 };

export function addCost(one: ReviewCost, other: ReviewCost): ReviewCost {
  return { seconds: one.seconds + other.seconds, tokens: one.tokens + other.tokens };
}
