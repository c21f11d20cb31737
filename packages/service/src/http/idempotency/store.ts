import { statement, type Db, joinLines, arrayLiteral } from "@parley/database";
import type { RecordedReply } from "./idempotency-record.ts";

/** Primary key of a record. */
export interface IdempotencyRecordKey {
  readonly tokenId: string;
  readonly key: string;
}

/** A recorded reply. */
export interface IdempotencyRow {
  /** @shape SHA-256 in hex; empty if the reply was erased */
  readonly fingerprint: string;
  readonly code: number;
  /** null if the reply was erased. */
  readonly body: string | null;
  readonly created_time: Date;
}

/** A record as stored. The reply of a message is the message's own row. */
interface StoredIdempotencyRow extends IdempotencyRow {
  readonly message_id: string | null;
}
/** There is no record of a key. */
interface NoIdempotencyRow {
  readonly code: null;
}
/** @shape has_replicas: the server acknowledges a transaction when a replica has it */
type FoundRow = (StoredIdempotencyRow | NoIdempotencyRow) & { readonly has_replicas: boolean };

/** A record to be inserted. */
interface NewIdempotencyRow extends IdempotencyRecordKey, Omit<IdempotencyRow, "body"> {
  readonly body: string;
  readonly about: string | undefined;
}

// Lateral lookup by key: keeps the planner from scanning, even if its statistics are from an empty table.
const FOUND = `
     from unnest($1::uuid[], string_to_array($2, e'\\n')) with ordinality as asked (token_id, key, place)
     left join lateral (
       select * from idempotency_keys where token_id = asked.token_id and key = asked.key limit 1
     ) k on true`;
const COLUMNS = "encode(k.fingerprint, 'hex') as fingerprint, k.code, k.created_time, k.body, k.message_id";
const FIND = statement(
  "find_kept_answers",
  `select ${COLUMNS}, current_setting('synchronous_standby_names') <> '' as has_replicas ${FOUND} order by asked.place`,
);
// The transaction writes something, so that its end waits for the replica, which then has all earlier transactions, too.
const FIND_CONFIRMED = statement(
  "find_confirmed_answers",
  `with mark as materialized (select pg_logical_emit_message(true, 'parley', '') as position)
   select ${COLUMNS} ${FOUND} cross join mark order by asked.place`,
);
const MESSAGE = statement("kept_answer_message", "select body from messages where id = $1");
const INSERT_ANSWER = statement(
  "keep_answer",
  `insert into idempotency_keys (token_id, key, fingerprint, code, body, about, created_time)
   values ($1, $2, decode($3, 'hex'), $4, $5, $6, $7)`,
);
const FORGET = statement(
  "forget_kept_answer",
  "delete from idempotency_keys where token_id = $1 and key = $2 and created_time <= $3",
);
// Unprepared: a plan made for a small table would scan a large table.
const BLANK = statement("", "update idempotency_keys set body = null, fingerprint = '' where about = any($1::uuid[])");
const SWEEP = statement(
  "",
  `delete from idempotency_keys
    where ctid = any(array(
      select ctid from idempotency_keys where created_time <= $1 order by created_time limit $2 for update skip locked))
   returning 1`,
);

/** Inserts one record. @errors those recognized by `isReplyRecorded` */
export const recordReply = (tx: Db, row: NewIdempotencyRow): Promise<unknown> =>
  tx.rows(INSERT_ANSWER, [
    row.tokenId,
    row.key,
    row.fingerprint,
    row.code,
    row.body,
    row.about ?? null,
    row.created_time,
  ]);

/** Erases the replies about users and uploads. Their keys stay taken. */
export const blankRecordedReplies = (tx: Db, about: readonly string[]): Promise<unknown> => tx.rows(BLANK, [about]);

const FORGET_CREDENTIALS = statement("", "delete from idempotency_keys where token_id = any($1::uuid[])");

/** Deletes the records of credentials that can send no more requests. */
export const forgetCredentialReplies = (tx: Db, credentialIds: readonly string[]): Promise<unknown> =>
  tx.rows(FORGET_CREDENTIALS, [credentialIds]);

const keyArrays = (keys: readonly IdempotencyRecordKey[]): readonly string[] => [
  arrayLiteral(keys.map(({ tokenId }) => tokenId)),
  joinLines(keys.map(({ key }) => key)),
];

export interface IdempotencyPools {
  readonly reads: Db;
  /** Of the batched writes, whose statements wait for replicas for a short time only. */
  readonly writes: Db;
  readonly pool: Db;
}

/** Statements on the table `idempotency_keys`. */
export const idempotencyStore = ({ reads, writes, pool }: IdempotencyPools) => ({
  /** -> one row per key, in order; a null code where there is no record. */
  find: (keys: readonly IdempotencyRecordKey[]) => reads.rows<FoundRow>(FIND, keyArrays(keys)),
  /**
   * The same, for an answer. Where the server waits for a replica, a record can be seen there whose transaction was not acknowledged, because
   * the wait was given up; it is lost when the server is replaced. Here it is read by a transaction that itself has waited for the replica.
   */
  findConfirmed: (keys: readonly IdempotencyRecordKey[]) =>
    writes.rows<StoredIdempotencyRow | NoIdempotencyRow>(FIND_CONFIRMED, keyArrays(keys)),
  /** -> JSON text of the message that is the reply. */
  message: async (id: string) => (await reads.one<{ body: string }>(MESSAGE, [id]))?.body ?? null,
  /** Deletes one record created at or before `until`. */
  forget: ({ tokenId, key }: IdempotencyRecordKey, until: Date) => pool.rows(FORGET, [tokenId, key, until]),
  /** Deletes records created at or before `until`, `batchSize` at a time. -> number deleted */
  sweep: async (until: Date, batchSize: number) => (await pool.rows(SWEEP, [until, batchSize])).length,
});
export type IdempotencyStore = ReturnType<typeof idempotencyStore>;

/**
 * Composes a statement that records replies. Its own parameters come first; `idempotencyRecordArrays` supplies those that follow.
 * @shape compose: receives the `from` item of the records, claim (id, token_id, key, fingerprint, code)
 */
export const withIdempotencyRecords = (compose: (records: string) => string): string => {
  const own = [...compose("").matchAll(/\$(\d+)/g)].map(([, number]) => Number(number));
  const [id, token, key, fingerprint, code] = [1, 2, 3, 4, 5].map((position) => `$${Math.max(...own) + position}`);
  return compose(
    `unnest(${id}::uuid[], ${token}::uuid[], string_to_array(${key}, e'\\n'), ${fingerprint}::text[], ${code}::smallint[])
       as claim (id, token_id, key, fingerprint, code)`,
  );
};

/** Parameter values of the records. Entries without an idempotency key produce no row. */
export const idempotencyRecordArrays = (claimed: readonly RecordedReply[]): readonly string[] => {
  const rows = claimed.flatMap(({ id, claim }) => (claim ? [{ id, claim }] : []));
  return [
    arrayLiteral(rows.map(({ id }) => id)),
    arrayLiteral(rows.map(({ claim }) => claim.tokenId)),
    joinLines(rows.map(({ claim }) => claim.key)),
    arrayLiteral(rows.map(({ claim }) => claim.fingerprint())),
    arrayLiteral(rows.map(({ claim }) => claim.code)),
  ];
};

/** SQL expressions of a record: the reply is either a text about a user or an upload, or the body of a message. */
type RecordColumns = { readonly created_time: string } & (
  | { readonly body: string; readonly about: string }
  | { readonly message_id: string }
);

/**
 * Statement that inserts the records of replies.
 * @shape source: the `from` clause, in which the alias `claims` has the columns of the records
 */
export const insertIdempotencyRecords = (claims: string, columns: RecordColumns, source: string): string =>
  `insert into idempotency_keys (token_id, key, fingerprint, code, ${Object.keys(columns).join(", ")})
     select ${claims}.token_id, ${claims}.key, decode(${claims}.fingerprint, 'hex'), ${claims}.code, ${Object.values(columns).join(", ")}
     ${source}
      order by ${claims}.token_id, ${claims}.key`;
