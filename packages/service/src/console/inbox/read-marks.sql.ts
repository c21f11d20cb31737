import { statement, type Db } from "@parley/database";

const MARK = statement(
  "set_read_mark",
  `insert into read_marks (account_id, agent_id, conversation_id, messages)
   select account_id, $2, conversation_id, greatest(customer_messages - $4::integer, 0)
     from inbox_entries
    where account_id = $1 and conversation_id = $3
       on conflict (agent_id, conversation_id) do update set messages = excluded.messages
   returning (select customer_messages from inbox_entries where conversation_id = $3) - messages as unread`,
);

/**
 * Marks a conversation as read by an agent, but for the given number of the customer's last messages.
 * -> the number of unread messages; undefined for a conversation without an entry
 */
export const setReadMark = async (
  db: Db,
  accountId: number,
  agentId: string,
  { conversationId, unread }: { readonly conversationId: string; readonly unread: number },
): Promise<number | undefined> =>
  (await db.one<{ unread: number }>(MARK, [accountId, agentId, conversationId, unread]))?.unread;
