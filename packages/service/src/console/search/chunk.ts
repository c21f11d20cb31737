import { setImmediate } from "node:timers/promises";
import { compareTerms, writeBlocks, type Block, type BlockEntry } from "./blocks.ts";
import { compareNewest, type DocumentKey, type IndexedDocument } from "./documents.ts";
import { PostingWriter } from "./postings.ts";

/** Bytes of a document's key in a chunk: the time, then the id. */
export const KEY_BYTES = 24;

/** Documents of an account that were indexed together. The newest has the ordinal 0. */
export interface Chunk {
  readonly newest: DocumentKey;
  readonly oldest: DocumentKey;
  readonly size: number;
  /** The keys of the documents by ordinal, KEY_BYTES each. */
  readonly keys: Uint8Array;
  readonly blocks: readonly Block[];
}

/** Documents or terms that are processed at a time: requests of the same process are served in between. */
const STEP = 256;

const writeKey = (keys: Buffer, ordinal: number, { time, id }: DocumentKey): void => {
  keys.writeBigInt64BE(BigInt(time), ordinal * KEY_BYTES);
  keys.write(id.replaceAll("-", ""), ordinal * KEY_BYTES + 8, "hex");
};

/** Reads one key. */
export const readKey = (keys: Uint8Array, index = 0): DocumentKey => {
  const buffer = Buffer.from(keys.buffer, keys.byteOffset + index * KEY_BYTES, KEY_BYTES);
  const hex = buffer.toString("hex", 8);
  const id = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  return { time: Number(buffer.readBigInt64BE()), id };
};

const addDocument = (writers: Map<string, PostingWriter>, ordinal: number, document: IndexedDocument): void => {
  const writerOf = (term: string): PostingWriter => {
    let writer = writers.get(term);
    if (!writer) writers.set(term, (writer = new PostingWriter()));
    return writer;
  };
  for (const [position, word] of document.words.entries()) if (word !== "") writerOf(word).addWord(ordinal, position);
  for (const mark of new Set(document.marks)) writerOf(mark).addMark(ordinal);
};

/** Builds a chunk. @shape documents: at least one, in any order */
export const buildChunk = async (documents: readonly IndexedDocument[]): Promise<Chunk> => {
  const ordered = documents.toSorted(compareNewest);
  const [newest, oldest] = [ordered[0], ordered.at(-1)];
  if (!newest || !oldest) throw new Error("a chunk has at least one document");
  const writers = new Map<string, PostingWriter>();
  const keys = Buffer.alloc(ordered.length * KEY_BYTES);
  for (const [ordinal, document] of ordered.entries()) {
    writeKey(keys, ordinal, document);
    addDocument(writers, ordinal, document);
    if (ordinal % STEP === STEP - 1) await setImmediate();
  }
  const terms = [...writers.keys()].sort(compareTerms);
  await setImmediate();
  const entries = function* (): Generator<BlockEntry> {
    for (const term of terms) yield { term, postings: writers.get(term)?.end() ?? new Uint8Array() };
  };
  const blocks: Block[] = [];
  for (const block of writeBlocks(entries())) {
    blocks.push(block);
    if (blocks.length % (STEP / 8) === 0) await setImmediate();
  }
  return {
    newest: { time: newest.time, id: newest.id },
    oldest: { time: oldest.time, id: oldest.id },
    size: ordered.length,
    keys,
    blocks,
  };
};
