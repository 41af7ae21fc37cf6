/** A random number generator with a seed, so that a run can be repeated. */
export interface Random {
  /** A number from 0 to 1, excluding 1. */
  next(): number;
  below(limit: number): number;
  pick<T>(list: readonly [T, ...T[]]): T;
  shuffled<T>(list: readonly T[]): T[];
}

/** mulberry32 */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    next,
    below,
    pick: (list) => list[below(list.length)] ?? list[0],
    shuffled(list) {
      const keys = new Map(list.map((each) => [each, next()]));
      return [...list].sort((a, b) => (keys.get(a) ?? 0) - (keys.get(b) ?? 0));
    },
  };
}
