import { arrayLiteral, statement, type Db } from "@parley/database";
import type { Block } from "./blocks.ts";
import type { Chunk } from "./chunk.ts";
import { compareNewest, type DocumentKind, type IndexedDocument } from "./documents.ts";
import type { AccountIndexedDocument } from "./source.sql.ts";

/** Class of the advisory locks of an account's index; the second number is the account. */
const INDEX_LOCK_CLASS = 0x7061_7205;

const LOCK = statement(
  "lock_search_index",
  `select pg_advisory_xact_lock(${INDEX_LOCK_CLASS}, id) from (select unnest($1::integer[]) as id order by 1) account`,
);
const ADD_RECENT = statement(
  "add_search_recent",
  `insert into search_recent (account_id, kind, created_time, id, owner, marks, words)
   select account_id, $1, created_time, id, owner, string_to_array(marks, ' '), words
     from unnest($2::integer[], $3::timestamptz[], $4::uuid[], $5::uuid[], $6::text[], $7::text[])
          as d (account_id, created_time, id, owner, marks, words)
       on conflict (account_id, kind, created_time, id) do update set marks = excluded.marks, words = excluded.words`,
);
const COUNT_RECENT = statement(
  "count_search_recent",
  `select count(*)::integer as count from search_recent where account_id = $1 and kind = $2`,
);
// By the places of the rows, since a join may compare each row with each.
const TAKE_RECENT = statement(
  "take_search_recent",
  `delete from search_recent
    where ctid = any(array(
            select ctid from search_recent
             where account_id = $1 and kind = $2 and (created_time, id) > ($3, $4)
             order by created_time, id
             limit $5))
   returning created_time, id, owner, marks, words`,
);
const ADD_CHUNK = statement(
  "add_search_chunk",
  `insert into search_chunks (account_id, kind, chunk, newest_time, newest_id, oldest_time, size, keys)
   select $1::integer, $2::smallint,
          coalesce((select max(chunk) from search_chunks where account_id = $1 and kind = $2), 0) + 1, $3, $4, $5, $6, $7
   returning chunk`,
);
const ADD_BLOCKS = statement(
  "add_search_blocks",
  `insert into search_blocks (account_id, kind, chunk, first, entries)
   select $1, $2, $3, first, entries from unnest($4::text[], $5::bytea[]) as block (first, entries)`,
);
const DELETE_BLOCKS = statement(
  "delete_search_blocks",
  `delete from search_blocks where account_id = $1 and kind = $2 and chunk = $3 and first = any($4::text[])`,
);
const REMARK_RECENT = statement(
  "remark_search_recent",
  `update search_recent r
      set marks = array(select mark from unnest(r.marks) as mark where not starts_with(mark, '=a'))
                  || string_to_array(moved.marks, ' ')
     from unnest($1::uuid[], $2::text[]) as moved (owner, marks)
    where r.owner = moved.owner`,
);
const DELETE_RECENT = statement("delete_search_recent", `delete from search_recent where owner = any($1::uuid[])`);
const OVERLAPPING = statement(
  "overlapping_search_chunks",
  `select c.chunk, asked.place::integer - 1 as place
     from unnest($3::timestamptz[], $4::timestamptz[]) with ordinality as asked (from_time, to_time, place)
     join search_chunks c
       on c.account_id = $1 and c.kind = $2 and c.newest_time >= asked.from_time and c.oldest_time <= asked.to_time`,
);
const BLOCKS_OF_TERMS = statement(
  "search_blocks_of_terms",
  `select distinct block.first, block.entries
     from unnest($4::text[]) as asked (term)
    cross join lateral (
      select first, entries from search_blocks
       where account_id = $1 and kind = $2 and chunk = $3 and first <= asked.term
       order by first desc
       limit 1
    ) block`,
);
const BLOCKS_OF_CHUNKS = statement(
  "search_blocks_of_chunks",
  `select c.chunk, asked.term, block.entries
     from search_chunks c
    cross join unnest($3::text[]) as asked (term)
    cross join lateral (
      select entries from search_blocks
       where account_id = $1 and kind = $2 and chunk = c.chunk and first <= asked.term
       order by first desc
       limit 1
    ) block
    where c.account_id = $1 and c.kind = $2`,
);
const BLOCKS_OF_PREFIX = statement(
  "search_blocks_of_prefix",
  `(select first, entries from search_blocks
     where account_id = $1 and kind = $2 and chunk = $3 and first <= $4
     order by first desc
     limit 1)
   union all
   select first, entries from search_blocks
    where account_id = $1 and kind = $2 and chunk = $3 and first > $4 and first < $4 || chr(1114111)`,
);

/** A place in the index. */
export interface ChunkPlace {
  readonly accountId: number;
  readonly kind: DocumentKind;
  readonly chunk: number;
}

/** The block of a chunk that may contain a term. */
export interface ChunkBlock {
  readonly chunk: number;
  readonly term: string;
  readonly entries: Uint8Array;
}

/** The words of a recent document as one text: each has a space before and after it. Between fields there are two spaces. */
const recentWords = (words: readonly string[]): string => ` ${words.join(" ")} `;
export const wordsOfRecent = (text: string): readonly string[] => text.slice(1, -1).split(" ");

interface RecentRow {
  readonly created_time: Date;
  readonly id: string;
  readonly owner: string;
  readonly marks: string[];
  readonly words: string;
}

const documentOfRecent = ({ created_time, words, ...row }: RecentRow): IndexedDocument => ({
  ...row,
  time: created_time.getTime(),
  words: wordsOfRecent(words),
});

/** Recent documents that are read at a time: requests of the same process are served in between. */
const RECENT_PER_READ = 512;

/** Writes of the index. Each transaction locks the accounts first. */
export const indexStore = (db: Db) => ({
  /**
   * Locks the indexes of accounts until the end of the transaction. A document is read after it, so that the deletion of a user, which
   * takes the same lock, either finds the document in the index or is finished before the document is read.
   */
  lock: async (accountIds: Iterable<number>): Promise<void> => {
    await db.rows(LOCK, [arrayLiteral([...new Set(accountIds)])]);
  },
  addRecent: async (kind: DocumentKind, documents: readonly AccountIndexedDocument[]): Promise<void> => {
    // A statement must not insert the same row twice.
    const unique = [...new Map(documents.map((each) => [each.id, each])).values()];
    if (unique.length === 0) return;
    await db.rows(ADD_RECENT, [
      kind,
      arrayLiteral(unique.map(({ account_id }) => account_id)),
      arrayLiteral(unique.map(({ time }) => new Date(time).toISOString())),
      arrayLiteral(unique.map(({ id }) => id)),
      arrayLiteral(unique.map(({ owner }) => owner)),
      unique.map(({ marks }) => marks.join(" ")),
      unique.map(({ words }) => recentWords(words)),
    ]);
  },
  countRecent: async (accountId: number, kind: DocumentKind): Promise<number> =>
    (await db.one<{ count: number }>(COUNT_RECENT, [accountId, kind]))?.count ?? 0,
  /** Removes the oldest documents that are not in a chunk. -> them, the oldest first */
  takeRecent: async (accountId: number, kind: DocumentKind, limit: number): Promise<IndexedDocument[]> => {
    const taken: IndexedDocument[] = [];
    while (taken.length < limit) {
      const last = taken.at(-1);
      const most = Math.min(RECENT_PER_READ, limit - taken.length);
      const after = last ? [new Date(last.time), last.id] : ["-infinity", "00000000-0000-0000-0000-000000000000"];
      const rows = await db.rows<RecentRow>(TAKE_RECENT, [accountId, kind, ...after, most]);
      const documents = rows.map(documentOfRecent).sort((one, other) => compareNewest(other, one));
      taken.push(...documents);
      if (rows.length < most) break;
    }
    return taken;
  },
  addChunk: async (accountId: number, kind: DocumentKind, chunk: Chunk): Promise<void> => {
    const { newest, oldest, size, keys, blocks } = chunk;
    const values = [accountId, kind, new Date(newest.time), newest.id, new Date(oldest.time), size, Buffer.from(keys)];
    const added = await db.one<{ chunk: number }>(ADD_CHUNK, values);
    const texts = [blocks.map(({ first }) => first), blocks.map(({ entries }) => Buffer.from(entries))];
    await db.rows(ADD_BLOCKS, [accountId, kind, added?.chunk, ...texts]);
  },
  /** Replaces the marks of the assignees of recent documents. */
  remarkRecent: async (owners: ReadonlyMap<string, readonly string[]>): Promise<void> => {
    await db.rows(REMARK_RECENT, [
      arrayLiteral([...owners.keys()]),
      [...owners.values()].map((marks) => marks.join(" ")),
    ]);
  },
  deleteRecent: async (owners: readonly string[]): Promise<void> => {
    await db.rows(DELETE_RECENT, [arrayLiteral(owners)]);
  },
  /** -> for each chunk that may contain documents of these periods, the indexes of the periods */
  overlapping: async (
    accountId: number,
    kind: DocumentKind,
    periods: readonly { readonly from: Date; readonly to: Date }[],
  ): Promise<ReadonlyMap<number, readonly number[]>> => {
    const rows = await db.rows<{ chunk: number; place: number }>(OVERLAPPING, [
      accountId,
      kind,
      periods.map(({ from }) => from),
      periods.map(({ to }) => to),
    ]);
    return groupPlaces(rows);
  },
  /** The blocks that may contain the terms. */
  blocksOfTerms: ({ accountId, kind, chunk }: ChunkPlace, terms: readonly string[]): Promise<Block[]> =>
    db.rows<Block>(BLOCKS_OF_TERMS, [accountId, kind, chunk, terms]),
  /** The blocks of all chunks that may contain the terms. */
  blocksOfChunks: (accountId: number, kind: DocumentKind, terms: readonly string[]): Promise<ChunkBlock[]> =>
    db.rows<ChunkBlock>(BLOCKS_OF_CHUNKS, [accountId, kind, terms]),
  /** The blocks that may contain terms with the prefix. */
  blocksOfPrefix: ({ accountId, kind, chunk }: ChunkPlace, prefix: string): Promise<Block[]> =>
    db.rows<Block>(BLOCKS_OF_PREFIX, [accountId, kind, chunk, prefix]),
  replaceBlocks: async (
    { accountId, kind, chunk }: ChunkPlace,
    before: readonly Block[],
    after: readonly Block[],
  ): Promise<void> => {
    await db.rows(DELETE_BLOCKS, [accountId, kind, chunk, before.map(({ first }) => first)]);
    const texts = [after.map(({ first }) => first), after.map(({ entries }) => Buffer.from(entries))];
    await db.rows(ADD_BLOCKS, [accountId, kind, chunk, ...texts]);
  },
});
export type IndexStore = ReturnType<typeof indexStore>;

const groupPlaces = (
  rows: readonly { readonly chunk: number; readonly place: number }[],
): ReadonlyMap<number, readonly number[]> => {
  const grouped = new Map<number, number[]>();
  for (const { chunk, place } of rows) grouped.set(chunk, [...(grouped.get(chunk) ?? []), place]);
  return grouped;
};
