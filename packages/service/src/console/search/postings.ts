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

const pushNumber = (bytes: number[], value: number): void => {
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

/** Writes the list of a term; documents and positions are added in ascending order. */
export class PostingWriter {
  readonly #bytes: number[] = [];
  #last = 0;
  /** The document whose positions are not written yet. */
  #ordinal = -1;
  #positions: number[] = [];

  addMark(ordinal: number): void {
    pushNumber(this.#bytes, ordinal - this.#last);
    this.#last = ordinal;
  }

  addWord(ordinal: number, position: number): void {
    if (ordinal !== this.#ordinal) this.#endDocument();
    this.#ordinal = ordinal;
    this.#positions.push(position);
  }

  #endDocument(): void {
    const positions = this.#positions;
    if (positions.length === 0) return;
    const isSeveral = positions.length > 1;
    pushNumber(this.#bytes, (this.#ordinal - this.#last) * 2 + (isSeveral ? 1 : 0));
    this.#last = this.#ordinal;
    if (isSeveral) pushNumber(this.#bytes, positions.length);
    let before = 0;
    for (const position of positions) {
      pushNumber(this.#bytes, position - before);
      before = position;
    }
    positions.length = 0;
  }

  /** The bytes of the list; nothing is added afterwards. */
  end(): Uint8Array {
    this.#endDocument();
    return new Uint8Array(this.#bytes);
  }
}

/** What is read of a list. */
interface PostingSelection {
  /** Only for words; otherwise the positions are empty. */
  readonly withPositions?: boolean | undefined;
  /** Only these documents, in ascending order. Absent: all */
  readonly among?: readonly number[] | undefined;
}

export const readPostings = (
  term: string,
  bytes: Uint8Array,
  { withPositions = false, among }: PostingSelection = {},
): Postings => {
  const reader = new NumberReader(bytes);
  const ordinals: number[] = [];
  const positions: number[][] = [];
  const hasPositions = !isMark(term);
  let ordinal = 0;
  let next = 0;
  while (reader.at < bytes.length) {
    const head = reader.next();
    ordinal += hasPositions ? head >>> 1 : head;
    let count = 0;
    if (hasPositions) count = head & 1 ? reader.next() : 1;
    let isWanted = true;
    if (among) {
      while (next < among.length && (among[next] ?? 0) < ordinal) next++;
      if (next === among.length) break;
      isWanted = among[next] === ordinal;
    }
    if (isWanted) ordinals.push(ordinal);
    if (isWanted && withPositions) {
      const own: number[] = [];
      let position = 0;
      for (; count > 0; count--) own.push((position += reader.next()));
      positions.push(own);
    } else for (; count > 0; count--) reader.next();
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
  const { ordinals, positions } = readPostings(term, bytes, { withPositions: true });
  const writer = new PostingWriter();
  if (isMark(term)) {
    const left = new Set(ordinals.filter((ordinal) => !removed.has(ordinal)));
    for (const ordinal of added) left.add(ordinal);
    for (const ordinal of [...left].sort((a, b) => a - b)) writer.addMark(ordinal);
  } else
    for (const [index, ordinal] of ordinals.entries())
      if (!removed.has(ordinal)) for (const position of positions[index] ?? []) writer.addWord(ordinal, position);
  const edited = writer.end();
  return edited.length === 0 ? undefined : edited;
};
