import { arrayLiteral, statement, type Db } from "@parley/database";
import { KEY_BYTES } from "./chunk.ts";
import type { DocumentKey, DocumentKind } from "./documents.ts";

/** A chunk without its contents. */
export interface ChunkRange {
  readonly chunk: number;
  readonly newest: DocumentKey;
  readonly size: number;
}

/** An index and the part of it that is searched. */
export interface SearchedIndex {
  readonly accountId: number;
  readonly kind: DocumentKind;
  /** Only documents that come after it in the order of the newest first. */
  readonly after: DocumentKey | undefined;
  /** Only documents of this time and later. @units epoch milliseconds */
  readonly from: number | undefined;
}

/** Patterns of `like` and marks that recent documents must have. */
export interface RecentFilter {
  readonly patterns: readonly string[];
  /** All of these. */
  readonly marks: readonly string[];
  /** One of these; undefined: any. */
  readonly assignees: readonly string[] | undefined;
}

// Unprepared: a plan that was made while the tables were small would scan large tables.
const RECENT = statement(
  "",
  `select created_time, id, words
     from search_recent
    where account_id = $1 and kind = $2 and (created_time, id) < ($3::timestamptz, $4::uuid) and created_time >= $5
      and words like all($6::text[]) and marks @> $7::text[] and ($8::text[] is null or marks && $8::text[])
    order by created_time desc, id desc
    limit $9`,
);
const CHUNKS = statement(
  "",
  `select chunk, newest_time, newest_id, size
     from search_chunks
    where account_id = $1 and kind = $2 and oldest_time <= $3 and newest_time >= $4
    order by newest_time desc, newest_id desc`,
);
const BLOCKS = statement(
  "",
  `select asked.chunk, term.place::integer - 1 as place, block.entries
     from unnest($3::integer[]) as asked (chunk)
    cross join unnest($4::text[]) with ordinality as term (term, place)
    cross join lateral (
      select entries from search_blocks
       where account_id = $1 and kind = $2 and chunk = asked.chunk and first <= term.term
       order by first desc
       limit 1
    ) block`,
);
const PREFIX_BLOCKS = statement(
  "",
  `select asked.chunk, block.entries
     from unnest($3::integer[]) as asked (chunk)
    cross join lateral (
      (select entries from search_blocks
        where account_id = $1 and kind = $2 and chunk = asked.chunk and first <= $4
        order by first desc
        limit 1)
      union all
      select entries from search_blocks
       where account_id = $1 and kind = $2 and chunk = asked.chunk and first > $4 and first < $4 || chr(1114111)
    ) block`,
);
const KEYS = statement(
  "",
  `select asked.chunk, asked.ordinal, substring(c.keys from asked.ordinal * ${KEY_BYTES} + 1 for ${KEY_BYTES}) as key
     from unnest($3::integer[], $4::integer[]) with ordinality as asked (chunk, ordinal, place)
     join search_chunks c on c.account_id = $1 and c.kind = $2 and c.chunk = asked.chunk
    order by asked.place`,
);
const ALL_KEYS = statement("", `select keys from search_chunks where account_id = $1 and kind = $2 and chunk = $3`);

/** Times beyond all documents. */
const FIRST_TIME = new Date("1000-01-01T00:00:00Z");
const LAST_TIME = new Date("9999-01-01T00:00:00Z");
const LAST_ID = "ffffffff-ffff-ffff-ffff-ffffffffffff";

const timeOf = (time: number | undefined, absent: Date): Date =>
  time === undefined ? absent : new Date(Math.min(Math.max(time, FIRST_TIME.getTime()), LAST_TIME.getTime()));

/** A recent document that may match. */
interface RecentDocument extends DocumentKey {
  readonly words: string;
}

/** Reads of the index. */
export const searchStore = (db: Db) => ({
  /** The newest recent documents that may match. */
  recent: async (index: SearchedIndex, filter: RecentFilter, limit: number): Promise<RecentDocument[]> => {
    const { accountId, kind, after, from } = index;
    const rows = await db.rows<{ created_time: Date; id: string; words: string }>(RECENT, [
      accountId,
      kind,
      timeOf(after?.time, LAST_TIME),
      after?.id ?? LAST_ID,
      timeOf(from, FIRST_TIME),
      filter.patterns,
      filter.marks,
      filter.assignees ?? null,
      limit,
    ]);
    return rows.map(({ created_time, id, words }) => ({ time: created_time.getTime(), id, words }));
  },
  /** The chunks that may contain documents, the newest first. */
  chunks: async ({ accountId, kind, after, from }: SearchedIndex): Promise<ChunkRange[]> => {
    const values = [accountId, kind, timeOf(after?.time, LAST_TIME), timeOf(from, FIRST_TIME)];
    const rows = await db.rows<{ chunk: number; newest_time: Date; newest_id: string; size: number }>(CHUNKS, values);
    return rows.map(({ chunk, newest_time, newest_id, size }) => ({
      chunk,
      newest: { time: newest_time.getTime(), id: newest_id },
      size,
    }));
  },
  /** For each chunk and term the block that may contain it. @shape place: index of the term */
  blocks: ({ accountId, kind }: SearchedIndex, chunks: readonly number[], terms: readonly string[]) =>
    db.rows<{ chunk: number; place: number; entries: Uint8Array }>(BLOCKS, [
      accountId,
      kind,
      arrayLiteral(chunks),
      terms,
    ]),
  /** The blocks that may contain terms with the prefix. */
  prefixBlocks: ({ accountId, kind }: SearchedIndex, chunks: readonly number[], prefix: string) =>
    db.rows<{ chunk: number; entries: Uint8Array }>(PREFIX_BLOCKS, [accountId, kind, arrayLiteral(chunks), prefix]),
  /** The keys of documents, in the order in which they are asked for. */
  keys: ({ accountId, kind }: SearchedIndex, places: readonly { readonly chunk: number; readonly ordinal: number }[]) =>
    db.rows<{ chunk: number; ordinal: number; key: Uint8Array }>(KEYS, [
      accountId,
      kind,
      arrayLiteral(places.map(({ chunk }) => chunk)),
      arrayLiteral(places.map(({ ordinal }) => ordinal)),
    ]),
  /** The keys of all documents of a chunk. */
  allKeys: async ({ accountId, kind }: SearchedIndex, chunk: number): Promise<Uint8Array> =>
    (await db.one<{ keys: Uint8Array }>(ALL_KEYS, [accountId, kind, chunk]))?.keys ?? new Uint8Array(),
});
export type SearchStore = ReturnType<typeof searchStore>;
