/** -> lower case without accents, so that `cafe` finds `Café` */
export const foldText = (text: string): string => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

const isWordStart = (text: string, index: number): boolean => index === 0 || /[\s\-_/.:(]/.test(text[index - 1] ?? "");

/** Scores of the kinds of matches; higher ones come first. */
const SCORES = { whole: 1_000, beginning: 800, wordBeginning: 600, within: 400, initials: 300, letters: 100 } as const;

/** -> how well the first letters of words, or letters after each other, match; undefined if they don't */
const scoreOfLetters = (query: string, text: string): number | undefined => {
  let position = -1;
  let starts = 0;
  let gaps = 0;
  for (const letter of query) {
    // The beginning of a word is preferred to the next occurrence.
    let next = -1;
    for (let at = text.indexOf(letter, position + 1); at >= 0; at = text.indexOf(letter, at + 1)) {
      if (next < 0) next = at;
      if (isWordStart(text, at)) {
        next = at;
        break;
      }
    }
    if (next < 0) return undefined;
    if (isWordStart(text, next)) starts += 1;
    if (position >= 0) gaps += next - position - 1;
    position = next;
  }
  return starts === query.length ? SCORES.initials - gaps / 10 : Math.max(1, SCORES.letters + starts * 10 - gaps);
};

/** -> how well a text matches what was typed; undefined if it doesn't. Case and accents don't matter. */
export const scoreMatch = (typed: string, searched: string): number | undefined => {
  const query = foldText(typed).trim();
  const text = foldText(searched);
  if (query === "") return 0;
  if (text === query) return SCORES.whole;
  if (text.startsWith(query)) return SCORES.beginning;
  const at = text.indexOf(query);
  if (at >= 0) return isWordStart(text, at) ? SCORES.wordBeginning - at / 10 : SCORES.within - at / 10;
  // Several words may come in another order.
  const words = query.split(/\s+/);
  if (words.length > 1 && words.every((word) => text.includes(word))) return SCORES.within - 50;
  return scoreOfLetters(query.replace(/\s+/g, ""), text);
};

/** -> those that match, the best first; of equal ones the order remains */
export const filterMatches = <T>(typed: string, items: readonly T[], textOf: (item: T) => string): readonly T[] =>
  items
    .flatMap((item) => {
      const score = scoreMatch(typed, textOf(item));
      return score === undefined ? [] : [{ item, score }];
    })
    .sort((one, other) => other.score - one.score)
    .map(({ item }) => item);
