import { statement, type Db } from "@parley/database";
import { refuseDeletedAgent } from "./shared-items.ts";

const LOCK_AGENT = statement(
  "lock_saving_agent",
  "select id from agents where account_id = $1 and id = $2 for key share",
);
const LOCK_ITEMS = statement(
  "lock_saved_items",
  "select pg_advisory_xact_lock(hashtext('parley.' || $1::text), $2::integer)",
);

/**
 * Serializes the changes of one kind of saved items of an account, so that limits and unique names hold. The agent can't be deleted until
 * the transaction ends.
 * @errors FORBIDDEN if the agent was deleted
 */
export const lockSavedItems = async (
  tx: Db,
  kind: "saved_views" | "reply_templates",
  accountId: number,
  agentId: string,
): Promise<void> => {
  if (!(await tx.one(LOCK_AGENT, [accountId, agentId]))) refuseDeletedAgent();
  await tx.rows(LOCK_ITEMS, [kind, accountId]);
};
