import { appendToLog, partitionOf, traceParentOf, traceParents, type TracedEvent } from "../../base/log/store.ts";
import type { UnsavedMessage } from "./unsaved-message.ts";
import { type Db, statement, joinLines, arrayLiteral } from "@parley/database";
import {
  idempotencyRecordArrays,
  insertIdempotencyRecords,
  withIdempotencyRecords,
} from "../../http/idempotency/store.ts";
import type { RecordedReply } from "../../http/idempotency/idempotency-record.ts";

/** A message to be inserted. Its event has the same id, so that it cannot be logged twice. */
export interface NewMessageRow {
  readonly id: string;
  readonly conversation_id: string;
  readonly interaction_id: string;
  readonly draft: UnsavedMessage;
  /** JSON text of the message. */
  readonly text: string;
  /** The span that writes it (W3C `traceparent`). */
  readonly trace_parent?: string | undefined;
}

/**
 * Parameter values of `message (id, conversation_id, partition, interaction_id, actor_type, actor_id, body)`, for
 * `unnest`.
 */
export const newMessageArrays = (messages: readonly NewMessageRow[]): readonly string[] => [
  arrayLiteral(messages.map(({ id }) => id)),
  arrayLiteral(messages.map(({ conversation_id }) => conversation_id)),
  arrayLiteral(messages.map(({ conversation_id }) => partitionOf(conversation_id))),
  arrayLiteral(messages.map(({ interaction_id }) => interaction_id)),
  arrayLiteral(messages.map(({ draft }) => draft.actor_type)),
  arrayLiteral(messages.map(({ draft }) => draft.actor_id)),
  joinLines(messages.map(({ text }) => text)),
];

/** The event of a message, with its trace. */
export const tracedMessage = ({ id, trace_parent }: NewMessageRow): TracedEvent => ({ event_id: id, trace_parent });

/** A conversation that receives messages, in the revision on which the rules were applied. */
export interface AppendTarget {
  readonly id: string;
  readonly revision: number;
  /** At least one message is by the user: the user must exist and this must be the user's latest conversation. */
  readonly byUser: boolean;
}

// Rows are locked in the order of their ids, so that two processes cannot deadlock. Log positions are drawn after that,
// so that the log order of a conversation is its commit order. Scalar subqueries instead of joins: each row is looked up
// by its key even if the planner's statistics are from empty tables (an `exists` may become a full scan).
const APPEND_MESSAGES = statement(
  "append_messages",
  withIdempotencyRecords(
    (records) => `with asked as (
     select claim.*,
            (select k.code from idempotency_keys k where k.token_id = claim.token_id and k.key = claim.key limit 1)
              is not null as is_kept
     from ${records}
   ), message as (
     select *
     from unnest($5::uuid[], $6::uuid[], $7::smallint[], $8::text[], $9::text[], $10::uuid[],
                 string_to_array($11, e'\\n'))
          with ordinality
          as message (id, conversation_id, partition, interaction_id, actor_type, actor_id, body, place)
     where id <> all (array(select asked.id from asked where is_kept))
   ), touched as (
     update conversations c
     set updated_time = greatest(c.updated_time, $1::timestamptz)
     where c.id = any($2::uuid[])
       and c.revision = ($3::integer[])[array_position($2::uuid[], c.id)]
       and (not exists (select from asked where is_kept) or c.id in (select conversation_id from message))
       and (
         not ($4::boolean[])[array_position($2::uuid[], c.id)]
         or (
           (select u.deleted_time is null from users u where u.id = c.user_id)
           and not exists (
             select from conversations later
             where later.user_id = c.user_id and (later.created_time, later.number) > (c.created_time, c.number))
         )
       )
     returning c.id, c.account_id, c.user_id, c.revision,
               (select u.revision from users u where u.id = c.user_id) as user_revision
   ), numbered as (
     select nextval('log_positions') as seq, s.*
     from (
       select message.id, message.partition, message.interaction_id, message.actor_type, message.actor_id, message.body,
              t.id as conversation_id, t.account_id, t.user_id, t.revision, t.user_revision
       from message
       join touched t on t.id = message.conversation_id
       order by message.place
     ) s
   ), written as (
     insert into messages (id, conversation_id, seq, created_time, interaction_id, body)
     select id, conversation_id, seq, $1, interaction_id, body from numbered
   ), logged as (
     ${appendToLog(
       {
         seq: "seq",
         id: "id",
         account_id: "account_id",
         partition: "partition",
         kind: "'message_create'",
         entity_id: "conversation_id",
         created_time: "$1",
         actor_type: "actor_type",
         actor_id: "actor_id",
         user_id: "user_id",
         user_revision: "user_revision",
         conversation_revision: "revision",
         message_id: "id",
         trace_parent: traceParentOf(12, "id"),
       },
       "from numbered",
     )}
   ), kept as (
     ${insertIdempotencyRecords(
       "asked",
       { message_id: "numbered.id", created_time: "$1" },
       "from asked join numbered using (id)",
     )}
   )
   select id from touched
   union all
   select id from asked where is_kept`,
  ),
);

/**
 * Appends messages to conversations without a change of state, and records their replies. A message whose reply is
 * already recorded is skipped.
 * -> ids of the conversations that were unchanged, and of the messages that were skipped
 */
export const appendMessages = async (
  db: Db,
  time: string,
  targets: readonly AppendTarget[],
  messages: readonly (NewMessageRow & RecordedReply)[],
): Promise<ReadonlySet<string>> => {
  const ordered = targets.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const rows = await db.rows<{ id: string }>(APPEND_MESSAGES, [
    time,
    arrayLiteral(ordered.map(({ id }) => id)),
    arrayLiteral(ordered.map(({ revision }) => revision)),
    arrayLiteral(ordered.map(({ byUser }) => byUser)),
    ...newMessageArrays(messages),
    traceParents(messages.map(tracedMessage)),
    ...idempotencyRecordArrays(messages),
  ]);
  return new Set(rows.map(({ id }) => id));
};
