import { statement, type Db } from "@parley/database";

const ADD = statement(
  "add_delegated_request",
  "insert into delegated_requests (id, received_time) values ($1, $2) on conflict (id) do nothing returning id",
);
const FORGET = statement("forget_delegated_requests", "delete from delegated_requests where received_time < $1");

/** Time for which ids are kept: longer than a signature is valid before and after the time that it states. @units milliseconds */
const RETENTION_MS = 3_600_000;

/** Rows of the table `delegated_requests`. */
export const delegatedRequestStore = (db: Db) => ({
  /** -> whether no request had this id */
  isFirst: async (id: string, now: Date): Promise<boolean> => {
    await db.rows(FORGET, [new Date(now.getTime() - RETENTION_MS)]);
    return (await db.one(ADD, [id, now])) !== undefined;
  },
});
export type DelegatedRequestStore = ReturnType<typeof delegatedRequestStore>;
