import { statement, type Db } from "@parley/database";

const ADD = statement(
  "add_delegated_request",
  "INSERT INTO delegated_requests (id, received_time) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING RETURNING id",
);
const FORGET = statement("forget_delegated_requests", "DELETE FROM delegated_requests WHERE received_time < $1");

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
