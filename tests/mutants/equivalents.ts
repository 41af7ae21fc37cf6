import type { Mutant } from "./choose.ts";
import list from "./equivalents.json" with { type: "json" };

/** A mutant that neither users nor other parts of ccc could notice. */
export interface Equivalent {
  /** The lines that the mutant changes, and what they become. Not file and line number, which change too often. */
  readonly code: string;
  readonly becomes: string;
  readonly why: string;
}

export const EQUIVALENTS: readonly Equivalent[] = list;

/** Why the mutant changes nothing; undefined if it is not on the list. */
export function whyEquivalent({ before, after }: Mutant, known = EQUIVALENTS): string | undefined {
  return known.find((each) => each.code === before && each.becomes === after)?.why;
}
