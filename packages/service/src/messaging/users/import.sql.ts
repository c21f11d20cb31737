import type { User } from "@parley/contract";
import { statement, type Db, joinLines, arrayLiteral } from "@parley/database";

/** A user to be written as it is. @shape body: JSON text */
export interface ImportedUserRow extends Pick<User, "id" | "created_time" | "updated_time">, Partial<Found> {
  readonly deleted_time?: string | null;
  readonly body: string;
}
type Found = Pick<User, "first_name" | "last_name" | "email" | "phone" | "reference_id">;

/** A user in its next revision. @shape body: JSON text */
export interface ChangedUserRow {
  readonly user: User;
  readonly body: string;
}

const USERS = statement(
  "insert_users",
  `insert into users (account_id, id, created_time, updated_time, first_name, last_name, email, phone, reference_id, deleted_time,
                      body)
   select $1, id, created_time, updated_time, first_name, last_name, email, phone, reference_id, deleted_time, body
     from unnest($2::uuid[], $3::timestamptz[], $4::timestamptz[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
                 $10::timestamptz[], string_to_array($11, e'\\n'))
          as u (id, created_time, updated_time, first_name, last_name, email, phone, reference_id, deleted_time, body)`,
);
// Events refer to the revision that they saw: it is saved before the next one replaces it.
const KEEP_USER = statement(
  "keep_imported_user",
  `insert into user_revisions (user_id, revision, body)
   select id, revision, body from users where account_id = $1 and id = $2 for no key update`,
);
const CHANGE_USER = statement(
  "change_imported_user",
  `update users
      set revision = revision + 1, created_time = $3, updated_time = $4, first_name = $5, last_name = $6, email = $7, phone = $8,
          reference_id = $9, body = $10
    where account_id = $1 and id = $2`,
);

/** Writes imported users. No events are written. Every function sends its statements before it returns. */
export const userImportStore = (db: Db) => ({
  insertUsers: (accountId: number, users: readonly ImportedUserRow[]) =>
    db.rows(USERS, [
      accountId,
      arrayLiteral(users.map(({ id }) => id)),
      arrayLiteral(users.map(({ created_time }) => created_time)),
      arrayLiteral(users.map(({ updated_time }) => updated_time)),
      users.map(({ first_name }) => first_name ?? null),
      users.map(({ last_name }) => last_name ?? null),
      users.map(({ email }) => email ?? null),
      users.map(({ phone }) => phone ?? null),
      users.map(({ reference_id }) => reference_id ?? null),
      arrayLiteral(users.map(({ deleted_time }) => deleted_time ?? null)),
      joinLines(users.map(({ body }) => body)),
    ]),
  changeUser: async (accountId: number, { user, body }: ChangedUserRow): Promise<void> => {
    const { id, created_time, updated_time, first_name, last_name, email, phone, reference_id } = user;
    const named = [first_name, last_name, email, phone, reference_id];
    await Promise.all([
      db.rows(KEEP_USER, [accountId, id]),
      db.rows(CHANGE_USER, [accountId, id, created_time, updated_time, ...named, body]),
    ]);
  },
});
