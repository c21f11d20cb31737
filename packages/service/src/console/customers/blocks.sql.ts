import type { CustomerBlock } from "@parley/contract";
import { statement, type Db } from "@parley/database";
import type { PersonalDataEraser } from "../../base/db/tables.ts";

interface BlockRow {
  readonly agent_id: string | null;
  readonly blocked_time: Date;
}

const FIND = statement(
  "find_block",
  `select agent_id, blocked_time from blocked_users where account_id = $1 and user_id = $2`,
);
// The row of the user is locked, so that the user is not deleted before the block is stored.
const ADD = statement(
  "add_block",
  `insert into blocked_users (account_id, user_id, agent_id, blocked_time)
   select account_id, id, $3::uuid, $4::timestamptz from users where account_id = $1 and id = $2 and deleted_time is null for key share
       on conflict do nothing
   returning user_id`,
);
const REMOVE = statement(
  "remove_block",
  `delete from blocked_users where account_id = $1 and user_id = $2 returning user_id`,
);

/** Rows of the table `blocked_users`. */
export const blockStore = (db: Db) => ({
  find: async (accountId: number, userId: string): Promise<CustomerBlock> => {
    const row = await db.one<BlockRow>(FIND, [accountId, userId]);
    if (!row) return { is_blocked: false };
    const { agent_id, blocked_time } = row;
    return { is_blocked: true, blocked_time: blocked_time.toISOString(), ...(agent_id !== null && { agent_id }) };
  },
  /** -> whether the user was not blocked before */
  add: async (accountId: number, userId: string, agentId: string, now: Date): Promise<boolean> =>
    (await db.one(ADD, [accountId, userId, agentId, now])) !== undefined,
  /** -> whether the user was blocked before */
  remove: async (accountId: number, userId: string): Promise<boolean> =>
    (await db.one(REMOVE, [accountId, userId])) !== undefined,
});

export const blockEraser: PersonalDataEraser = {
  async user(tx, accountId, _bodies, userId) {
    await blockStore(tx).remove(accountId, userId);
  },
};
