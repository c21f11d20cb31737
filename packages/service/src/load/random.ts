/** Chance that can be repeated: the same seed tells the same story. Not for secrets. */
export interface SeededRandom {
  /** From 0 up to 1, which it never is. */
  (): number;
  /** A whole number from `least` to `most`, both included. */
  between(least: number, most: number): number;
  /** @errors Error for an empty list */
  pick<T>(from: readonly T[]): T;
}

/** Mulberry32: 32 bits of state are enough for stories. @shape seeds: whole numbers that together are the seed */
export const createSeededRandom = (...seeds: readonly number[]): SeededRandom => {
  let state = seeds.reduce((mixed, seed) => Math.imul(mixed ^ seed, 0x9e37_79b1) + 0x7f4a_7c15, 0x2545_f491);
  const next = () => {
    state = (state + 0x6d2b_79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return Object.assign(next, {
    between: (least: number, most: number) => least + Math.floor(next() * (most - least + 1)),
    pick: <T>(from: readonly T[]): T => {
      if (from.length === 0) throw new Error("there is nothing to pick from");
      return from[Math.floor(next() * from.length)] as T;
    },
  });
};
