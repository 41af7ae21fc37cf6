import type { Suspicion, SuspicionKind } from "./suspicion.ts";

/** Each needs a ruling of the reviewer. */
const MOST_SUSPICIONS = 20;

/** The worst first. Of what is too much, the numbers are told. */
export function limitSuspicions(all: readonly Suspicion[]): Suspicion[] {
  const sorted = KINDS.flatMap((kind) => all.filter((each) => each.kind === kind && each.path !== ""));
  // These say themselves that something was left out.
  const notes = all.filter(({ path }) => path === "");
  const room = MOST_SUSPICIONS - notes.length;
  if (sorted.length <= room) return [...sorted, ...notes];
  const rest = sorted.slice(room - 1);
  const counts = KINDS.map((kind) => ({ kind, count: rest.filter((each) => each.kind === kind).length }));
  const told = counts.filter(({ count }) => count > 0).map(({ kind, count }) => `${kind} (${count})`);
  const text = `${rest.length} more changes of this kind: ${told.join(", ")}`;
  return [...sorted.slice(0, room - 1), { kind: "not compared", path: "", text }, ...notes];
}

const KINDS: readonly SuspicionKind[] = [
  "deleted test",
  "skipped tests",
  "focused tests",
  "lost assertions",
  "check",
  "configuration",
  "not compared",
];
