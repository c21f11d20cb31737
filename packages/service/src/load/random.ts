/** Repeatable pseudo-random numbers: the same seed gives the same sequence. Not for secrets. */
export interface SeededRandom {
  /** A number from 0 (included) to 1 (excluded). */
  (): number;
  /** An integer from `least` to `most`, both included. */
  between(min: number, max: number): number;
  /** @errors Error for an empty list */
  pick<T>(items: readonly T[]): T;
}

/** Mulberry32 with 32 bits of state. @shape seeds: integers that are combined to one seed */
export const createSeededRandom = (...seeds: readonly number[]): SeededRandom => {
  let state = seeds.reduce((mixed, seed) => Math.imul(mixed ^ seed, 0x9e37_79b1) + 0x7f4a_7c15, 0x2545_f491);
  const next = () => {
    state = (state + 0x6d2b_79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return Object.assign(next, {
    between: (min: number, max: number) => min + Math.floor(next() * (max - min + 1)),
    pick: <T>(items: readonly T[]): T => {
      if (items.length === 0) throw new Error("there is nothing to pick from");
      return items[Math.floor(next() * items.length)] as T;
    },
  });
};
