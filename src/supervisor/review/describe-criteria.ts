import { oneLine } from "../../text/one-line.ts";
import { type Criterion, isNoticed, unmet } from "../ledger/criterion.ts";
import type { OpenLedger } from "../ledger/ledger.ts";
import { inline } from "./inline.ts";
import type { Lacking } from "./reviewer.ts";

/** What the reviewer has to rule on, and what it may add or drop. */
export function describeCriteria({ criteria, numbered, canAdd, canDrop }: OpenLedger): string {
  const asked = criteria.filter((each) => !isNoticed(each));
  const noticed = criteria.filter(isNoticed);
  return [
    ...(asked.length > 0 ? ["Rule on each of these, by its id:", ...asked.map(describeCriterion)] : []),
    asked.length === 0 ? firstCriteria(numbered + 1) : rule(canAdd, canDrop, numbered + 1),
    ...(noticed.length > 0
      ? [
          "ccc noticed the following. Rule on each by its id, too: met if what the user asked for explains it, unmet if it only makes the work look done.",
          ...noticed.map(describeCriterion),
        ]
      : []),
  ].join("\n");
}

function firstCriteria(next: number): string {
  return `Write down what must be true for the user's request to be done: at most seven criteria, C${next}, C${next + 1}, …`;
}

function rule(canAdd: boolean, canDrop: readonly string[], next: number): string {
  const drop = canDrop.length > 0 ? `; drop one of ${canDrop.join(", ")} only if they no longer want it` : "";
  if (canAdd && canDrop.length === 0)
    return `These always hold here. Add what the user's request asks for besides: at most seven criteria, from C${next} on.`;
  if (canAdd) return `The user has written a new prompt since: add what it asks for, from C${next} on${drop}.`;
  return `The list is complete: add nothing${drop}. What you leave out keeps its status.`;
}

function describeCriterion({ id, text, status, evidence }: Criterion): string {
  const last = evidence === "" ? "" : ` (last review: ${status}, ${inline(evidence, LONGEST_EVIDENCE)})`;
  return `- ${id}: ${inline(text, LONGEST_TEXT)}${last}`;
}

const LONGEST_EVIDENCE = 200;
const LONGEST_TEXT = 300;

/** The reviewer's last answer, and what is wrong with it. */
export function describeLacking({ verdict, missing }: Lacking): string {
  const { completed, needsUser: needs_user, rulings: criteria, feedback } = verdict;
  return [
    "You were asked before and answered:",
    JSON.stringify({ criteria, completed, needs_user, feedback: oneLine(feedback) }),
    "That does not count yet:",
    ...missing.map((each) => `- ${each}.`),
    "What you have seen already need not be looked at again. Look at what is missing, then answer again, with all criteria.",
  ].join("\n");
}

/** What the agent gets to hear: the reviewer's feedback and the state of the criteria. */
export function withCriteria(feedback: string, criteria: readonly Criterion[]): string {
  const open = unmet(criteria);
  if (open.length === 0) return feedback;
  const met = criteria.filter(({ status }) => status === "met").map(({ id }) => id);
  const lines = open.map(({ id, text, evidence }) => `- ${id}: ${text}${evidence === "" ? "" : ` (${evidence})`}`);
  return [
    feedback,
    ["Not met:", ...lines, ...(met.length > 0 ? [`Met: ${met.join(", ")}.`] : [])].join("\n"),
    `If one of these is wrong, say so in your answer on a line of its own, with evidence: "${open[0]?.id} disputed: …". The next review will rule on it.`,
  ].join("\n\n");
}
