/** Random numbers derived from a seed: the same words give the same sequence, independently of other sequences. */

/** 32-bit FNV-1a hash of a text. */
const hashOf = (text) => {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
};

/** @shape `{ next(): 0 to 1, below(n), between(from, to), pick(list), some(list, count) }` */
export const seededRandom = (...words) => {
  let state = hashOf(words.join(" "));
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (bound) => Math.floor(next() * bound);
  return {
    next,
    below,
    between: (from, to) => from + next() * (to - from),
    pick: (list) => list[below(list.length)],
    some(list, count) {
      const left = [...list];
      return Array.from({ length: Math.min(count, left.length) }, () => left.splice(below(left.length), 1)[0]);
    },
  };
};
