import { statement, type Db } from "@parley/database";
import type { AnalyticsEvent } from "./projection.ts";

// Messages that cannot change anything are filtered here: at many thousand a second that is nearly all. Of consecutive messages of a user
// only the first can begin a wait. At the start of a batch, a user's message is assumed to follow an answered message and an agent's
// message an unanswered message. Every row is looked up by its key.
const READ = statement(
  "read_fact_events",
  `select o.seq, o.kind, o.account_id, o.entity_id as conversation_id, o.created_time, o.actor_type, o.actor_id, o.user_id,
          o.changes, o.message_id, m.message_type, c.channel_id, s.status,
          s.assigned_agent_id as agent_id, s.assigned_group_id as group_id,
          coalesce(s.interaction_id, m.interaction_id) as interaction_id
     from (
       select *,
              kind = 'message_create' and actor_type = 'user'
                and lag(kind || ' ' || actor_type) over (partition by entity_id order by seq)
                    is not distinct from 'message_create user' as repeats,
              row_number() over (partition by entity_id order by seq) = 1 as leads
         from outbox
        where seq > $1 and seq <= $2
          and (kind in ('conversation_create', 'conversation_update')
               or (kind = 'message_create' and actor_type in ('user', 'agent')))
     ) o
     left join lateral (
       select interaction_id, case o.actor_type when 'agent' then body::json ->> 'message_type' end as message_type
         from messages
        where o.kind = 'message_create' and messages.id = o.message_id
        limit 1
     ) m on true
     left join lateral (
       select * from conversations where o.kind <> 'message_create' and conversations.id = o.entity_id limit 1
     ) c on true
     left join lateral (
       select c.status, c.assigned_agent_id, c.assigned_group_id, c.interaction_id
        where c.revision = o.conversation_revision
        union all
       select status, assigned_agent_id, assigned_group_id, interaction_id
         from conversation_revisions
        where conversation_id = c.id and revision = o.conversation_revision and c.revision <> o.conversation_revision
        limit 1
     ) s on true
    where not o.repeats and coalesce(s.interaction_id, m.interaction_id) is not null
      and (not o.leads or o.kind <> 'message_create' or exists (
        select from interactions i
         where i.conversation_id = o.entity_id and i.interaction_id = m.interaction_id and i.resolved_time is null
           and (i.waiting_since is null) = (o.actor_type = 'user')))
    order by o.seq`,
);

/** Reads of the log for the projection. */
export const spanStore = (db: Db) => ({
  /** Events between two positions, the first excluded, with the rows that they refer to as of their commit. */
  read: (after: number, upTo: number): Promise<AnalyticsEvent[]> => db.rows<AnalyticsEvent>(READ, [after, upTo]),
});
