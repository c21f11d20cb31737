import type { ActorType, EventKind } from "@parley/contract";
import { statement, type Db } from "@parley/database";
import type { AccountRow } from "../../accounts/account.ts";
import type { ConversationRow } from "../../conversations/store.ts";

/** An event with what it refers to, as that was at its commit; of a deleted user nothing is left. JSON is kept as text. */
export interface EventRow extends Omit<AccountRow, "id" | "name"> {
  readonly event_id: string;
  readonly kind: EventKind;
  readonly event_time: Date;
  readonly actor_type: ActorType;
  readonly actor_id: string | null;
  readonly changes: string | null;
  readonly account_id: number;
  readonly account_name: string;
  readonly user_body: string;
  readonly messages: string | null;
  readonly channel_body: string | null;
  readonly actor_body: string | null;
}

/** The columns of the conversation, where the event is about one. */
export type ConversationEventRow = EventRow & ConversationRow;

const READ_EVENTS = statement(
  "read_events",
  `select o.seq, o.id as event_id, o.kind, o.created_time as event_time, o.actor_type, o.actor_id, o.changes, o.account_id,
          a.name as account_name, a.configuration, a.primary_locale, a.calls_per_hour,
          coalesce(ur.body, u.body) as user_body,
          case o.kind
            when 'message_create' then m.body
            when 'conversation_create' then (
              select string_agg(first.body, ',' order by first.seq)
                from messages first
               where first.conversation_id = o.entity_id and first.seq <= m.seq)
          end as messages,
          c.id, c.number, c.user_id, c.channel_id, c.created_time, o.created_time as updated_time,
          o.conversation_revision as revision,
          coalesce(cr.status, c.status) as status,
          case when cr.revision is null then c.assigned_agent_id else cr.assigned_agent_id end as assigned_agent_id,
          case when cr.revision is null then c.assigned_group_id else cr.assigned_group_id end as assigned_group_id,
          coalesce(cr.interaction_id, c.interaction_id) as interaction_id,
          coalesce(cr.properties, c.properties) as properties,
          c.restricted,
          ch.body as channel_body, actor.body as actor_body
     from unnest($1::bigint[]) as asked (seq)
     join outbox o on o.seq = asked.seq
     join accounts a on a.id = o.account_id
     join users u on u.id = o.user_id
     left join user_revisions ur
       on ur.user_id = o.user_id and ur.revision = o.user_revision and u.revision <> o.user_revision
     left join messages m on m.id = o.message_id
     left join conversations c on c.id = o.entity_id and o.conversation_revision is not null
     left join conversation_revisions cr
       on cr.conversation_id = c.id and cr.revision = o.conversation_revision and c.revision <> o.conversation_revision
     left join channels ch on ch.account_id = o.account_id and ch.id = c.channel_id and ch.locale = a.primary_locale
     left join agents actor
       on actor.account_id = o.account_id and actor.id = case o.actor_type when 'agent' then o.actor_id::uuid end`,
);

/** What events refer to, over all tables, in one look: so that no two of its parts are of different times. */
export const payloadStore = (db: Db) => ({
  /** -> in place: undefined for a position that the log does not hold. */
  read: async (positions: readonly number[]): Promise<(EventRow | undefined)[]> => {
    const rows = await db.rows<EventRow & { seq: number }>(READ_EVENTS, [positions]);
    const bySeq = new Map(rows.map((row) => [row.seq, row]));
    return positions.map((seq) => bySeq.get(seq));
  },
});
export type PayloadStore = ReturnType<typeof payloadStore>;
