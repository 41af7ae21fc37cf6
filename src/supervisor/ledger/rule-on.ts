import { type Criterion, isNoticed, newCriterion, type Ruling } from "./criterion.ts";
import type { Ledger, OpenLedger } from "./ledger.ts";

/** Applies the rulings of a review to its ledger. `files` identifies the files as they are now. */
export function ruleOn(
  open: OpenLedger,
  rulings: readonly Ruling[],
  { disputed, files }: { readonly disputed: readonly string[]; readonly files: string | null },
): Ledger {
  const ruled = new Map<string, Ruling>();
  const others: Ruling[] = [];
  for (const ruling of rulings) {
    const meant = criterionOf(open.criteria, ruling);
    if (meant === undefined) others.push(ruling);
    else ruled.set(meant.id, ruling);
  }
  const mayDrop = (id: string) => open.canDrop.includes(id) || disputed.includes(id);
  const criteria = open.criteria.map((each) => {
    const ruling = ruled.get(each.id);
    // One that the review leaves out, or may not drop, keeps its status.
    if (ruling === undefined || (ruling.status === "dropped" && !mayDrop(each.id))) return each;
    return decided(each, ruling, files);
  });
  const room = open.canAdd ? Math.max(0, MOST_CRITERIA - criteria.length) : 0;
  const added = others.filter(({ text, status }) => text !== "" && status !== "dropped").slice(0, room);
  let { numbered } = open;
  const own = added.map((ruling) => {
    // The reviewer's own numbers, where they are free: its feedback may refer to them.
    const wanted = /^C(\d{1,3})$/i.exec(ruling.id)?.[1];
    numbered = Math.max(numbered + 1, Number(wanted ?? 0));
    return decided(newCriterion(`C${numbered}`, ruling.text), ruling, files);
  });
  const isAsked = (each: Criterion) => !isNoticed(each);
  const all = [...criteria.filter(isAsked), ...own, ...criteria.filter(isNoticed)];
  return { criteria: all, numbered, noticed: open.noticed, prompts: open.prompts };
}

const MOST_CRITERIA = 30;

/** By its id, or by its text: a model may renumber them. */
function criterionOf(criteria: readonly Criterion[], { id, text }: Ruling): Criterion | undefined {
  const byId = criteria.find((each) => each.id.toLowerCase() === id.toLowerCase());
  return byId ?? criteria.find((each) => text !== "" && each.text === text);
}

function decided(criterion: Criterion, { status, evidence }: Ruling, files: string | null): Criterion {
  const counts =
    status === "unmet"
      ? { unmet_reviews: criterion.unmet_reviews + 1, unmet_files: files }
      : { unmet_reviews: 0, unmet_files: null };
  return { ...criterion, status, evidence, ...counts };
}
