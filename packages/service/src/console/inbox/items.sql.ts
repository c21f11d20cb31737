import { statement, type Db } from "@parley/database";
import { reasonOf, type RoutingReason } from "../../messaging/routing/store.ts";
import { agentCreatedTime, type SqlParameters } from "./conditions.sql.ts";

/** An entry of the inbox with what it shows of its conversation, customer and newest message. */
export interface InboxItemRow {
  readonly conversation_id: string;
  readonly number: number;
  readonly channel_id: string;
  readonly user_id: string;
  readonly created_time: Date;
  readonly activity_time: Date;
  /** While the conversation is open. */
  readonly waiting_since: Date | null;
  readonly waiting_order: number;
  readonly priority: number;
  readonly unread: number;
  readonly status: "new" | "assigned" | "resolved";
  readonly assigned_agent_id: string | null;
  readonly assigned_group_id: string | null;
  readonly interaction_id: string;
  /** JSON text of an object. */
  readonly properties: string;
  /** Why the routing assigned it to its agent; null: it did not. */
  readonly routing: (Pick<RoutingReason, "logic" | "load" | "capacity"> & { readonly time: string }) | null;
  /** JSON text of the user. */
  readonly user: string | null;
  /** JSON text of the newest message that is not a system message; null without such a message. */
  readonly message: string | null;
}

interface EntriesQuery {
  /** SQL that selects entries. */
  readonly text: string;
  readonly parameters: SqlParameters;
  readonly order: { readonly columns: readonly string[]; readonly direction: "asc" | "desc" };
}

/**
 * Entries with what they show. Names, texts and the state of a conversation come from their own tables, so that they are always up to date.
 * An agent who has not marked a conversation yet has read the messages that are older than the agent.
 */
export const inboxItemsOf = (
  db: Db,
  { accountId, agentId }: { readonly accountId: number; readonly agentId: string },
  { text, parameters, order: { columns, direction } }: EntriesQuery,
): Promise<InboxItemRow[]> => {
  const [account, agent] = [parameters.add(accountId, "integer"), parameters.add(agentId, "uuid")];
  const sql = `
    with e as materialized (${text}),
         viewer as materialized (select ${agentCreatedTime(account, agent)} as created_time)
    select e.conversation_id, e.number, c.channel_id, e.user_id, e.created_time, e.activity_time, e.waiting_order, e.priority,
           case when c.status <> 'resolved' then e.waiting_since end as waiting_since,
           case when r.messages is not null then greatest(e.customer_messages - r.messages, 0)
                when e.customer_time is null or e.customer_time < viewer.created_time then 0
                when e.created_time >= viewer.created_time then e.customer_messages
                else (select count(*)
                        from messages
                       where messages.conversation_id = e.conversation_id and messages.created_time >= viewer.created_time
                         and messages.body::json ->> 'actor_type' = 'user')::integer
           end as unread,
           c.status, c.assigned_agent_id, c.assigned_group_id, c.interaction_id, c.properties,
           ${reasonOf("e.conversation_id")} as routing,
           (select body from users where users.id = e.user_id) as user,
           (select body from messages
             where messages.conversation_id = e.conversation_id and messages.seq = e.preview_seq limit 1) as message
      from e
     cross join viewer
     cross join lateral (select * from conversations where conversations.id = e.conversation_id limit 1) c
      left join lateral (
        select messages from read_marks where read_marks.agent_id = ${agent} and read_marks.conversation_id = e.conversation_id limit 1
      ) r on true
     order by ${columns.map((column) => `e.${column} ${direction}`).join(", ")}`;
  return db.rows<InboxItemRow>(statement("", sql), parameters.values);
};
