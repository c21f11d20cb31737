import type { SearchHighlight } from "@parley/contract";
import type { DocumentFields } from "./documents.ts";
import type { MatchSpan } from "./query.ts";

/** Length of the text around the first match. @units UTF-16 code units */
const EXCERPT_LENGTH = 200;
/** Of these, before the match. */
const LEAD_LENGTH = 60;
const ELLIPSIS = "…";
/** Between two fields that match, such as the names of a user. */
const SEPARATOR = " · ";

type Piece = SearchHighlight[number];

/** Moves a cut to a nearby space, and never into the middle of a character. */
const cutAt = (text: string, offset: number, direction: 1 | -1): number => {
  const nearby = direction === 1 ? text.slice(offset, offset + 20) : text.slice(Math.max(0, offset - 20), offset);
  const space = direction === 1 ? nearby.search(/\s/u) : nearby.search(/\s(?=\S*$)/u);
  if (space !== -1) return direction === 1 ? offset + space + 1 : offset - nearby.length + space;
  const code = text.charCodeAt(offset);
  return code >= 0xdc00 && code <= 0xdfff ? offset + direction : offset;
};

const excerptOf = (text: string, spans: readonly MatchSpan[], length: number): Piece[] => {
  const first = spans[0]?.start ?? 0;
  const start = first <= LEAD_LENGTH ? 0 : Math.min(cutAt(text, first - LEAD_LENGTH, 1), first);
  // A match that is longer than the excerpt is shown in part.
  const end = text.length <= start + length ? text.length : Math.max(cutAt(text, start + length, -1), start + 1);
  const pieces: Piece[] = [];
  const add = (from: number, to: number, isMatch: boolean): void => {
    if (from < to) pieces.push({ text: text.slice(from, to), ...(isMatch && { is_match: true as const }) });
  };
  let at = start;
  for (const span of spans) {
    if (span.start >= end) break;
    add(at, span.start, false);
    add(Math.max(at, span.start), Math.min(span.end, end), true);
    at = Math.min(span.end, end);
  }
  add(at, end, false);
  return [...(start > 0 ? [{ text: ELLIPSIS }] : []), ...pieces, ...(end < text.length ? [{ text: ELLIPSIS }] : [])];
};

const joined = (pieces: readonly Piece[]): SearchHighlight => {
  const merged: Piece[] = [];
  for (const piece of pieces) {
    const last = merged.at(-1);
    if (last && last.is_match === piece.is_match) merged[merged.length - 1] = { ...last, text: last.text + piece.text };
    else merged.push(piece);
  }
  return merged;
};

/** The text around the matches: of each field that matches, until the excerpt is full. */
export const highlightOf = ({ fields, forms }: DocumentFields, spans: readonly MatchSpan[]): SearchHighlight => {
  const pieces: Piece[] = [];
  let left = EXCERPT_LENGTH;
  const isInForm = spans.some(({ field }) => field >= fields.length);
  for (const [field, text] of fields.entries()) {
    // A match in another form of a field is shown as the whole field.
    const own =
      isInForm && field === forms?.of
        ? [{ field, start: 0, end: text.length }]
        : spans.filter((span) => span.field === field);
    if (own.length === 0 || left <= 0) continue;
    if (pieces.length > 0) pieces.push({ text: SEPARATOR });
    const excerpt = excerptOf(text, own, left);
    pieces.push(...excerpt);
    left -= excerpt.reduce((sum, piece) => sum + piece.text.length, 0);
  }
  return joined(pieces);
};
