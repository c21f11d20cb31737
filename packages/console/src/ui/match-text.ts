/** -> lower case without accents, so that `cafe` finds `Café` */
const foldText = (text: string): string => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

const isBoundary = (letter: string | undefined): boolean => letter === undefined || /[\s\-_/.,:;()]/.test(letter);
const isWordStart = (text: string, index: number): boolean => index === 0 || isBoundary(text[index - 1]);

/** Scores of the kinds of matches; higher scores come first. */
const SCORES = {
  whole: 1_000,
  firstWord: 900,
  beginning: 800,
  word: 700,
  wordBeginning: 600,
  wordBeginnings: 540,
  within: 400,
  wordsWithin: 340,
  initials: 300,
  letters: 100,
} as const;

/** Of equal matches the earlier one is better; the place never outweighs the kind. */
const placePenalty = (at: number): number => Math.min(at, 500) / 10;

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

/** -> the first place that is the beginning of a word, else the first place; -1 if the text is not found */
const placeOf = (query: string, text: string): number => {
  for (let at = text.indexOf(query); at >= 0; at = text.indexOf(query, at + 1)) if (isWordStart(text, at)) return at;
  return text.indexOf(query);
};

const beginsWord = (query: string, text: string): boolean => {
  const at = placeOf(query, text);
  return at >= 0 && isWordStart(text, at);
};

/** -> how well a text that contains the typed text matches; undefined if it doesn't contain the typed text */
const scoreOfContained = (query: string, text: string): number | undefined => {
  if (query === "") return 0;
  if (text === query) return SCORES.whole;
  const isWhole = (at: number): boolean => isBoundary(text[at + query.length]);
  if (text.startsWith(query)) return isWhole(0) ? SCORES.firstWord : SCORES.beginning;
  const at = placeOf(query, text);
  if (at >= 0 && isWordStart(text, at)) return (isWhole(at) ? SCORES.word : SCORES.wordBeginning) - placePenalty(at);
  // Several words may come in another order.
  const words = query.split(/\s+/);
  if (words.length > 1 && words.every((word) => beginsWord(word, text))) return SCORES.wordBeginnings;
  if (at >= 0) return SCORES.within - placePenalty(at);
  return words.length > 1 && words.every((word) => text.includes(word)) ? SCORES.wordsWithin : undefined;
};

/** -> how well a text matches the typed text, or letters of it; undefined if it doesn't match. Case and accents don't matter. */
export const scoreMatch = (typed: string, searched: string): number | undefined => {
  const query = foldText(typed).trim();
  const text = foldText(searched);
  return scoreOfContained(query, text) ?? scoreOfLetters(query.replace(/\s+/g, ""), text);
};

const bestFirst = <T>(items: readonly T[], scoreOf: (item: T) => number | undefined): readonly T[] =>
  items
    .flatMap((item) => {
      const score = scoreOf(item);
      return score === undefined ? [] : [{ item, score }];
    })
    .sort((one, other) => other.score - one.score)
    .map(({ item }) => item);

/** -> those that match, also by letters of their texts, the best first; equal matches keep their order */
export const filterMatches = <T>(typed: string, items: readonly T[], textOf: (item: T) => string): readonly T[] =>
  bestFirst(items, (item) => scoreMatch(typed, textOf(item)));

/** The texts of an entry that are searched. */
interface SearchedTexts {
  /** Each may be typed to mean the entry; of equal matches, that of an earlier name comes first. */
  readonly names: readonly string[];
  /** A longer text: entries with a matching name come before. */
  readonly text?: string | undefined;
}

/** The sign before a shortcut or number need not be typed. */
const nameWithoutSign = (name: string, query: string): string =>
  /^[/#@]/.test(query) ? name : name.replace(/^[/#@]/, "");

const scoreOfTexts = (query: string, { names, text = "" }: SearchedTexts): number | undefined => {
  const scores = names.flatMap((name, index) => {
    const score = scoreOfContained(query, nameWithoutSign(foldText(name), query));
    return score === undefined ? [] : [score - index];
  });
  if (scores.length > 0) return Math.max(...scores);
  const score = scoreOfContained(query, foldText(text));
  if (score !== undefined) return score / SCORES.whole - 1;
  const all = foldText([...names, text].join(" "));
  return query.split(/\s+/).every((word) => all.includes(word)) ? -2 : undefined;
};

/**
 * Entries to choose from that contain the typed text: exact names first, then beginnings of names, beginnings of their words, other places,
 * and texts. Equal matches keep their order.
 */
export const findEntries = <T>(
  typed: string,
  entries: readonly T[],
  textsOf: (entry: T) => SearchedTexts,
): readonly T[] => {
  const query = foldText(typed).trim();
  return query === "" ? entries : bestFirst(entries, (entry) => scoreOfTexts(query, textsOf(entry)));
};
