import { statement, type Pool } from "@parley/database";

/** Identifies the records of one app on one account. */
export interface RecordOwner {
  readonly project: string;
  readonly account: string;
}

/** `value` is JSON text. */
interface NewRecord {
  readonly key: string;
  readonly value: string;
  readonly expires: Date | null;
}

const IS_NOT_EXPIRED = "(expires_time is null or expires_time > $4)";

const GET = statement(
  "get_record",
  `select value from records where project = $1 and account = $2 and key = $3 and ${IS_NOT_EXPIRED}`,
);
const PUT = statement(
  "put_record",
  `insert into records (project, account, key, value, expires_time) values ($1, $2, $3, $4, $5)
   on conflict (project, account, key) do update set value = excluded.value, expires_time = excluded.expires_time
   returning key`,
);
/** An expired record counts as absent. Of two concurrent writers the second one finds the first one's row and gets no row back. */
const PUT_NEW = statement(
  "put_new_record",
  `insert into records (project, account, key, value, expires_time) values ($1, $2, $3, $4, $5)
   on conflict (project, account, key) do update set value = excluded.value, expires_time = excluded.expires_time
     where records.expires_time <= $6
   returning key`,
);
const PUT_EXISTING = statement(
  "put_existing_record",
  `update records set value = $4, expires_time = $5
   where project = $1 and account = $2 and key = $3 and (expires_time is null or expires_time > $6)
   returning key`,
);
const LOCK = statement(
  "lock_record",
  `select value from records where project = $1 and account = $2 and key = $3 and ${IS_NOT_EXPIRED} for update`,
);
const CHANGE = statement(
  "change_record",
  "update records set value = $4 where project = $1 and account = $2 and key = $3 returning key",
);
const REMOVE = statement(
  "remove_record",
  `delete from records where project = $1 and account = $2 and key = $3 and ${IS_NOT_EXPIRED} returning key`,
);

interface Value {
  readonly value: string;
}

/** Rows of the table `records`. */
export const recordStore = (pool: Pool) => ({
  get: async ({ project, account }: RecordOwner, key: string, now: Date) =>
    (await pool.one<Value>(GET, [project, account, key, now]))?.value,

  put: async ({ project, account }: RecordOwner, { key, value, expires }: NewRecord) => {
    await pool.one(PUT, [project, account, key, value, expires]);
  },

  /** -> whether the record was absent */
  putNew: async ({ project, account }: RecordOwner, { key, value, expires }: NewRecord, now: Date) =>
    (await pool.one(PUT_NEW, [project, account, key, value, expires, now])) !== undefined,

  /** -> whether the record existed */
  putExisting: async ({ project, account }: RecordOwner, { key, value, expires }: NewRecord, now: Date) =>
    (await pool.one(PUT_EXISTING, [project, account, key, value, expires, now])) !== undefined,

  /**
   * Changes a record, or creates one without an expiry, with the row locked between reading and writing.
   * @shape change: maps the stored text, undefined if absent; the result undefined leaves the record unchanged
   * -> whether the record was written
   */
  change: (
    { project, account }: RecordOwner,
    key: string,
    now: Date,
    change: (value: string | undefined) => string | undefined,
  ) =>
    pool.transaction(async (tx) => {
      for (;;) {
        const found = await tx.one<Value>(LOCK, [project, account, key, now]);
        const value = change(found?.value);
        if (value === undefined) return false;
        const written = found
          ? await tx.one(CHANGE, [project, account, key, value])
          : await tx.one(PUT_NEW, [project, account, key, value, null, now]);
        // Another writer has created the record in the meantime: the next iteration finds it.
        if (written) return true;
      }
    }),

  /** -> whether the record existed */
  remove: async ({ project, account }: RecordOwner, key: string, now: Date) =>
    (await pool.one(REMOVE, [project, account, key, now])) !== undefined,
});
export type RecordStore = ReturnType<typeof recordStore>;
