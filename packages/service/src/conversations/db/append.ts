import { type Db, statement } from "@parley/database";
import { claimArrays, claimTable } from "../../idempotency/db/claims.ts";
import type { Claimed } from "../../idempotency/claim.ts";
import { plainArray } from "../../db/arrays.ts";
import { type Said, saidArrays } from "./said.ts";

/** A conversation that messages are put into, in the revision in which the rules saw it. */
export interface Target {
  readonly id: string;
  readonly revision: number;
  /** A message by the user is among them: that needs the user, and it needs the user's latest conversation. */
  readonly byUser: boolean;
}

// The rows are locked in the order of the ids, so that two processes never wait for each other; positions in the log are drawn
// after that, so that a conversation's order in it is that of the commits. No table is joined: each row is looked up by its key,
// whatever the planner believes of tables that were empty a moment ago (an `exists` may be made of the whole table).
const APPEND_MESSAGES = statement(
  "append_messages",
  `with asked as (
     select claim.*,
            (select k.code from idempotency_keys k where k.token_id = claim.token_id and k.key = claim.key limit 1)
              is not null as is_kept
     from ${claimTable(12)}
   ), said as (
     select *
     from unnest($5::uuid[], $6::uuid[], $7::smallint[], $8::text[], $9::text[], $10::uuid[],
                 string_to_array($11, e'\\n'))
          with ordinality
          as said (id, conversation_id, partition, interaction_id, actor_type, actor_id, body, place)
     where id <> all (array(select asked.id from asked where is_kept))
   ), touched as (
     update conversations c
     set updated_time = greatest(c.updated_time, $1::timestamptz)
     where c.id = any($2::uuid[])
       and c.revision = ($3::integer[])[array_position($2::uuid[], c.id)]
       and (not exists (select from asked where is_kept) or c.id in (select conversation_id from said))
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
       select said.id, said.partition, said.interaction_id, said.actor_type, said.actor_id, said.body,
              t.id as conversation_id, t.account_id, t.user_id, t.revision, t.user_revision
       from said
       join touched t on t.id = said.conversation_id
       order by said.place
     ) s
   ), written as (
     insert into messages (id, conversation_id, seq, created_time, interaction_id, body)
     select id, conversation_id, seq, $1, interaction_id, body from numbered
   ), logged as (
     insert into outbox (seq, id, account_id, partition, kind, entity_id, created_time, actor_type, actor_id, user_id,
                         user_revision, conversation_revision, message_id)
     select seq, id, account_id, partition, 'message_create', conversation_id, $1, actor_type, actor_id, user_id,
            user_revision, revision, id
     from numbered
   ), kept as (
     insert into idempotency_keys (token_id, key, fingerprint, code, message_id, created_time)
     select asked.token_id, asked.key, decode(asked.fingerprint, 'hex'), asked.code, numbered.id, $1
     from asked
     join numbered using (id)
     order by asked.token_id, asked.key
   )
   select id from touched
   union all
   select id from asked where is_kept`,
);

/**
 * Puts messages into open conversations, and keeps the answers that they are; a message whose answer is kept already is passed over.
 * -> ids of the conversations that were as the rules saw them, and of the messages that were passed over
 */
export const appendMessages = async (
  db: Db,
  time: string,
  targets: readonly Target[],
  messages: readonly (Said & Claimed)[],
): Promise<ReadonlySet<string>> => {
  const ordered = targets.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const rows = await db.rows<{ id: string }>(APPEND_MESSAGES, [
    time,
    plainArray(ordered.map(({ id }) => id)),
    plainArray(ordered.map(({ revision }) => revision)),
    plainArray(ordered.map(({ byUser }) => byUser)),
    ...saidArrays(messages),
    ...claimArrays(messages),
  ]);
  return new Set(rows.map(({ id }) => id));
};
