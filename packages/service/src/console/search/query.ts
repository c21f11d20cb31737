import { lexemesByPosition, tokensOf, type Token } from "./lexemes.ts";

/** A word of a query. */
export interface QueryWord {
  readonly lexeme: string;
  /** Also words that begin with it. */
  readonly isPrefix: boolean;
  /** Position relative to the first word of its term. */
  readonly offset: number;
}

/** Words that follow each other in a document. */
export interface QueryTerm {
  readonly words: readonly [QueryWord, ...QueryWord[]];
}

/** Terms that must occur and terms that must not. Without one that must, nothing is found. */
export interface Query {
  readonly required: readonly QueryTerm[];
  readonly excluded: readonly QueryTerm[];
}

const ITEM = /(-?)"([^"]*)("?)|(-?)(\S+)/g;

/** @shape isOpen: the last word may be the beginning of a longer word */
const termOf = (text: string, isOpen: boolean): QueryTerm | undefined => {
  const tokens = tokensOf([text]);
  // The last character of a run is in its last pair already. A longer word may have been divided where it was cut off.
  const words = tokens
    .filter(({ isRunEnd }) => !isRunEnd)
    .map(({ lexeme, position, isSingle }) => ({
      lexeme,
      offset: position,
      isPrefix: isSingle || (isOpen && position === tokens.at(-1)?.position),
    }));
  const [first, ...more] = words;
  return first && { words: [first, ...more] };
};

/**
 * Reads a query: words, "quoted words" that follow each other, and -words that must not occur.
 * @assumed A word with punctuation, such as an e-mail address, is a phrase of its parts. A quotation mark that is not closed quotes the rest.
 * The last word of the query is also a beginning, unless it is excluded or its quotation is closed. A character of a script without spaces
 * that stands alone is found in any place.
 */
export const parseQuery = (text: string): Query => {
  const [required, excluded] = [new Map<string, QueryTerm>(), new Map<string, QueryTerm>()];
  const length = text.trimEnd().length;
  for (const match of text.matchAll(ITEM)) {
    const [all, quotedSign, quoted, closing, bareSign, bare] = match;
    const isExcluded = (quotedSign ?? bareSign) === "-" && (quoted ?? bare) !== "";
    const isLast = match.index + all.trimEnd().length >= length;
    const term = termOf(quoted ?? bare ?? "", isLast && !isExcluded && closing !== '"');
    if (term) (isExcluded ? excluded : required).set(JSON.stringify(term), term);
  }
  return { required: [...required.values()], excluded: [...excluded.values()] };
};

const isMatch = ({ lexeme, isPrefix }: QueryWord, found: string | undefined): boolean =>
  found !== undefined && (isPrefix ? found.startsWith(lexeme) : found === lexeme);

/** Positions of a document at which a term begins. @shape lexemes: by position */
const occurrences = ({ words }: QueryTerm, lexemes: readonly string[]): number[] => {
  const found: number[] = [];
  for (let start = 0; start < lexemes.length; start++)
    if (words.every((word) => isMatch(word, lexemes[start + word.offset]))) found.push(start);
  return found;
};

/** Whether a document matches. @shape lexemes: by position */
export const matchesQuery = ({ required, excluded }: Query, lexemes: readonly string[]): boolean =>
  required.length > 0 &&
  required.every((term) => occurrences(term, lexemes).length > 0) &&
  !excluded.some((term) => occurrences(term, lexemes).length > 0);

/** Matches of a query in one field. @units UTF-16 code units */
export interface MatchSpan {
  readonly field: number;
  readonly start: number;
  readonly end: number;
}

/**
 * The places of a document that a query matches, in order and without overlaps.
 * -> undefined: the document does not match
 */
export const matchSpans = (query: Query, tokens: readonly Token[]): readonly MatchSpan[] | undefined => {
  const lexemes = lexemesByPosition(tokens);
  if (!matchesQuery(query, lexemes)) return undefined;
  const byPosition = new Map(tokens.map((token) => [token.position, token]));
  const spans = new Map<number, MatchSpan>();
  for (const term of query.required)
    for (const position of occurrences(term, lexemes))
      for (const { lexeme, offset } of term.words) {
        const token = byPosition.get(position + offset);
        if (!token) continue;
        // Of a pair of characters only the first may have been searched for.
        const end = token.firstEnd < token.end && lexeme.length < token.lexeme.length ? token.firstEnd : token.end;
        const { field, start } = token;
        const other = spans.get(token.position);
        spans.set(token.position, { field, start, end: Math.max(end, other?.end ?? 0) });
      }
  const merged: MatchSpan[] = [];
  const ordered = [...spans.values()].sort((a, b) => a.field - b.field || a.start - b.start || a.end - b.end);
  for (const span of ordered) {
    const last = merged.at(-1);
    if (last?.field === span.field && span.start <= last.end)
      merged[merged.length - 1] = { ...last, end: Math.max(last.end, span.end) };
    else merged.push(span);
  }
  return merged;
};
