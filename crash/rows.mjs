/** Reads and manipulates the rows of a run directly in the database. */
import { statement } from "../packages/database/dist/index.js";
import { SERVICE_SCHEMA as SCHEMA } from "../packages/service/dist/index.js";

const PING = statement("", "select 1");
const USERS = statement("", "select id, first_name as text from users where first_name = any($1::text[])");
const CONVERSATIONS = statement("", "select id, user_id from conversations where user_id = any($1::uuid[])");
const MESSAGES = statement(
  "",
  `select id, conversation_id as conversation, seq, body::json #>> '{message_parts,0,text,content}' as text
     from messages
    where conversation_id = any($1::uuid[])
    order by seq`,
);
const COUNT = statement(
  "",
  `select count(*)::integer as count
     from messages
     join conversations on conversations.id = messages.conversation_id
     join users on users.id = conversations.user_id
    where users.first_name like $1 || '-%'`,
);
const LOSE = statement("", "delete from messages where id = $1");
// A copy of a message and its event, as if the request had been processed twice.
const DOUBLE = statement(
  "",
  `with copy as (
     insert into messages (id, conversation_id, seq, created_time, interaction_id, body)
     select gen_random_uuid(), conversation_id, nextval('log_positions'), created_time, interaction_id, body
       from messages
      where id = $1
     returning id, seq
   )
   insert into outbox
     (seq, id, account_id, partition, kind, entity_id, created_time, actor_type, actor_id, user_id, user_revision,
      conversation_revision, message_id)
   select copy.seq, gen_random_uuid(), account_id, partition, kind, entity_id, created_time, actor_type, actor_id, user_id,
          user_revision, conversation_revision, copy.id
     from copy, outbox
    where outbox.message_id = $1 and outbox.kind = 'message_create'`,
);
const FORGET = statement(
  "",
  `insert into cursors (subscription_id, partition, seq)
   select subscriptions.id, partition, (select max(seq) from outbox)
     from subscriptions, generate_series(0, 63) as partition
   on conflict (subscription_id, partition) do update set seq = excluded.seq`,
);

export const rowStore = (database) => {
  const pool = database.pool(SCHEMA, { max: 1, applicationName: "crash" });
  return {
    ping: () => pool.rows(PING, []),
    users: (names) => pool.rows(USERS, [names]),
    conversations: (users) => pool.rows(CONVERSATIONS, [users]),
    messages: (conversations) => pool.rows(MESSAGES, [conversations]),
    /** Number of messages of all rounds of a run. */
    count: async (run) => (await pool.one(COUNT, [run])).count,
    lose: (message) => pool.rows(LOSE, [message]),
    double: (message) => pool.rows(DOUBLE, [message]),
    /** Moves all cursors to the end of the log. */
    forget: () => pool.rows(FORGET, []),
  };
};
