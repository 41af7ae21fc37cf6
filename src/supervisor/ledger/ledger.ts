import * as v from "valibot";
import { type Criterion, CriterionSchema, isNoticed, newCriterion } from "./criterion.ts";

/** What must be true for the work of a session to be done, kept across its reviews. */
export const LedgerSchema = v.object({
  criteria: v.optional(v.array(CriterionSchema), []),
  /** How many criteria of each kind there have been: ids are not used twice. */
  numbered: v.optional(v.number(), 0),
  noticed: v.optional(v.number(), 0),
  /** How many prompts of the user the last review knew. */
  prompts: v.optional(v.number(), 0),
});

export type Ledger = v.InferOutput<typeof LedgerSchema>;

export const EMPTY_LEDGER: Ledger = { criteria: [], numbered: 0, noticed: 0, prompts: 0 };

/** Something that ccc noticed and a review has to rule on. */
export interface Noticed {
  readonly text: string;
  /** What identifies the content that it is about, if the text does not show it. */
  readonly content?: string | undefined;
}

/** What is known before a review. */
export interface BeforeReview {
  /** How many prompts the user has written. */
  readonly prompts: number;
  /** Whether the last review said done, so that its criteria are settled. */
  readonly isSettled: boolean;
  /** What must be true of all work, as the instructions say. */
  readonly standing: readonly string[];
  /** What the user says must be true, in prompts that are new. That list is complete. */
  readonly stated: readonly string[];
  readonly noticed: readonly Noticed[];
}

/** The ledger as a review gets it. */
export interface OpenLedger extends Ledger {
  /** Whether the review may add criteria of its own. */
  readonly canAdd: boolean;
  /** Criteria that it may drop, because the user has written a new prompt since. */
  readonly canDrop: readonly string[];
}

/** Prepares the ledger for a review: only a prompt of the user changes the list. */
export function openLedger(ledger: Ledger, before: BeforeReview): OpenLedger {
  const isNew = before.prompts > ledger.prompts;
  const asked = ledger.criteria.filter((each) => !isNoticed(each));
  const kept = isNew && before.isSettled ? [] : asked.map((each) => (isNew ? restarted(each) : each));
  const { findings, earlier, noticed } = noticedIn(ledger, before);
  const stated = new Set([...before.standing, ...before.stated]);
  for (const { text } of kept) stated.delete(text);
  const texts = isNew ? [...[...stated].slice(0, MOST_STATED), ...earlier.map(inherited)] : [];
  const added = texts.map((text, at) => newCriterion(`C${ledger.numbered + at + 1}`, text));
  return {
    criteria: [...kept, ...added, ...findings],
    numbered: ledger.numbered + added.length,
    noticed,
    prompts: Math.max(before.prompts, ledger.prompts),
    canAdd: isNew ? before.stated.length === 0 : kept.length === 0,
    canDrop: isNew ? kept.map(({ id }) => id) : [],
  };
}

const MOST_STATED = 30;
const MOST_NOTICED = 20;

/** The ledger after a stop that no review ruled on: what ccc noticed at it stays open, also after the next prompt. */
export function withNoticed(ledger: Ledger, before: Pick<BeforeReview, "prompts" | "noticed">): Ledger {
  const { findings, earlier, noticed } = noticedIn(ledger, before);
  const asked = ledger.criteria.filter((each) => !isNoticed(each));
  return { ...ledger, criteria: [...asked, ...earlier, ...findings], noticed };
}

/**
 * What ccc notices now, with the rulings that still hold, and what it noticed about earlier prompts and no review has
 * accepted. That is not noticed again, because the files are now compared with those at the new prompt, where the test is
 * already gone.
 */
function noticedIn(ledger: Ledger, { prompts, noticed: now }: Pick<BeforeReview, "prompts" | "noticed">) {
  const known = ledger.criteria.filter(isNoticed);
  const isCurrent = ({ noticed_at = ledger.prompts }: Criterion) => noticed_at === prompts;
  let { noticed } = ledger;
  const findings = now.slice(0, MOST_NOTICED).map(({ text, content }): Criterion => {
    const found = known.find((each) => each.text === text);
    const holds = found === undefined || (isCurrent(found) && found.content === content);
    const { id, ...others } = found ?? newCriterion(`T${++noticed}`, text);
    return { id, ...others, ...(holds ? {} : { status: "unmet", evidence: "" }), content, noticed_at: prompts };
  });
  const isOpen = (each: Criterion) => each.status === "unmet" && !isCurrent(each);
  const earlier = known.filter((each) => isOpen(each) && !now.some(({ text }) => text === each.text));
  return { findings, earlier, noticed };
}

function inherited({ text }: Criterion): string {
  return `undone, or explained by what the user asked for: ${text}`;
}

function restarted(criterion: Criterion): Criterion {
  return { ...criterion, unmet_reviews: 0, unmet_files: null };
}
