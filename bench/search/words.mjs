/** Texts whose words have the frequencies of a natural language: the word of rank n occurs 1/n times as often as the first one (Zipf). */

const CONSONANTS = [
  "b",
  "c",
  "d",
  "f",
  "g",
  "h",
  "k",
  "l",
  "m",
  "n",
  "p",
  "r",
  "s",
  "t",
  "v",
  "w",
  "st",
  "tr",
  "sh",
  "pl",
];
const VOWELS = ["a", "e", "i", "o", "u", "ea", "io"];

/** A generator of numbers from 0 to 1, the same numbers for a seed (mulberry32). */
export const createRandom = (seed) => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
};

/** Different words by rank; frequent words are shorter. */
export const createVocabulary = (size, random) => {
  const pick = (list) => list[Math.floor(random() * list.length)];
  const words = new Set();
  while (words.size < size) {
    const syllables = words.size < 40 ? 1 : words.size < 2_000 ? 2 : 3;
    let word = "";
    for (let index = 0; index < syllables; index++) word += pick(CONSONANTS) + pick(VOWELS);
    words.add(random() < 0.4 ? word + pick(CONSONANTS) : word);
  }
  return [...words];
};

/** -> a function that makes the text of a message: five to twenty words, some of them numbers of orders */
export const createTexts = (vocabulary, random) => {
  const sums = new Float64Array(vocabulary.length);
  let sum = 0;
  for (let rank = 0; rank < vocabulary.length; rank++) sums[rank] = sum += 1 / (rank + 1);
  const word = () => {
    const wanted = random() * sum;
    let [low, high] = [0, sums.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sums[middle] < wanted) low = middle + 1;
      else high = middle;
    }
    return vocabulary[low];
  };
  return () => {
    const words = Array.from({ length: 5 + Math.floor(random() * 16) }, word);
    if (random() < 0.1) words.push(String(100_000 + Math.floor(random() * 900_000)));
    return words.join(" ");
  };
};
