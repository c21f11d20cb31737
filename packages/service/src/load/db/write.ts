import { statement, type Db } from "@parley/database";
import { lines, plainArray } from "../../db/arrays.ts";
import { userText } from "../../users/user.ts";
import type { Batch } from "../batch.ts";

// Each draw is a block of numbers, as the processes of the service draw them.
const NUMBERS = statement(
  "load_numbers",
  `select nextval('conversation_numbers') as first from generate_series(1, $1::integer)`,
);
/** The increment of the sequence. */
const BLOCK = 64;

const USERS = statement(
  "load_users",
  `insert into users (account_id, id, created_time, updated_time, first_name, last_name, email, phone, reference_id, body)
   select $1, id, created_time, created_time, first_name, last_name, email, phone, reference_id, body
     from unnest($2::uuid[], $3::timestamptz[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
                 string_to_array($9, e'\\n'))
          as u (id, created_time, first_name, last_name, email, phone, reference_id, body)`,
);
const CONVERSATIONS = statement(
  "load_conversations",
  `insert into conversations (account_id, id, number, user_id, channel_id, created_time, updated_time, status,
                              assigned_agent_id, assigned_group_id, interaction_id, properties, restricted)
   select $1, id, number, user_id, channel_id, created_time, updated_time, status, agent_id, group_id, interaction_id, '{}', false
     from unnest($2::uuid[], $3::bigint[], $4::uuid[], $5::uuid[], $6::timestamptz[], $7::timestamptz[], $8::text[], $9::uuid[],
                 $10::uuid[], $11::text[])
          as c (id, number, user_id, channel_id, created_time, updated_time, status, agent_id, group_id, interaction_id)`,
);
const MESSAGES = statement(
  "load_messages",
  `insert into messages (id, conversation_id, seq, created_time, interaction_id, body)
   select id, conversation_id, nextval('log_positions'), created_time, interaction_id, body
     from (
       select *
         from unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::text[], string_to_array($5, e'\\n'))
              with ordinality as m (id, conversation_id, created_time, interaction_id, body, place)
        order by place
     ) as said`,
);

/** What a load writes. */
export const loadStore = (db: Db) => ({
  /** -> numbers that nobody else gets, at least so many. */
  numbers: async (count: number): Promise<number[]> => {
    const blocks = await db.rows<{ first: number }>(NUMBERS, [Math.ceil(count / BLOCK)]);
    return blocks.flatMap(({ first }) => Array.from({ length: BLOCK }, (_, index) => Number(first) + index));
  },
  write: async (accountId: number, { users, talks }: Batch): Promise<void> => {
    await db.rows(USERS, [
      accountId,
      plainArray(users.map(({ id }) => id)),
      plainArray(users.map(({ created_time }) => created_time)),
      users.map(({ first_name }) => first_name ?? null),
      users.map(({ last_name }) => last_name ?? null),
      users.map(({ email }) => email ?? null),
      users.map(({ phone }) => phone ?? null),
      users.map(({ reference_id }) => reference_id ?? null),
      lines(users.map(userText)),
    ]);
    await db.rows(CONVERSATIONS, [
      accountId,
      plainArray(talks.map(({ id }) => id)),
      plainArray(talks.map(({ number }) => number)),
      plainArray(talks.map(({ user_id }) => user_id)),
      plainArray(talks.map(({ channel_id }) => channel_id)),
      plainArray(talks.map(({ created_time }) => created_time)),
      plainArray(talks.map(({ updated_time }) => updated_time)),
      plainArray(talks.map(({ status }) => status)),
      plainArray(talks.map(({ assigned_agent_id }) => assigned_agent_id)),
      plainArray(talks.map(({ assigned_group_id }) => assigned_group_id)),
      plainArray(talks.map(({ interaction_id }) => interaction_id)),
    ]);
    const said = talks.flatMap(({ id, interaction_id, messages }) =>
      messages.map((message) => ({ ...message, conversation_id: id, interaction_id })),
    );
    await db.rows(MESSAGES, [
      plainArray(said.map(({ id }) => id)),
      plainArray(said.map(({ conversation_id }) => conversation_id)),
      plainArray(said.map(({ created_time }) => created_time)),
      plainArray(said.map(({ interaction_id }) => interaction_id)),
      lines(said.map(({ body }) => body)),
    ]);
  },
});
