import { statement, type Db } from "@parley/database";
import { SHOWN_VISITOR_PAGES, type VisitorPageColumns } from "../../messaging/visitor-pages/store.ts";

// Of users who never used the messenger nobody asks until where agents have read.
const AGENTS_HAVE_READ = statement(
  "agents_have_read",
  `insert into conversation_reads as r (conversation_id, account_id, agent_read_time)
   select c.id, c.account_id, $2
     from conversations c
    where c.id = any($1::uuid[])
      and exists (select from visitor_sessions s where s.account_id = c.account_id and s.user_id = c.user_id)
   on conflict (conversation_id) do update set agent_read_time = excluded.agent_read_time
    where r.agent_read_time is null or r.agent_read_time < excluded.agent_read_time
   returning r.account_id, r.conversation_id, (select user_id from conversations where id = r.conversation_id) as user_id`,
);
const VISITOR_HAS_READ = statement(
  "visitor_has_read",
  `with message as (
     select m.id, m.seq
       from messages m
       join conversations c on c.id = m.conversation_id and c.account_id = $1
      where m.conversation_id = $2 and m.id = $3 and m.body::json ->> 'message_type' is distinct from 'private'
   ),
   written as (
     insert into conversation_reads as r (conversation_id, account_id, visitor_message_id, visitor_read_time)
     select $2, $1, message.id, $4 from message
     on conflict (conversation_id) do update
        set visitor_message_id = excluded.visitor_message_id, visitor_read_time = excluded.visitor_read_time
      where coalesce((select seq from messages where id = r.visitor_message_id), -1) < (select seq from message)
     returning 1
   )
   select exists (select from message) as is_found, exists (select from written) as is_written`,
);
const READS = statement(
  "visitor_reads",
  `select asked.id as conversation_id, r.visitor_message_id, r.visitor_read_time, p.url, p.title, p.language, p.seen_time
     from unnest($2::uuid[]) as asked (id)
     left join conversation_reads r
            on r.account_id = $1 and r.conversation_id = asked.id and r.visitor_message_id is not null
     left join ${SHOWN_VISITOR_PAGES} p on p.account_id = $1 and p.conversation_id = asked.id
    where r.conversation_id is not null or p.conversation_id is not null`,
);
const USERS = statement(
  "users_of_conversations",
  `select id, user_id from conversations where account_id = $1 and id = any($2::uuid[])`,
);

/** A conversation that an agent has read. */
export interface AgentRead {
  readonly account_id: number;
  readonly conversation_id: string;
  readonly user_id: string;
}

/** Until where a visitor has read a conversation, and the page that the visitor wrote from, as far as they are known. */
export interface VisitorRead extends VisitorPageColumns {
  readonly conversation_id: string;
  readonly visitor_message_id: string | null;
  readonly visitor_read_time: Date | null;
}

/** Rows of the table `conversation_reads`: until where visitors and agents have read. */
export const readStore = (db: Db) => ({
  /** -> the conversations of visitors among them */
  agentsHaveRead: (conversationIds: readonly string[], time: Date) =>
    db.rows<AgentRead>(AGENTS_HAVE_READ, [conversationIds, time]),
  /** A message before the last one that was read changes nothing. */
  visitorHasRead: async (
    accountId: number,
    conversationId: string,
    messageId: string,
    time: Date,
  ): Promise<{ readonly isFound: boolean; readonly isWritten: boolean }> => {
    const values = [accountId, conversationId, messageId, time];
    const row = await db.one<{ is_found: boolean; is_written: boolean }>(VISITOR_HAS_READ, values);
    return { isFound: row?.is_found ?? false, isWritten: row?.is_written ?? false };
  },
  /** -> only conversations of which the visitor has read something, or has a page that agents may see */
  visitorReads: (accountId: number, conversationIds: readonly string[]) =>
    db.rows<VisitorRead>(READS, [accountId, conversationIds]),
  /** -> the user of each conversation, by its id */
  usersOf: async (accountId: number, conversationIds: readonly string[]): Promise<ReadonlyMap<string, string>> => {
    const rows = await db.rows<{ id: string; user_id: string }>(USERS, [accountId, conversationIds]);
    return new Map(rows.map(({ id, user_id }) => [id, user_id]));
  },
});
export type ReadStore = ReturnType<typeof readStore>;
