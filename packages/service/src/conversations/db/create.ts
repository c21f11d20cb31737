import type { ActorType } from "@parley/contract";
import { type Db, statement } from "@parley/database";
import type { Claimed } from "../../idempotency/claim.ts";
import { claimArrays, claimTable } from "../../idempotency/db/claims.ts";
import { partitionOf } from "../../events/partition.ts";
import { lines, plainArray } from "../../db/arrays.ts";
import type { State } from "../transitions.ts";
import { type Said, saidArrays } from "./said.ts";

/** A conversation that a batch is about to write. */
export interface BeginningRow extends State, Claimed {
  readonly account_id: number;
  readonly number: number;
  readonly user_id: string;
  readonly channel_id: string;
  readonly interaction_id: string;
  readonly properties: string;
  readonly event_id: string;
  readonly actor_type: ActorType;
  readonly actor_id: string | null;
  /** The last of its first messages. */
  readonly message_id: string | null;
  /** What is kept for its claim. */
  readonly answer: string | null;
}

// The users are locked as a foreign key would lock them: a user who is being deleted is waited for, and found gone then; else the
// deletion would pass over what is written beside it.
// The lock on the user makes a deletion wait, so that it finds this conversation, or makes this wait and find nobody.
const CREATE_CONVERSATIONS = statement(
  "create_conversations",
  `with beginning as (
     select *
     from unnest($2::uuid[], $3::integer[], $4::smallint[], $5::bigint[], $6::uuid[], $7::uuid[], $8::text[], $9::uuid[], $10::uuid[],
                 $11::boolean[], $12::text[], string_to_array($13, e'\\n'), $14::uuid[], $15::text[], $16::uuid[], $17::uuid[],
                 string_to_array($25, e'\\n', ''))
          with ordinality as b (id, account_id, partition, number, user_id, channel_id, status, agent_id, group_id,
                restricted, interaction_id, properties, event_id, actor_type, actor_id, message_id, answer, place)
   ), begun as (
     select b.*, u.revision as user_revision
     from beginning b
     cross join lateral (select * from users where id = b.user_id limit 1 for key share) u
     where u.account_id = b.account_id and u.deleted_time is null
   ), created as (
     insert into conversations (id, account_id, number, user_id, channel_id, created_time, updated_time, status,
                                assigned_agent_id, assigned_group_id, interaction_id, properties, restricted)
     select id, account_id, number, user_id, channel_id, $1::timestamptz, $1, status, agent_id, group_id, interaction_id,
            properties, restricted
     from begun
     returning id
   ), numbered as (
     select nextval('log_positions') as seq, s.*
     from (
       select b.place, 0 as step, 'conversation_create' as kind, b.id as conversation_id, b.account_id, b.partition, b.user_id,
              b.user_revision, b.event_id, b.actor_type, b.actor_id, b.message_id as id, null as interaction_id, null as body
       from created join begun b on b.id = created.id
       union all
       select b.place, said.place, 'message_create', b.id, b.account_id, said.partition, b.user_id,
              b.user_revision, said.id, said.actor_type, said.actor_id, said.id, said.interaction_id, said.body
       from unnest($18::uuid[], $19::uuid[], $20::smallint[], $21::text[], $22::text[], $23::uuid[],
                   string_to_array($24, e'\\n'))
            with ordinality
            as said (id, conversation_id, partition, interaction_id, actor_type, actor_id, body, place)
       join created on created.id = said.conversation_id
       join begun b on b.id = created.id
       order by place, step
     ) s
   ), written as (
     insert into messages (id, conversation_id, seq, created_time, interaction_id, body)
     select id, conversation_id, seq, $1, interaction_id, body from numbered where kind = 'message_create'
   ), logged as (
     insert into outbox (seq, id, account_id, partition, kind, entity_id, created_time, actor_type, actor_id, user_id,
                         user_revision, conversation_revision, message_id)
     select seq, event_id, account_id, partition, kind, conversation_id, $1, actor_type, actor_id, user_id, user_revision, 1, id
     from numbered
   ), kept as (
     insert into idempotency_keys (token_id, key, fingerprint, code, body, about, created_time)
     select claim.token_id, claim.key, decode(claim.fingerprint, 'hex'), claim.code, b.answer, b.user_id, $1
     from ${claimTable(26)}
     join created on created.id = claim.id
     join begun b on b.id = claim.id
     order by claim.token_id, claim.key
   )
   select id from created`,
);

/** Writes conversations with their first messages. -> ids of those whose user there is; for the others nothing was written. */
export const createConversations = async (
  db: Db,
  time: string,
  beginnings: readonly BeginningRow[],
  messages: readonly Said[],
): Promise<ReadonlySet<string>> => {
  const rows = await db.rows<{ id: string }>(CREATE_CONVERSATIONS, [
    time,
    plainArray(beginnings.map(({ id }) => id)),
    plainArray(beginnings.map(({ account_id }) => account_id)),
    plainArray(beginnings.map(({ id }) => partitionOf(id))),
    plainArray(beginnings.map(({ number }) => number)),
    plainArray(beginnings.map(({ user_id }) => user_id)),
    plainArray(beginnings.map(({ channel_id }) => channel_id)),
    plainArray(beginnings.map(({ status }) => status)),
    plainArray(beginnings.map(({ assigned_agent_id }) => assigned_agent_id)),
    plainArray(beginnings.map(({ assigned_group_id }) => assigned_group_id)),
    plainArray(beginnings.map(({ restricted }) => restricted)),
    plainArray(beginnings.map(({ interaction_id }) => interaction_id)),
    lines(beginnings.map(({ properties }) => properties)),
    plainArray(beginnings.map(({ event_id }) => event_id)),
    plainArray(beginnings.map(({ actor_type }) => actor_type)),
    plainArray(beginnings.map(({ actor_id }) => actor_id)),
    plainArray(beginnings.map(({ message_id }) => message_id)),
    ...saidArrays(messages),
    lines(beginnings.map(({ answer }) => answer)),
    ...claimArrays(beginnings),
  ]);
  return new Set(rows.map(({ id }) => id));
};
