/**
 * Blocks: the terms of a chunk in ascending order with their postings, divided into rows of about a kilobyte. A row for each term would be
 * mostly overhead, since nearly all terms of a chunk occur in a few documents.
 *
 * An entry: the number of bytes that the term shares with the one before it, the number and the rest of its bytes (UTF-8), the number and
 * the bytes of its postings.
 */
import { NumberReader } from "./postings.ts";

/** A row. `first` is its first term. */
export interface Block {
  readonly first: string;
  readonly entries: Uint8Array;
}

export interface BlockEntry {
  readonly term: string;
  readonly postings: Uint8Array;
}

/** A block ends when it has this size. @units bytes */
const BLOCK_BYTES = 1_024;
/** Bytes of a term: 40 UTF-16 code units have at most 120. */
const TERM_BYTES_MAX = 256;

/** A value that sorts UTF-16 code units in the order of code points, which is that of UTF-8. */
const rank = (unit: number): number => (unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800);

/** Compares terms as PostgreSQL's collation "C" does in a database of UTF-8. */
export const compareTerms = (a: string, b: string): number => {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const [left, right] = [a.charCodeAt(index), b.charCodeAt(index)];
    if (left !== right) return rank(left) - rank(right);
  }
  return a.length - b.length;
};

/** Bytes of a number that says how long something in a block is. */
const LENGTH_BYTES_MAX = 5;

/** Bytes that grow. */
class BlockWriter {
  #buffer = Buffer.allocUnsafe(2 * BLOCK_BYTES);
  size = 0;
  readonly #before = Buffer.allocUnsafe(TERM_BYTES_MAX);
  #beforeLength = 0;
  readonly #term = Buffer.allocUnsafe(TERM_BYTES_MAX);

  #number(value: number): void {
    let left = value;
    while (left >= 0x80) {
      this.#buffer[this.size++] = (left & 0x7f) | 0x80;
      left >>>= 7;
    }
    this.#buffer[this.size++] = left;
  }

  add(term: string, postings: Uint8Array): void {
    const length = this.#term.write(term);
    const needed = this.size + length + postings.length + 3 * LENGTH_BYTES_MAX;
    if (needed > this.#buffer.length) this.#buffer = Buffer.concat([this.#buffer], needed * 2);
    let shared = 0;
    while (shared < length && shared < this.#beforeLength && this.#term[shared] === this.#before[shared]) shared++;
    this.#number(shared);
    this.#number(length - shared);
    this.size += this.#term.copy(this.#buffer, this.size, shared, length);
    this.#number(postings.length);
    this.#buffer.set(postings, this.size);
    this.size += postings.length;
    this.#term.copy(this.#before, 0, 0, length);
    this.#beforeLength = length;
  }

  /** The bytes that were written; starts anew. */
  end(): Uint8Array {
    const bytes = new Uint8Array(this.#buffer.subarray(0, this.size));
    this.size = 0;
    this.#beforeLength = 0;
    return bytes;
  }
}

/** Writes entries in ascending order of their terms. */
export function* writeBlocks(entries: Iterable<BlockEntry>): Generator<Block> {
  const writer = new BlockWriter();
  let first: string | undefined;
  for (const { term, postings } of entries) {
    if (first !== undefined && (writer.size >= BLOCK_BYTES || postings.length >= BLOCK_BYTES)) {
      yield { first, entries: writer.end() };
      first = undefined;
    }
    first ??= term;
    writer.add(term, postings);
  }
  if (first !== undefined) yield { first, entries: writer.end() };
}

/** Reads the entries of a block. The postings are parts of the block's bytes. */
export function* readBlock(entries: Uint8Array): Generator<BlockEntry> {
  const block = Buffer.from(entries.buffer, entries.byteOffset, entries.byteLength);
  const reader = new NumberReader(block);
  let term: Buffer = Buffer.alloc(0);
  while (reader.at < block.length) {
    const shared = reader.next();
    const rest = reader.next();
    term = Buffer.concat([term.subarray(0, shared), block.subarray(reader.at, reader.at + rest)]);
    reader.at += rest;
    const length = reader.next();
    yield { term: term.toString(), postings: block.subarray(reader.at, reader.at + length) };
    reader.at += length;
  }
}

/** The postings of a term. -> undefined if the block does not contain it */
export const findInBlock = (entries: Uint8Array, term: string): Uint8Array | undefined => {
  const wanted = Buffer.from(term);
  const reader = new NumberReader(entries);
  // Bytes of the current term that agree with the wanted one. A term that shares more with its predecessor than those agrees as far.
  let agreed = 0;
  let isFirst = true;
  while (reader.at < entries.length) {
    const shared = reader.next();
    const rest = reader.next();
    const start = reader.at;
    reader.at += rest;
    const length = reader.next();
    if (isFirst || shared <= agreed) {
      let at = 0;
      while (at < rest && shared + at < wanted.length && entries[start + at] === wanted[shared + at]) at++;
      agreed = shared + at;
      if (agreed === wanted.length && at === rest) return entries.subarray(reader.at, reader.at + length);
      // Terms ascend: a greater one means that the wanted one is absent.
      if (at < rest && (agreed === wanted.length || (entries[start + at] ?? 0) > (wanted[agreed] ?? 0)))
        return undefined;
    }
    isFirst = false;
    reader.at += length;
  }
  return undefined;
};
