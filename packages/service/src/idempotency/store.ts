import { statement, type Db } from "@parley/database";
import { lines, plainArray } from "../db/arrays.ts";

/** Whose key it is. */
export interface KeyOf {
  readonly tokenId: string;
  readonly key: string;
}

/** An answer that is kept. */
export interface KeptRow {
  /** @shape SHA-256 in hex; empty where the answer was removed */
  readonly fingerprint: string;
  readonly code: number;
  /** null: it was removed. */
  readonly body: string | null;
  readonly created_time: Date;
}

/** An answer as its row holds it: a message stands in its own. */
export interface FoundRow extends KeptRow {
  readonly message_id: string | null;
}

/** An answer that is to be kept. */
export interface NewKept extends KeyOf, Omit<KeptRow, "body"> {
  readonly body: string;
  readonly about: string | undefined;
}

// Each row is looked up by its key, whatever the planner believes of a table that was empty a moment ago.
const FIND = statement(
  "find_kept_answers",
  `select encode(k.fingerprint, 'hex') as fingerprint, k.code, k.created_time, k.body, k.message_id
     from unnest($1::uuid[], string_to_array($2, e'\\n')) with ordinality as asked (token_id, key, place)
     left join lateral (
       select * from idempotency_keys where token_id = asked.token_id and key = asked.key limit 1
     ) k on true
    order by asked.place`,
);
const MESSAGE = statement("kept_answer_message", "select body from messages where id = $1");
const KEEP = statement(
  "keep_answer",
  `insert into idempotency_keys (token_id, key, fingerprint, code, body, about, created_time)
   values ($1, $2, decode($3, 'hex'), $4, $5, $6, $7)`,
);
const FORGET = statement(
  "forget_kept_answer",
  "delete from idempotency_keys where token_id = $1 and key = $2 and created_time <= $3",
);
// A plan that was made while the table was small would read a large one from end to end.
const BLANK = statement("", "update idempotency_keys set body = null, fingerprint = '' where about = any($1::uuid[])");
const SWEEP = statement(
  "",
  `delete from idempotency_keys
    where ctid = any(array(
      select ctid from idempotency_keys where created_time <= $1 order by created_time limit $2 for update skip locked))
   returning 1`,
);

/** Keeps one answer. @errors what `isKept` knows */
export const keepAnswer = (tx: Db, kept: NewKept): Promise<unknown> =>
  tx.rows(KEEP, [
    kept.tokenId,
    kept.key,
    kept.fingerprint,
    kept.code,
    kept.body,
    kept.about ?? null,
    kept.created_time,
  ]);

/** Removes the answers that go with users and uploads; their keys stay taken. */
export const blankAnswers = (tx: Db, about: readonly string[]): Promise<unknown> => tx.rows(BLANK, [about]);

/** Rows of the table `idempotency_keys`. */
export const keptStore = ({ reads, pool }: { readonly reads: Db; readonly pool: Db }) => ({
  /** -> in place: a null code where nothing is kept. */
  find: (keys: readonly KeyOf[]) =>
    reads.rows<FoundRow | { readonly code: null }>(FIND, [
      plainArray(keys.map(({ tokenId }) => tokenId)),
      lines(keys.map(({ key }) => key)),
    ]),
  /** -> JSON text of the message that is an answer. */
  message: async (id: string) => (await reads.one<{ body: string }>(MESSAGE, [id]))?.body ?? null,
  /** Takes one away that is as old as this. */
  forget: ({ tokenId, key }: KeyOf, until: Date) => pool.rows(FORGET, [tokenId, key, until]),
  /** Takes some of those away that are as old as this. -> how many */
  sweep: async (until: Date, most: number) => (await pool.rows(SWEEP, [until, most])).length,
});
export type KeptStore = ReturnType<typeof keptStore>;
