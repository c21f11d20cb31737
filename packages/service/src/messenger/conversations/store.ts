import type { ConversationStatus } from "@parley/contract";
import { statement, type Db } from "@parley/database";

/** A conversation of a visitor with the facts that its shape needs. */
export interface VisitorConversationRow {
  readonly id: string;
  readonly channel_id: string;
  readonly status: ConversationStatus;
  readonly created_time: Date;
  readonly interaction_id: string;
  readonly assigned_agent_id: string | null;
  readonly agent_read_time: Date | null;
  readonly is_latest: boolean;
  readonly is_rated: boolean;
  /** JSON texts of the newest messages and of all unread ones, the oldest first, separated by commas; null without messages. */
  readonly texts: string | null;
  /** How many of the texts, from the end, are those of messages after the last one that the visitor has read. */
  readonly unread: number;
}

/** @units conversations */
const LISTED_MAX = 100;
/** Messages that are looked at for the number of unread ones. */
const UNREAD_LOOKUP_MAX = 50;
/** Messages that are looked at for the last one that a visitor sees, if all are read. */
const LAST_LOOKUP_MAX = 5;

// Lateral lookups by key: they cost the same for a conversation of any length.
const conversations = (name: string, condition: string): ReturnType<typeof statement> =>
  statement(
    name,
    `select c.id, c.channel_id, c.status, c.created_time, c.interaction_id, c.assigned_agent_id, r.agent_read_time,
            not exists (
              select from conversations later
               where later.user_id = c.user_id and (later.created_time, later.number) > (c.created_time, c.number)
            ) as is_latest,
            exists (
              select from csat where csat.conversation_id = c.id and csat.interaction_id = c.interaction_id
            ) as is_rated,
            newest.texts, newest.unread
       from (
         select * from conversations
          where ${condition}
          order by created_time desc, number desc
          limit ${LISTED_MAX}
       ) c
       left join lateral (
         select visitor_message_id, agent_read_time from conversation_reads where conversation_id = c.id limit 1
       ) r on true
       left join lateral (
         select seq from messages where id = r.visitor_message_id and conversation_id = c.id limit 1
       ) read on true
       left join lateral (
         select string_agg(body, ',' order by seq) as texts,
                count(*) filter (where seq > coalesce(read.seq, 0))::integer as unread
           from (
             select body, seq, row_number() over (order by seq desc) as place
               from (
                 select body, seq from messages where conversation_id = c.id order by seq desc limit ${UNREAD_LOOKUP_MAX}
               ) latest
           ) looked_at
          where place <= ${LAST_LOOKUP_MAX} or seq > coalesce(read.seq, 0)
       ) newest on true
      order by c.created_time desc, c.number desc`,
  );

const OF_USER = conversations("visitor_conversations", "user_id = $2 and account_id = $1");
const ONE = conversations("visitor_conversation", "id = $2 and account_id = $1");

/** Reads of the table `conversations` for visitors. */
export const visitorConversationStore = {
  /** The user's newest conversations, the newest first. */
  ofUser: (db: Db, accountId: number, userId: string) => db.rows<VisitorConversationRow>(OF_USER, [accountId, userId]),
  /** -> undefined for an unknown id */
  one: (db: Db, accountId: number, conversationId: string) =>
    db.one<VisitorConversationRow>(ONE, [accountId, conversationId]),
};
