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

const IS_NOT_EXPIRED = "(expires_time IS NULL OR expires_time > $4)";

const GET = statement(
  "get_record",
  `SELECT value FROM records WHERE project = $1 AND account = $2 AND key = $3 AND ${IS_NOT_EXPIRED}`,
);
const PUT = statement(
  "put_record",
  `INSERT INTO records (project, account, key, value, expires_time) VALUES ($1, $2, $3, $4, $5)
   ON CONFLICT (project, account, key) DO UPDATE SET value = excluded.value, expires_time = excluded.expires_time
   RETURNING key`,
);
/** An expired record counts as absent. Of two concurrent writers the second one finds the first one's row and gets no row back. */
const PUT_NEW = statement(
  "put_new_record",
  `INSERT INTO records (project, account, key, value, expires_time) VALUES ($1, $2, $3, $4, $5)
   ON CONFLICT (project, account, key) DO UPDATE SET value = excluded.value, expires_time = excluded.expires_time
     WHERE records.expires_time <= $6
   RETURNING key`,
);
const PUT_EXISTING = statement(
  "put_existing_record",
  `UPDATE records SET value = $4, expires_time = $5
   WHERE project = $1 AND account = $2 AND key = $3 AND (expires_time IS NULL OR expires_time > $6)
   RETURNING key`,
);
const LOCK = statement(
  "lock_record",
  `SELECT value FROM records WHERE project = $1 AND account = $2 AND key = $3 AND ${IS_NOT_EXPIRED} FOR UPDATE`,
);
const CHANGE = statement(
  "change_record",
  "UPDATE records SET value = $4 WHERE project = $1 AND account = $2 AND key = $3 RETURNING key",
);
const REMOVE = statement(
  "remove_record",
  `DELETE FROM records WHERE project = $1 AND account = $2 AND key = $3 AND ${IS_NOT_EXPIRED} RETURNING key`,
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
