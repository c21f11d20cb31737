import { MESSENGER_LIMITS } from "@parley/contract";
import { statement, type Db } from "@parley/database";

/** The day of an upload, and its visitor. @shape day: `2026-11-29`, in UTC */
export interface UploadDay {
  readonly accountId: number;
  readonly userId: string;
  readonly day: string;
}

/** The row of a whole account and day has this id in place of a user's. Its lock orders the uploads of the account. */
const WHOLE_ACCOUNT = "00000000-0000-0000-0000-000000000000";

// xmax is 0 for a row that was inserted.
const TAKE = statement(
  "take_visitor_upload_bytes",
  `insert into visitor_uploads as u (account_id, day, user_id, bytes)
   values ($1, $2::date, $3, $4)
       on conflict (account_id, day, user_id) do update set bytes = u.bytes + excluded.bytes
          where u.bytes + excluded.bytes <= $5
   returning xmax = 0 as is_new`,
);
const GIVE_BACK = statement(
  "give_back_visitor_upload_bytes",
  `update visitor_uploads set bytes = bytes - $4
    where account_id = $1 and day = $2::date and user_id = any(array[$3::uuid, '${WHOLE_ACCOUNT}'])`,
);
const FORGET_EARLIER = statement(
  "forget_visitor_uploads",
  "delete from visitor_uploads where account_id = $1 and day < $2::date",
);
const ERASE = statement("", "delete from visitor_uploads where account_id = $1 and user_id = any($2::uuid[])");

/** Counts the bytes that visitors upload, by visitor and account, in the table `visitor_uploads`. */
export const visitorUploadStore = {
  /** Counts bytes in a transaction, which is to be rolled back if they exceed a limit. -> whether they are within both limits */
  async take(tx: Db, { accountId, userId, day }: UploadDay, bytes: number): Promise<boolean> {
    const { upload_bytes_per_account_day, upload_bytes_per_visitor_day } = MESSENGER_LIMITS;
    const account = await tx.one<{ is_new: boolean }>(TAKE, [
      ...[accountId, day, WHOLE_ACCOUNT, bytes],
      upload_bytes_per_account_day,
    ]);
    if (!account) return false;
    if (account.is_new) await tx.rows(FORGET_EARLIER, [accountId, day]);
    return (await tx.one(TAKE, [accountId, day, userId, bytes, upload_bytes_per_visitor_day])) !== undefined;
  },
  giveBack: (db: Db, { accountId, userId, day }: UploadDay, bytes: number) =>
    db.rows(GIVE_BACK, [accountId, day, userId, bytes]),
  /** Deletes the rows of users. */
  erase: (tx: Db, accountId: number, userIds: readonly string[]) => tx.rows(ERASE, [accountId, userIds]),
};
