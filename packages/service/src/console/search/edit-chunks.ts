import { compareTerms, findInBlock, readBlock, writeBlocks, type Block, type BlockEntry } from "./blocks.ts";
import { ASSIGNEE_MARK, type DocumentKind } from "./documents.ts";
import type { ChunkBlock, ChunkPlace, IndexStore } from "./index.sql.ts";
import { containsAny, editPostings, isMark, PostingWriter, readPostings } from "./postings.ts";

/** Documents of one conversation or one user. */
interface DocumentOwner {
  /** The mark of its documents. */
  readonly mark: string;
  /** Period that contains the creation times of its documents. */
  readonly from: Date;
  readonly to: Date;
}

/** An owner with the marks of those who reach its documents. */
export interface MovedOwner extends DocumentOwner {
  readonly assignees: readonly string[];
}

interface IndexOf {
  readonly accountId: number;
  readonly kind: DocumentKind;
}

const listed = (term: string, postings: Uint8Array | undefined): readonly number[] =>
  postings === undefined ? [] : readPostings(term, postings).ordinals;

/** The documents of each owner in a chunk, by the owner's mark. */
const documentsOf = async (
  store: IndexStore,
  place: ChunkPlace,
  owners: readonly DocumentOwner[],
): Promise<ReadonlyMap<string, readonly number[]>> => {
  const marks = owners.map(({ mark }) => mark);
  const blocks = await store.blocksOfTerms(place, marks);
  return new Map(
    marks.map((mark) => [
      mark,
      blocks.flatMap(({ entries }) => listed(mark, findInBlock(entries, mark))).sort((a, b) => a - b),
    ]),
  );
};

const entriesOf = (blocks: readonly Block[]): BlockEntry[] =>
  blocks.toSorted((a, b) => compareTerms(a.first, b.first)).flatMap(({ entries }) => [...readBlock(entries)]);

/** Replaces who reaches the documents of some owners in a chunk. */
const moveInChunk = async (store: IndexStore, place: ChunkPlace, owners: readonly MovedOwner[]): Promise<void> => {
  const documents = await documentsOf(store, place, owners);
  const added = new Map<string, number[]>();
  const removed = new Set<number>();
  for (const { mark, assignees } of owners)
    for (const ordinal of documents.get(mark) ?? []) {
      removed.add(ordinal);
      for (const assignee of assignees) added.set(assignee, [...(added.get(assignee) ?? []), ordinal]);
    }
  if (removed.size === 0) return;
  const blocks = await store.blocksOfPrefix(place, ASSIGNEE_MARK);
  let isChanged = false;
  const entries = entriesOf(blocks).flatMap(({ term, postings }) => {
    if (!term.startsWith(ASSIGNEE_MARK)) return [{ term, postings }];
    const edited = editPostings(term, postings, { removed, added: added.get(term) ?? [] });
    added.delete(term);
    isChanged ||= edited === undefined || Buffer.compare(edited, postings) !== 0;
    return edited ? [{ term, postings: edited }] : [];
  });
  for (const [term, ordinals] of added) {
    isChanged = true;
    const writer = new PostingWriter();
    for (const ordinal of [...new Set(ordinals)].sort((a, b) => a - b)) writer.addMark(ordinal);
    entries.push({ term, postings: writer.end() });
  }
  if (!isChanged) return;
  const ordered = entries.toSorted((a, b) => compareTerms(a.term, b.term));
  await store.replaceBlocks(place, blocks, [...writeBlocks(ordered)]);
};

const inEachChunk = async <O extends DocumentOwner>(
  store: IndexStore,
  { accountId, kind }: IndexOf,
  owners: readonly O[],
  edit: (place: ChunkPlace, owners: readonly O[]) => Promise<void>,
): Promise<void> => {
  if (owners.length === 0) return;
  for (const [chunk, places] of await store.overlapping(accountId, kind, owners))
    await edit(
      { accountId, kind, chunk },
      places.flatMap((place) => owners[place] ?? []),
    );
};

/** Replaces who reaches the documents of some owners in the chunks of an index. */
export const moveOwners = (store: IndexStore, of: IndexOf, owners: readonly MovedOwner[]): Promise<void> =>
  inEachChunk(store, of, owners, (place, own) => moveInChunk(store, place, own));

/**
 * Removes documents from the lists of all words of an index, whatever their text was when it was indexed. A word without a document is
 * removed itself. The marks stay: they contain ids only.
 * @shape owners: marks of conversations or users
 */
export const eraseDocuments = async (
  store: IndexStore,
  { accountId, kind }: IndexOf,
  owners: readonly string[],
): Promise<void> => {
  for (const [chunk, found] of await blocksByChunk(store, { accountId, kind }, owners)) {
    const removed = new Set(found.flatMap(({ term, entries }) => listed(term, findInBlock(entries, term))));
    if (removed.size === 0) continue;
    const place = { accountId, kind, chunk };
    const before: Block[] = [];
    const after: Block[] = [];
    for (const block of await store.blocksOfPrefix(place, "")) {
      let isChanged = false;
      const entries = [...readBlock(block.entries)].flatMap(({ term, postings }) => {
        if (isMark(term) || !containsAny(postings, removed)) return [{ term, postings }];
        isChanged = true;
        const edited = editPostings(term, postings, { removed });
        return edited ? [{ term, postings: edited }] : [];
      });
      if (!isChanged) continue;
      before.push(block);
      after.push(...writeBlocks(entries));
    }
    if (before.length > 0) await store.replaceBlocks(place, before, after);
  }
};

const blocksByChunk = async (store: IndexStore, { accountId, kind }: IndexOf, terms: readonly string[]) => {
  const byChunk = new Map<number, ChunkBlock[]>();
  for (const block of await store.blocksOfChunks(accountId, kind, terms)) {
    const own = byChunk.get(block.chunk) ?? [];
    byChunk.set(block.chunk, own);
    own.push(block);
  }
  return byChunk;
};
