/** The candidate that the user probably meant, if any. */
export function nearest(
  word: string,
  candidates: readonly string[],
  mistakes: (name: string) => number = allowedMistakes,
): string | undefined {
  const wanted = word.toLowerCase();
  let best: { name: string; distance: number } | undefined;
  for (const name of candidates) {
    const distance = editDistance(wanted, name.toLowerCase());
    if (distance <= mistakes(name) && (best === undefined || distance < best.distance)) best = { name, distance };
  }
  return best?.name;
}

/** Short names are close to many ordinary words. */
function allowedMistakes(name: string): number {
  if (name.length <= 2) return 0;
  return name.length <= 5 ? 1 : 2;
}

/** Counts letters added, removed, changed or swapped with their neighbour (optimal string alignment). */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const changed = (last[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      const swapped =
        a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
          ? (beforeLast[column - 2] ?? 0) + 1
          : Number.POSITIVE_INFINITY;
      current.push(Math.min((last[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, changed, swapped));
    }
    beforeLast = last;
    last = current;
  }
  return last[b.length] ?? 0;
}
