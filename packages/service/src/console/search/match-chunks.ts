import { setImmediate } from "node:timers/promises";
import { findInBlock, readBlock } from "./blocks.ts";
import type { SearchedIndex, SearchStore } from "./find.sql.ts";
import { readPostings, type Postings } from "./postings.ts";
import type { Query, QueryTerm, QueryWord } from "./query.ts";

/** What documents must have, in the terms of the index. */
export interface SearchPlan {
  readonly query: Query;
  /** All of these marks. */
  readonly marks: readonly string[];
  /** One of these marks; undefined: any. */
  readonly assignees: readonly string[] | undefined;
}

/** Ordinals of documents in ascending order, by chunk. */
type OrdinalsByChunk = Map<number, readonly number[]>;
type PostingsByChunk = ReadonlyMap<number, Postings>;

/** So few candidates are read and checked rather than narrowed down by further words: in total, and in one chunk. */
const FEW_CANDIDATES = 32;
const FEW_IN_CHUNK = 2;
/** In one chunk, before a beginning of so many characters: a short one stands for the lists of many words. */
const FEW_BY_PREFIX_LENGTH: readonly number[] = [16, 16, 6];

/** Blocks that are read at a time: other requests of the process are served in between. */
const ROWS_PER_TURN = 32;

const NOTHING: Postings = { ordinals: [], positions: [] };

const intersection = (a: readonly number[], b: readonly number[]): readonly number[] => {
  const both: number[] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    const [left, right] = [a[i] ?? 0, b[j] ?? 0];
    if (left === right) both.push(left);
    if (left <= right) i++;
    if (right <= left) j++;
  }
  return both;
};

const difference = (a: readonly number[], b: readonly number[]): readonly number[] => {
  const removed = new Set(b);
  return a.filter((ordinal) => !removed.has(ordinal));
};

const union = (lists: readonly Postings[]): Postings => {
  if (lists.length === 1) return lists[0] ?? NOTHING;
  const merged = new Map<number, number[]>();
  for (const { ordinals, positions } of lists)
    for (const [index, ordinal] of ordinals.entries()) {
      const own = merged.get(ordinal);
      if (own) own.push(...(positions[index] ?? []));
      else merged.set(ordinal, [...(positions[index] ?? [])]);
    }
  const ordinals = [...merged.keys()].sort((a, b) => a - b);
  const hasPositions = lists.some(({ positions }) => positions.length > 0);
  return { ordinals, positions: hasPositions ? ordinals.map((ordinal) => merged.get(ordinal) ?? []) : [] };
};

/** The documents in which the words of a term follow each other. @shape lists: of each word, with positions */
const phraseOrdinals = ({ words }: QueryTerm, lists: readonly Postings[]): readonly number[] => {
  const ordinals = lists.map((list) => list.ordinals).reduce(intersection);
  const starts = lists.map(
    (list, index) =>
      new Map(
        list.ordinals.map((ordinal, place) => [
          ordinal,
          (list.positions[place] ?? []).map((position) => position - (words[index]?.offset ?? 0)),
        ]),
      ),
  );
  const [first, ...others] = starts;
  return ordinals.filter((ordinal) => {
    const sets = others.map((each) => new Set(each.get(ordinal)));
    return (first?.get(ordinal) ?? []).some((start) => sets.every((set) => set.has(start)));
  });
};

/** Finds the documents of some chunks that match, by the index alone. Few candidates may be more than those that match. */
export const matchChunks = async (
  store: SearchStore,
  index: SearchedIndex,
  chunks: readonly number[],
  { query, marks, assignees }: SearchPlan,
): Promise<ReadonlyMap<number, readonly number[]>> => {
  /** Chunks that are left to the check of the stored objects. */
  const settled: OrdinalsByChunk = new Map();
  /** The others; undefined: no condition has been applied yet. */
  let candidates: OrdinalsByChunk | undefined;
  const left = (): readonly number[] => (candidates ? [...candidates.keys()] : chunks);
  const apply = (change: (chunk: number, before: readonly number[] | undefined) => readonly number[]): void => {
    const next: OrdinalsByChunk = new Map();
    for (const chunk of left()) {
      const ordinals = change(chunk, candidates?.get(chunk));
      if (ordinals.length > 0) next.set(chunk, ordinals);
    }
    candidates = next;
  };
  const keep = (found: (chunk: number) => readonly number[]): void =>
    apply((chunk, before) => (before ? intersection(before, found(chunk)) : found(chunk)));
  /** Settles the chunks that have few candidates. */
  const settle = (fewInChunk: number): void => {
    if (!candidates) return;
    const total = [...candidates.values()].reduce((sum, each) => sum + each.length, 0);
    for (const [chunk, ordinals] of candidates)
      if (total <= FEW_CANDIDATES || ordinals.length <= fewInChunk) {
        settled.set(chunk, ordinals);
        candidates.delete(chunk);
      }
  };

  /** The lists of terms, in their order; of the candidates only. */
  const read = async (terms: readonly string[], withPositions: readonly boolean[]): Promise<PostingsByChunk[]> => {
    const lists = terms.map(() => new Map<number, Postings>());
    if (terms.length === 0 || left().length === 0) return lists;
    for (const [row, { chunk, place, entries }] of (await store.blocks(index, left(), terms)).entries()) {
      if (row % ROWS_PER_TURN === ROWS_PER_TURN - 1) await setImmediate();
      const term = terms[place] ?? "";
      const bytes = findInBlock(entries, term);
      if (!bytes) continue;
      const selection = { withPositions: withPositions[place], among: candidates?.get(chunk) };
      lists[place]?.set(chunk, readPostings(term, bytes, selection));
    }
    return lists;
  };
  const readPrefix = async ({ lexeme }: QueryWord, withPositions: boolean): Promise<PostingsByChunk> => {
    const lists = new Map<number, Postings[]>();
    if (left().length === 0) return new Map();
    for (const [row, { chunk, entries }] of (await store.prefixBlocks(index, left(), lexeme)).entries()) {
      if (row % ROWS_PER_TURN === ROWS_PER_TURN - 1) await setImmediate();
      for (const { term, postings } of readBlock(entries)) {
        if (!term.startsWith(lexeme)) continue;
        const own = lists.get(chunk) ?? [];
        lists.set(chunk, own);
        own.push(readPostings(term, postings, { withPositions, among: candidates?.get(chunk) }));
      }
    }
    return new Map([...lists].map(([chunk, own]) => [chunk, union(own)]));
  };

  const lists = new Map<QueryWord, PostingsByChunk>();
  const readWords = async (words: readonly { readonly word: QueryWord; readonly isPhrase: boolean }[]) => {
    const exact = words.filter(({ word }) => !word.isPrefix);
    const found = await read(
      exact.map(({ word }) => word.lexeme),
      exact.map(({ isPhrase }) => isPhrase),
    );
    for (const [place, { word }] of exact.entries()) lists.set(word, found[place] ?? new Map());
    for (const { word, isPhrase } of words) if (word.isPrefix) lists.set(word, await readPrefix(word, isPhrase));
  };
  const ordinalsOf = (word: QueryWord, chunk: number): readonly number[] =>
    (lists.get(word)?.get(chunk) ?? NOTHING).ordinals;
  const ordinalsOfTerm = (term: QueryTerm, chunk: number): readonly number[] =>
    term.words.length === 1
      ? ordinalsOf(term.words[0], chunk)
      : phraseOrdinals(
          term,
          term.words.map((word) => lists.get(word)?.get(chunk) ?? NOTHING),
        );

  const markLists = await read(
    marks,
    marks.map(() => false),
  );
  for (const list of markLists) keep((chunk) => (list.get(chunk) ?? NOTHING).ordinals);
  if (assignees) {
    const found = await read(
      assignees,
      assignees.map(() => false),
    );
    keep((chunk) => union(found.map((list) => list.get(chunk) ?? NOTHING)).ordinals);
  }
  const wordsOfTerms = (terms: readonly QueryTerm[]) =>
    terms.flatMap(({ words }) => words.map((word) => ({ word, isPhrase: words.length > 1 })));
  // Long words tend to be rare. Beginnings may stand for many words: they come last.
  const ordered = wordsOfTerms(query.required).toSorted(
    (a, b) => Number(a.word.isPrefix) - Number(b.word.isPrefix) || b.word.lexeme.length - a.word.lexeme.length,
  );
  for (const next of ordered) {
    const { isPrefix, lexeme } = next.word;
    settle((isPrefix ? FEW_BY_PREFIX_LENGTH[lexeme.length] : undefined) ?? FEW_IN_CHUNK);
    await readWords([next]);
    keep((chunk) => ordinalsOf(next.word, chunk));
  }
  for (const term of query.required) if (term.words.length > 1) keep((chunk) => ordinalsOfTerm(term, chunk));
  settle(FEW_IN_CHUNK);
  await readWords(wordsOfTerms(query.excluded));
  for (const term of query.excluded) apply((chunk, before = []) => difference(before, ordinalsOfTerm(term, chunk)));
  return new Map([...settled, ...(candidates ?? [])]);
};
