import type { Mutant } from "./choose.ts";
import list from "./equivalents.json" with { type: "json" };

/** A mutant that changes nothing that a user, or another part of ccc, could notice. */
export interface Equivalent {
  /** The lines that the mutant changes, and what they become: files and line numbers would not last. */
  readonly code: string;
  readonly becomes: string;
  readonly why: string;
}

export const EQUIVALENTS: readonly Equivalent[] = list;

/** Why the mutant changes nothing, if that is known. */
export function whyEquivalent({ before, after }: Mutant, known = EQUIVALENTS): string | undefined {
  return known.find((each) => each.code === before && each.becomes === after)?.why;
}
