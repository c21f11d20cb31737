import type { ActorType } from "@parley/contract";
import { type Db, statement } from "@parley/database";
import type { Claimed } from "../../idempotency/claim.ts";
import { claimArrays, claimTable } from "../../idempotency/db/claims.ts";
import { partitionOf } from "../../events/partition.ts";
import { lines, plainArray } from "../../db/arrays.ts";
import type { State } from "../transitions.ts";
import { type Said, saidArrays } from "./said.ts";

/** The next revision of a conversation, with the one that it follows. */
export interface RevisionRow {
  readonly id: string;
  /** The revision in which the rules saw it. */
  readonly revision: number;
  readonly next: State;
  readonly interaction_id: string;
  readonly properties: string;
  /** What the event of the change says; null: no event. */
  readonly changes: string | null;
  readonly event_id: string;
  readonly actor_type: ActorType;
  readonly actor_id: string | null;
  /** A message by the user is the reason: that needs the user, and it needs the user's latest conversation. */
  readonly byUser: boolean;
}

// As in `append_messages`: locks in the order of the ids, positions after that, and no table joined.
const CHANGE_CONVERSATIONS = statement(
  "change_conversations",
  `with change as (
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
   ), numbered as (
     select nextval('log_positions') as seq, s.*
     from (
       select c.id as conversation_id, c.account_id, n.partition, c.user_id, c.user_revision, c.revision,
              'conversation_update' as kind, 0 as place, n.event_id, n.actor_type, n.actor_id, n.changes,
              null::uuid as id, null as interaction_id, null as body
       from changed c join change n on n.id = c.id
       where n.changes is not null
       union all
       select c.id, c.account_id, said.partition, c.user_id, c.user_revision, c.revision,
              'message_create', said.place, said.id, said.actor_type, said.actor_id, null,
              said.id, said.interaction_id, said.body
       from unnest($16::uuid[], $17::uuid[], $18::smallint[], $19::text[], $20::text[], $21::uuid[],
                   string_to_array($22, e'\\n'))
            with ordinality
            as said (id, conversation_id, partition, interaction_id, actor_type, actor_id, body, place)
       join changed c on c.id = said.conversation_id
       order by conversation_id, place
     ) s
   ), written as (
     insert into messages (id, conversation_id, seq, created_time, interaction_id, body)
     select id, conversation_id, seq, $1, interaction_id, body from numbered where kind = 'message_create'
   ), logged as (
     insert into outbox (seq, id, account_id, partition, kind, entity_id, created_time, actor_type, actor_id, user_id,
                         user_revision, conversation_revision, message_id, changes)
     select seq, event_id, account_id, partition, kind, conversation_id, $1, actor_type, actor_id, user_id,
            user_revision, revision, id, changes
     from numbered
   ), answered as (
     insert into idempotency_keys (token_id, key, fingerprint, code, message_id, created_time)
     select claim.token_id, claim.key, decode(claim.fingerprint, 'hex'), claim.code, numbered.id, $1
     from ${claimTable(23)}
     join numbered using (id)
     order by claim.token_id, claim.key
   )
   select id, updated_time from changed`,
);

/**
 * Writes the next revisions of conversations with the messages that go with them.
 * -> their update times by id; a conversation that was not as the rules saw it is left out and got nothing.
 */
export const changeConversations = async (
  db: Db,
  time: string,
  revisions: readonly RevisionRow[],
  messages: readonly (Said & Claimed)[],
): Promise<ReadonlyMap<string, Date>> => {
  const ordered = revisions.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const rows = await db.rows<{ id: string; updated_time: Date }>(CHANGE_CONVERSATIONS, [
    time,
    plainArray(ordered.map(({ id }) => id)),
    plainArray(ordered.map(({ revision }) => revision)),
    plainArray(ordered.map(({ byUser }) => byUser)),
    plainArray(ordered.map(({ id }) => partitionOf(id))),
    plainArray(ordered.map(({ next }) => next.status)),
    plainArray(ordered.map(({ next }) => next.assigned_agent_id)),
    plainArray(ordered.map(({ next }) => next.assigned_group_id)),
    plainArray(ordered.map(({ next }) => next.restricted)),
    plainArray(ordered.map(({ interaction_id }) => interaction_id)),
    lines(ordered.map(({ properties }) => properties)),
    plainArray(ordered.map(({ event_id }) => event_id)),
    plainArray(ordered.map(({ actor_type }) => actor_type)),
    plainArray(ordered.map(({ actor_id }) => actor_id)),
    lines(ordered.map(({ changes }) => changes)),
    ...saidArrays(messages),
    ...claimArrays(messages),
  ]);
  return new Map(rows.map(({ id, updated_time }) => [id, updated_time]));
};
