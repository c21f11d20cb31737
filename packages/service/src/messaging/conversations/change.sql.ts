import type { ActorType } from "@parley/contract";
import { type Db, statement, joinLines, arrayLiteral } from "@parley/database";
import type { RecordedReply } from "../../http/idempotency/idempotency-record.ts";
import {
  idempotencyRecordArrays,
  insertIdempotencyRecords,
  withIdempotencyRecords,
} from "../../http/idempotency/store.ts";
import { appendToLog, partitionOf, traceParentOf, traceParents } from "../../base/log/store.ts";
import { queueForSearch } from "../search-queue/queue.sql.ts";
import type { ConversationState } from "./transitions.ts";
import { type NewMessageRow, newMessageArrays, tracedMessage } from "./append.sql.ts";

/** The next revision of a conversation, and the revision that it replaces. */
interface RevisionRow {
  readonly id: string;
  /** The revision on which the rules were applied. */
  readonly revision: number;
  readonly next: ConversationState;
  readonly interaction_id: string;
  readonly properties: string;
  /** JSON text of the event's changes; null: no event is logged. */
  readonly changes: string | null;
  readonly event_id: string;
  readonly trace_parent?: string | undefined;
  readonly actor_type: ActorType;
  readonly actor_id: string | null;
  /**
   * The change is caused by a message of the user: the user must exist and this must be the user's latest conversation.
   */
  readonly byUser: boolean;
}

// As in `append_messages`: locks in the order of the ids, then log positions, lookups by key instead of joins.
const CHANGE_CONVERSATIONS = statement(
  "change_conversations",
  withIdempotencyRecords(
    (records) => `with change as (
     select *
     from unnest($2::uuid[], $3::integer[], $4::boolean[], $5::smallint[], $6::text[], $7::uuid[], $8::uuid[], $9::boolean[],
                 $10::text[], string_to_array($11, e'\\n'), $12::uuid[], $13::text[], $14::uuid[],
                 string_to_array($15, e'\\n', ''))
          as n (id, revision, by_user, partition, status, agent_id, group_id, restricted,
                interaction_id, properties, event_id, actor_type, actor_id, changes)
   ), changed as (
     update conversations c
     set updated_time = greatest(c.updated_time, $1::timestamptz),
         (revision, status, assigned_agent_id, assigned_group_id, restricted, interaction_id, properties) = (
           select n.revision + 1, n.status, n.agent_id, n.group_id, n.restricted, n.interaction_id, n.properties
           from change n where n.id = c.id
         )
     where c.id = any($2::uuid[])
       and c.revision = ($3::integer[])[array_position($2::uuid[], c.id)]
       and (
         not ($4::boolean[])[array_position($2::uuid[], c.id)]
         or (
           (select u.deleted_time is null from users u where u.id = c.user_id)
           and not exists (
             select from conversations later
             where later.user_id = c.user_id and (later.created_time, later.number) > (c.created_time, c.number))
         )
       )
     returning c.id, c.account_id, c.user_id, c.revision, c.updated_time,
               (select u.revision from users u where u.id = c.user_id) as user_revision
   ), kept as (
     insert into conversation_revisions (conversation_id, revision, status, assigned_agent_id, assigned_group_id,
                                         interaction_id, properties)
     select before.id, before.revision, before.status, before.assigned_agent_id, before.assigned_group_id,
            before.interaction_id, before.properties
     from changed
     cross join lateral (select * from conversations where id = changed.id limit 1) before
   ), queued as (
     ${queueForSearch(
       3,
       ["changed.account_id", "before.created_time", "changed.id"],
       `from changed
        join change n on n.id = changed.id
       cross join lateral (select * from conversations where id = changed.id limit 1) before
       where before.properties <> n.properties`,
     )}
   ), numbered as (
     select nextval('log_positions') as seq, s.*
     from (
       select c.id as conversation_id, c.account_id, n.partition, c.user_id, c.user_revision, c.revision,
              'conversation_update' as kind, 0 as place, n.event_id, n.actor_type, n.actor_id, n.changes,
              null::uuid as id, null as interaction_id, null as body
       from changed c join change n on n.id = c.id
       where n.changes is not null
       union all
       select c.id, c.account_id, message.partition, c.user_id, c.user_revision, c.revision,
              'message_create', message.place, message.id, message.actor_type, message.actor_id, null,
              message.id, message.interaction_id, message.body
       from unnest($16::uuid[], $17::uuid[], $18::smallint[], $19::text[], $20::text[], $21::uuid[],
                   string_to_array($22, e'\\n'))
            with ordinality
            as message (id, conversation_id, partition, interaction_id, actor_type, actor_id, body, place)
       join changed c on c.id = message.conversation_id
       order by conversation_id, place
     ) s
   ), written as (
     insert into messages (id, conversation_id, seq, created_time, interaction_id, body)
     select id, conversation_id, seq, $1, interaction_id, body from numbered where kind = 'message_create'
   ), logged as (
     ${appendToLog(
       {
         seq: "seq",
         id: "event_id",
         account_id: "account_id",
         partition: "partition",
         kind: "kind",
         entity_id: "conversation_id",
         created_time: "$1",
         actor_type: "actor_type",
         actor_id: "actor_id",
         user_id: "user_id",
         user_revision: "user_revision",
         conversation_revision: "revision",
         message_id: "id",
         changes: "changes",
         trace_parent: traceParentOf(23, "event_id"),
       },
       "from numbered",
     )}
   ), answered as (
     ${insertIdempotencyRecords(
       "claim",
       { message_id: "numbered.id", created_time: "$1" },
       `from ${records} join numbered using (id)`,
     )}
   )
   select id, updated_time from changed`,
  ),
);

/**
 * Writes the next revisions of conversations together with their messages.
 * -> update times by conversation id; conversations that were changed meanwhile are missing and nothing was written for
 * them
 */
export const changeConversations = async (
  db: Db,
  time: string,
  revisions: readonly RevisionRow[],
  messages: readonly (NewMessageRow & RecordedReply)[],
): Promise<ReadonlyMap<string, Date>> => {
  const ordered = revisions.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const rows = await db.rows<{ id: string; updated_time: Date }>(CHANGE_CONVERSATIONS, [
    time,
    arrayLiteral(ordered.map(({ id }) => id)),
    arrayLiteral(ordered.map(({ revision }) => revision)),
    arrayLiteral(ordered.map(({ byUser }) => byUser)),
    arrayLiteral(ordered.map(({ id }) => partitionOf(id))),
    arrayLiteral(ordered.map(({ next }) => next.status)),
    arrayLiteral(ordered.map(({ next }) => next.assigned_agent_id)),
    arrayLiteral(ordered.map(({ next }) => next.assigned_group_id)),
    arrayLiteral(ordered.map(({ next }) => next.restricted)),
    arrayLiteral(ordered.map(({ interaction_id }) => interaction_id)),
    joinLines(ordered.map(({ properties }) => properties)),
    arrayLiteral(ordered.map(({ event_id }) => event_id)),
    arrayLiteral(ordered.map(({ actor_type }) => actor_type)),
    arrayLiteral(ordered.map(({ actor_id }) => actor_id)),
    joinLines(ordered.map(({ changes }) => changes)),
    ...newMessageArrays(messages),
    traceParents([...ordered, ...messages.map(tracedMessage)]),
    ...idempotencyRecordArrays(messages),
  ]);
  return new Map(rows.map(({ id, updated_time }) => [id, updated_time]));
};
