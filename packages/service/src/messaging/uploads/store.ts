import { statement, type Db, type Pool } from "@parley/database";
import { OLD_OBJECTS_LOCK } from "../../base/objects/store.ts";
import { blankRecordedReplies } from "../../http/idempotency/store.ts";

/** A row of the table `uploads`. `body` is its description as JSON text. */
export interface UploadRow {
  readonly id: string;
  readonly account_id: number;
  readonly kind: "image" | "file";
  readonly created_time: Date;
  readonly object_key: string;
  readonly body: string;
}

const ADD = statement(
  "add_upload",
  `insert into uploads (id, account_id, kind, created_time, object_key, body) values ($1, $2, $3, $4, $5, $6)`,
);
const FIND_FILES = statement(
  "find_uploaded_files",
  `select id, object_key, body from uploads where account_id = $1 and id = any($2::uuid[]) and kind = 'file'`,
);
const PRESENT_IDS = statement("present_upload_ids", "select id from uploads where id = any($1::uuid[])");
// Imported rows keep their keys. There is no index: it is executed for objects only whose id has no row.
const PRESENT_KEYS = statement("present_upload_keys", "select object_key from uploads where object_key = any($1)");
const LOCK_OLD_OBJECTS = statement("lock_old_objects", `select ${OLD_OBJECTS_LOCK}`);
const REMOVE = statement("remove_uploads", `delete from uploads where account_id = $1 and id = any($2::uuid[])`);

const ADD_UPLOADS = statement(
  "add_imported_uploads",
  `with added as (
     insert into uploads (id, account_id, kind, created_time, object_key, body)
     select r.id, $1, r.kind, r.created_time, r.object_key, r.body from json_populate_recordset(null::uploads, $2) r
         on conflict do nothing
     returning id
   )
   select count(*)::integer as count from added`,
);

/** Statements on the table `uploads`. */
export const uploadStore = (db: Pool) => ({
  /** `more` is executed in the same transaction. */
  add: async (row: UploadRow, more?: (tx: Db) => Promise<void>): Promise<void> => {
    const values = [row.id, row.account_id, row.kind, row.created_time, row.object_key, row.body];
    if (!more) return void (await db.rows(ADD, values));
    await db.transaction(async (tx) => {
      await tx.rows(ADD, values);
      await more(tx);
    });
  },
  /** -> the account's files among the ids, unordered. */
  files: (accountId: number, ids: readonly string[]) =>
    db.rows<Pick<UploadRow, "id" | "object_key" | "body">>(FIND_FILES, [accountId, ids]),
});
export type UploadStore = ReturnType<typeof uploadStore>;

/** Deletes rows and erases the recorded replies about them. */
export const removeUploads = async (tx: Db, accountId: number, ids: readonly string[]): Promise<void> => {
  await tx.rows(REMOVE, [accountId, ids]);
  await blankRecordedReplies(tx, ids);
};

/** An imported upload. @shape body: JSON text */
export interface NewUploadRow {
  readonly id: string;
  readonly kind: "image" | "file";
  readonly created_time: string;
  readonly object_key: string;
  readonly body: string;
}

/** Inserts imported uploads, in a transaction. Their objects may be old. All statements are sent at once. -> how many did not exist */
export const importUploads = async (tx: Db, accountId: number, rows: readonly NewUploadRow[]): Promise<number> => {
  const [, added] = await Promise.all([
    tx.one(LOCK_OLD_OBJECTS, []),
    tx.one<{ count: number }>(ADD_UPLOADS, [accountId, JSON.stringify(rows)]),
  ]);
  return added?.count ?? 0;
};

/** -> the given ids that have a row, in any account */
export const presentUploadIds = async (db: Db, ids: readonly string[]): Promise<ReadonlySet<string>> =>
  new Set((await db.rows<{ id: string }>(PRESENT_IDS, [ids])).map(({ id }) => id));

/** -> the given object keys that a row has */
export const presentUploadKeys = async (db: Db, keys: readonly string[]): Promise<ReadonlySet<string>> =>
  new Set((await db.rows<{ object_key: string }>(PRESENT_KEYS, [keys])).map(({ object_key }) => object_key));
