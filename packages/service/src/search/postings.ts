/**
 * Lists of the documents of a chunk that contain a term, as bytes. A document is named by its ordinal in the chunk.
 *
 * A list of a mark: the distance of each ordinal to the one before it. A list of a word: twice that distance, plus one if the word has
 * several positions in the document; then the position, or the number of positions and the distance of each to the one before it.
 * Numbers have seven bits in a byte, the lowest first; the eighth bit says that more follow.
 */
import { ASSIGNEE_MARK } from "./documents.ts";

/** Documents in ascending order; `positions` has an element for each, in ascending order. */
export interface Postings {
  readonly ordinals: readonly number[];
  readonly positions: readonly (readonly number[])[];
}

/** Marks begin with a character that no word contains, and have no positions. */
export const isMark = (term: string): boolean => term.startsWith(ASSIGNEE_MARK.slice(0, 1));

export const pushNumber = (bytes: number[], value: number): void => {
  let left = value;
  while (left >= 0x80) {
    bytes.push((left & 0x7f) | 0x80);
    left >>>= 7;
  }
  bytes.push(left);
};

/** Reads numbers one after the other. */
export class NumberReader {
  readonly bytes: Uint8Array;
  at: number;
  constructor(bytes: Uint8Array, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }
  next(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.bytes[this.at++] ?? 0;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  }
}

/** Appends the documents of a term in ascending order. */
export interface PostingWriter {
  readonly bytes: number[];
  last: number;
}

export const createPostingWriter = (): PostingWriter => ({ bytes: [], last: 0 });

export const appendMark = (writer: PostingWriter, ordinal: number): void => {
  pushNumber(writer.bytes, ordinal - writer.last);
  writer.last = ordinal;
};

export const appendWord = (writer: PostingWriter, ordinal: number, positions: readonly number[]): void => {
  const { bytes } = writer;
  const isSeveral = positions.length > 1;
  pushNumber(bytes, (ordinal - writer.last) * 2 + (isSeveral ? 1 : 0));
  writer.last = ordinal;
  if (isSeveral) pushNumber(bytes, positions.length);
  let before = 0;
  for (const position of positions) {
    pushNumber(bytes, position - before);
    before = position;
  }
};

/** @shape withPositions: only for words; otherwise the positions are empty */
export const readPostings = (term: string, bytes: Uint8Array, withPositions = false): Postings => {
  const reader = new NumberReader(bytes);
  const ordinals: number[] = [];
  const positions: number[][] = [];
  let ordinal = 0;
  if (isMark(term)) {
    while (reader.at < bytes.length) ordinals.push((ordinal += reader.next()));
    return { ordinals, positions };
  }
  while (reader.at < bytes.length) {
    const head = reader.next();
    ordinals.push((ordinal += head >>> 1));
    const count = head & 1 ? reader.next() : 1;
    const own: number[] = [];
    let position = 0;
    for (let index = 0; index < count; index++) {
      position += reader.next();
      if (withPositions) own.push(position);
    }
    if (withPositions) positions.push(own);
  }
  return { ordinals, positions };
};

/** Whether a list of a word contains one of the documents. */
export const containsAny = (bytes: Uint8Array, ordinals: ReadonlySet<number>): boolean => {
  const reader = new NumberReader(bytes);
  let ordinal = 0;
  while (reader.at < bytes.length) {
    const head = reader.next();
    ordinal += head >>> 1;
    if (ordinals.has(ordinal)) return true;
    for (let count = head & 1 ? reader.next() : 1; count > 0; count--) reader.next();
  }
  return false;
};

/** The list without some documents, and with others for a mark. -> undefined: nothing is left */
export const editPostings = (
  term: string,
  bytes: Uint8Array,
  { removed, added = [] }: { readonly removed: ReadonlySet<number>; readonly added?: readonly number[] },
): Uint8Array | undefined => {
  const { ordinals, positions } = readPostings(term, bytes, true);
  const writer = createPostingWriter();
  if (isMark(term)) {
    const left = new Set(ordinals.filter((ordinal) => !removed.has(ordinal)));
    for (const ordinal of added) left.add(ordinal);
    for (const ordinal of [...left].sort((a, b) => a - b)) appendMark(writer, ordinal);
  } else
    for (const [index, ordinal] of ordinals.entries())
      if (!removed.has(ordinal)) appendWord(writer, ordinal, positions[index] ?? []);
  return writer.bytes.length === 0 ? undefined : Uint8Array.from(writer.bytes);
};
