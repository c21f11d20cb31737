import type { ActorType, StreamEventKind } from "@parley/contract";
import { statement, type Db } from "@parley/database";
import type { AccountRow } from "../../messaging/accounts/store.ts";
import type { ConversationRow } from "../../messaging/conversations/store.ts";

/** An event with the rows that it refers to, as of its commit. The columns of a removed user are empty. JSON columns are text. */
export interface EventRow extends Omit<AccountRow, "id" | "name"> {
  readonly event_id: string;
  readonly kind: StreamEventKind;
  readonly entity_id: string;
  readonly event_time: Date;
  readonly actor_type: ActorType;
  readonly actor_id: string | null;
  readonly changes: string | null;
  /** The span that caused the event (W3C `traceparent`). */
  readonly trace_parent: string | null;
  readonly account_id: number;
  readonly account_name: string;
  /** null for an event that concerns no user. */
  readonly user_body: string | null;
  readonly messages: string | null;
  readonly channel_body: string | null;
  readonly actor_body: string | null;
  /** The assigned agent at the time of the event, when it differs from the present agent; the columns hold the present agent. */
  readonly agent_body: string | null;
  readonly agent_first_name: string | null;
  readonly agent_last_name: string | null;
  /** null when the agent no longer exists. */
  readonly agent_email: string | null;
  readonly group_body: string | null;
  readonly group_name: string | null;
}

/** Adds the columns of the conversation, for an event of a conversation. */
export type ConversationEventRow = EventRow & ConversationRow;

type DirectoryTable = "agents" | "channels" | "groups";

/** A row of a directory table as of the event's commit, if it was changed since. */
const before = (table: DirectoryTable, id: string, locale = "''") => `case when o.seq <= changed.until_seq then (
            select body from directory_revisions
             where account_id = o.account_id and id = ${id} and kind = '${table}' and locale = ${locale} and until_seq >= o.seq
             order by until_seq
             limit 1) end`;

// Every row is looked up by its key, whatever the planner estimates for tables that were empty when the plan was made.
const READ_EVENTS = statement(
  "read_events",
  `select o.seq, o.id as event_id, o.kind, o.entity_id, o.created_time as event_time, o.actor_type, o.actor_id, o.changes, o.trace_parent, o.account_id,
          a.name as account_name, a.configuration, a.primary_locale, a.calls_per_hour,
          coalesce((
            select body from user_revisions
             where user_id = o.user_id and revision = o.user_revision and u.revision <> o.user_revision
             limit 1), u.body) as user_body,
          case o.kind
            when 'message_create' then m.body
            when 'conversation_create' then (
              select string_agg(earlier.body, ',' order by earlier.seq)
                from messages earlier
               where earlier.conversation_id = o.entity_id and earlier.seq <= m.seq)
          end as messages,
          c.id, c.number, c.user_id, c.channel_id, c.created_time, o.created_time as updated_time,
          o.conversation_revision as revision, c.restricted,
          s.status, s.assigned_agent_id, s.assigned_group_id, s.interaction_id, s.properties,
          coalesce(${before("channels", "c.channel_id", "a.primary_locale")}, (
            select body from channels
             where account_id = o.account_id and id = c.channel_id and locale = a.primary_locale
             limit 1)) as channel_body,
          case o.actor_type when 'agent' then coalesce(${before("agents", "o.actor_id::uuid")}, (
            select body from agents where account_id = o.account_id and id = o.actor_id::uuid limit 1)) end as actor_body,
          ${before("agents", "s.assigned_agent_id")} as agent_body, agent.first_name as agent_first_name,
          agent.last_name as agent_last_name, agent.email as agent_email,
          ${before("groups", "s.assigned_group_id")} as group_body, "group".name as group_name
     from unnest($1::bigint[]) as asked (seq)
    cross join (select max(until_seq) as until_seq from directory_revisions) changed
    cross join lateral (select * from outbox where outbox.seq = asked.seq limit 1) o
    cross join lateral (select * from accounts where accounts.id = o.account_id limit 1) a
    left join lateral (select * from users where users.id = o.user_id limit 1) u on true
     left join lateral (select * from messages where messages.id = o.message_id limit 1) m on true
     left join lateral (
       select * from conversations where conversations.id = o.entity_id and o.conversation_revision is not null limit 1
     ) c on true
     left join lateral (
       select c.status, c.assigned_agent_id, c.assigned_group_id, c.interaction_id, c.properties
        where c.revision = o.conversation_revision
        union all
       select status, assigned_agent_id, assigned_group_id, interaction_id, properties
         from conversation_revisions
        where conversation_id = c.id and revision = o.conversation_revision and c.revision <> o.conversation_revision
        limit 1
     ) s on true
     left join lateral (
       select first_name, last_name, email from agents
        where account_id = o.account_id and id = s.assigned_agent_id
        limit 1
     ) agent on true
     left join lateral (
       select name from groups where account_id = o.account_id and id = s.assigned_group_id limit 1
     ) "group" on true`,
);

/** Reads all rows that events refer to in one statement, so that they are of one snapshot. */
export const payloadStore = (db: Db) => ({
  /** -> in the order of the positions; undefined for a position that the log does not contain */
  read: async (positions: readonly number[]): Promise<(EventRow | undefined)[]> => {
    const rows = await db.rows<EventRow & { seq: number }>(READ_EVENTS, [positions]);
    const bySeq = new Map(rows.map((row) => [row.seq, row]));
    return positions.map((seq) => bySeq.get(seq));
  },
});
