import type { ActorType } from "@parley/contract";
import { type Db, statement, joinLines, arrayLiteral } from "@parley/database";
import type { RecordedReply } from "../../http/idempotency/idempotency-record.ts";
import {
  idempotencyRecordArrays,
  insertIdempotencyRecords,
  withIdempotencyRecords,
} from "../../http/idempotency/store.ts";
import { appendToLog, partitionOf, traceParentOf, traceParents } from "../../base/log/store.ts";
import type { ConversationState } from "./transitions.ts";
import { type NewMessageRow, newMessageArrays, tracedMessage } from "./append.sql.ts";

/** A conversation to be inserted. */
interface NewConversationRow extends ConversationState, RecordedReply {
  readonly account_id: number;
  readonly number: number;
  readonly user_id: string;
  readonly channel_id: string;
  readonly interaction_id: string;
  readonly properties: string;
  readonly event_id: string;
  readonly trace_parent?: string | undefined;
  readonly actor_type: ActorType;
  readonly actor_id: string | null;
  /** The last of its first messages. */
  readonly message_id: string | null;
  /** JSON text of the reply to be recorded. */
  readonly answer: string | null;
}

// `for key share` locks each user as a foreign key would. A concurrent deletion of the user either waits and then covers
// this conversation, or is waited for, after which the user is not found.
const CREATE_CONVERSATIONS = statement(
  "create_conversations",
  withIdempotencyRecords(
    (records) => `with input as (
     select *
     from unnest($2::uuid[], $3::integer[], $4::smallint[], $5::bigint[], $6::uuid[], $7::uuid[], $8::text[], $9::uuid[], $10::uuid[],
                 $11::boolean[], $12::text[], string_to_array($13, e'\\n'), $14::uuid[], $15::text[], $16::uuid[], $17::uuid[],
                 string_to_array($25, e'\\n', ''))
          with ordinality as b (id, account_id, partition, number, user_id, channel_id, status, agent_id, group_id,
                restricted, interaction_id, properties, event_id, actor_type, actor_id, message_id, answer, place)
   ), valid as (
     select b.*, u.revision as user_revision
     from input b
     cross join lateral (select * from users where id = b.user_id limit 1 for key share) u
     where u.account_id = b.account_id and u.deleted_time is null
   ), created as (
     insert into conversations (id, account_id, number, user_id, channel_id, created_time, updated_time, status,
                                assigned_agent_id, assigned_group_id, interaction_id, properties, restricted)
     select id, account_id, number, user_id, channel_id, $1::timestamptz, $1, status, agent_id, group_id, interaction_id,
            properties, restricted
     from valid
     returning id
   ), numbered as (
     select nextval('log_positions') as seq, s.*
     from (
       select b.place, 0 as step, 'conversation_create' as kind, b.id as conversation_id, b.account_id, b.partition, b.user_id,
              b.user_revision, b.event_id, b.actor_type, b.actor_id, b.message_id as id, null as interaction_id, null as body
       from created join valid b on b.id = created.id
       union all
       select b.place, message.place, 'message_create', b.id, b.account_id, message.partition, b.user_id,
              b.user_revision, message.id, message.actor_type, message.actor_id, message.id, message.interaction_id, message.body
       from unnest($18::uuid[], $19::uuid[], $20::smallint[], $21::text[], $22::text[], $23::uuid[],
                   string_to_array($24, e'\\n'))
            with ordinality
            as message (id, conversation_id, partition, interaction_id, actor_type, actor_id, body, place)
       join created on created.id = message.conversation_id
       join valid b on b.id = created.id
       order by place, step
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
         conversation_revision: "1",
         message_id: "id",
         trace_parent: traceParentOf(26, "event_id"),
       },
       "from numbered",
     )}
   ), kept as (
     ${insertIdempotencyRecords(
       "claim",
       { body: "b.answer", about: "b.user_id", created_time: "$1" },
       `from ${records} join created on created.id = claim.id join valid b on b.id = claim.id`,
     )}
   )
   select id from created`,
  ),
);

/**
 * Inserts conversations with their first messages. -> ids of the conversations whose user exists; nothing was written
 * for the others.
 */
export const insertNewConversations = async (
  db: Db,
  time: string,
  conversations: readonly NewConversationRow[],
  messages: readonly NewMessageRow[],
): Promise<ReadonlySet<string>> => {
  const rows = await db.rows<{ id: string }>(CREATE_CONVERSATIONS, [
    time,
    arrayLiteral(conversations.map(({ id }) => id)),
    arrayLiteral(conversations.map(({ account_id }) => account_id)),
    arrayLiteral(conversations.map(({ id }) => partitionOf(id))),
    arrayLiteral(conversations.map(({ number }) => number)),
    arrayLiteral(conversations.map(({ user_id }) => user_id)),
    arrayLiteral(conversations.map(({ channel_id }) => channel_id)),
    arrayLiteral(conversations.map(({ status }) => status)),
    arrayLiteral(conversations.map(({ assigned_agent_id }) => assigned_agent_id)),
    arrayLiteral(conversations.map(({ assigned_group_id }) => assigned_group_id)),
    arrayLiteral(conversations.map(({ restricted }) => restricted)),
    arrayLiteral(conversations.map(({ interaction_id }) => interaction_id)),
    joinLines(conversations.map(({ properties }) => properties)),
    arrayLiteral(conversations.map(({ event_id }) => event_id)),
    arrayLiteral(conversations.map(({ actor_type }) => actor_type)),
    arrayLiteral(conversations.map(({ actor_id }) => actor_id)),
    arrayLiteral(conversations.map(({ message_id }) => message_id)),
    ...newMessageArrays(messages),
    joinLines(conversations.map(({ answer }) => answer)),
    traceParents([...conversations, ...messages.map(tracedMessage)]),
    ...idempotencyRecordArrays(conversations),
  ]);
  return new Set(rows.map(({ id }) => id));
};
