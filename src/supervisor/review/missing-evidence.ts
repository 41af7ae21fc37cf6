import type { ReviewerLook } from "../../claude/looks.ts";
import type { Changes } from "../baseline/changes.ts";
import type { CheckResult } from "../checks/describe-checks.ts";
import { type Criterion, unmet } from "../ledger/criterion.ts";
import type { Dispute } from "../ledger/disputes.ts";
import { unseenIn } from "./evidence-names.ts";
import type { Verdict } from "./verdict.ts";

/** A review that is over, and what its verdict rests on. */
export interface ReviewedStop {
  /** As the verdict leaves them. */
  readonly criteria: readonly Criterion[];
  /** What the reviewer opened and ran. */
  readonly looks: readonly ReviewerLook[];
  readonly changes: Changes;
  /** Whether the agent changed any file. */
  readonly hasChanged: boolean;
  /** Passed, all of them. */
  readonly checks: readonly CheckResult[];
}

/** What a verdict lacks, in sentences for the reviewer. */
export function missingFrom(
  verdict: Verdict,
  stop: ReviewedStop & { readonly disputes: readonly Dispute[] },
): string[] {
  if (verdict.needsUser) return [];
  if (verdict.completed) return missingEvidence(verdict, stop);
  const ruled = verdict.rulings.map(({ id }) => id.toUpperCase());
  const unruled = stop.disputes.filter(({ id }) => !ruled.includes(id));
  return unruled.map(({ id }) => `the agent disputes ${id}, and it does not rule on that`);
}

function missingEvidence(
  { rulings }: Verdict,
  { criteria, looks, changes, hasChanged, checks }: ReviewedStop,
): string[] {
  const open = unmet(criteria).map(({ id }) => id);
  const met = criteria.filter(({ status }) => status === "met");
  const bare = met.flatMap(({ id, evidence }) => (evidence === "" ? [id] : []));
  const files = "files" in changes ? changes.files : [];
  const changed = files.flatMap(({ kind, path }) => (kind === "deleted" ? [] : [path]));
  const gone = files.flatMap(({ kind, path, from }) => (kind === "deleted" ? [path] : (from ?? [])));
  const hasLooked = looks.length > 0 || checks.length > 0;
  return [
    ...(open.length > 0 ? [`it says done, but does not say that ${listOf(open)} ${areMet(open)}`] : []),
    ...(bare.length > 0 ? [`it gives no evidence for ${listOf(bare)}`] : []),
    ...(hasChanged && !hasLooked ? ["files changed, but it opened no file and ran no command"] : []),
    // Evidence of an earlier review was checked then.
    ...met
      .filter(({ evidence }) => rulings.some((ruling) => ruling.evidence === evidence))
      .flatMap(({ id, evidence }) =>
        unseenIn(evidence, { looks, changed, gone, checks }).map(
          (name) => `the evidence for ${id} names ${name}, which it neither opened nor ran`,
        ),
      ),
  ];
}

function listOf(ids: readonly string[]): string {
  return ids.length < 2 ? ids.join() : `${ids.slice(0, -1).join(", ")} and ${ids.at(-1)}`;
}

function areMet(ids: readonly string[]): string {
  return ids.length === 1 ? "is met" : "are met";
}
