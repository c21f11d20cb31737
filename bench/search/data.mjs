/** Writes users, conversations and messages of two years to a database, by SQL, in the order of their time. */
import { createHash } from "node:crypto";
import { statement } from "../../packages/database/dist/index.js";
import { createTexts } from "./words.mjs";

const BATCH = 5_000;
/** Greater than the numbers that the service assigns. */
const FIRST_NUMBER = 9_000_000_000_000;
const SPAN_MS = 2 * 365 * 24 * 60 * 60 * 1_000;
const MESSAGES_PER_CONVERSATION = 10;
/** Conversations that are written to at the same time. */
const OPEN_CONVERSATIONS = 2_000;

const USERS = statement(
  "",
  `insert into users (id, account_id, created_time, updated_time, first_name, last_name, email, body)
   select id, $1, time, time, first_name, last_name, email,
          json_build_object('id', id, 'created_time', time, 'updated_time', time, 'login_status', false, 'first_name', first_name,
                            'last_name', last_name, 'email', email)::text
     from unnest($2::uuid[], $3::timestamptz[], $4::text[], $5::text[], $6::text[]) as u (id, time, first_name, last_name, email)`,
);
const CONVERSATIONS = statement(
  "",
  `insert into conversations (id, account_id, number, user_id, channel_id, created_time, updated_time, status, assigned_agent_id,
                              assigned_group_id, interaction_id, properties)
   select id, $1, number, user_id, $2, time, time + interval '30 days', 'resolved', agent_id, group_id, number || '-1', '{}'
     from unnest($3::uuid[], $4::bigint[], $5::uuid[], $6::timestamptz[], $7::uuid[], $8::uuid[])
          as c (id, number, user_id, time, agent_id, group_id)`,
);
const MESSAGES = statement(
  "",
  `insert into messages (id, conversation_id, seq, created_time, interaction_id, body)
   select id, conversation_id, nextval('log_positions'), time, interaction_id,
          '{"id":"' || id || '","created_time":"' || to_char(time at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') ||
          '","app_id":"2f1b0f3a-0000-4000-8000-000000000000","channel_id":"' || $1 || '","conversation_id":"' || conversation_id ||
          '","interaction_id":"' || interaction_id || '","freshchat_conversation_id":"' || number ||
          '","freshchat_channel_id":"123456789","actor_type":"user","actor_id":"' || user_id || '","user_id":"' || user_id ||
          '","message_type":"normal","message_parts":[{"text":{"content":"' || text ||
          '"}}],"message_source":"api","restrictResponse":false,"botsPrivateNote":false,"isBotsInput":false}'
     from unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::bigint[], $6::timestamptz[], $7::text[], $8::text[])
          with ordinality as m (id, conversation_id, user_id, number, time, interaction_id, text, place)
    order by place`,
);

/** A UUID of version 7 with the time, the same for a key. */
const idAt = (time, key) => {
  const hash = createHash("md5").update(key).digest("hex");
  const head = time.toString(16).padStart(12, "0");
  return `${head.slice(0, 8)}-${head.slice(8)}-7${hash.slice(0, 3)}-8${hash.slice(3, 6)}-${hash.slice(6, 18)}`;
};

/**
 * @shape assign: index of a conversation -> `{ agent, group }`, ids or null
 * -> conversations that can be written to: `[{ id, user_id }]`
 */
export const writeMessages = async ({ pool, accountId, channelId, count, vocabulary, random, assign, progress }) => {
  const text = createTexts(vocabulary, random);
  const begin = Date.now() - SPAN_MS;
  const open = [];
  let [conversations, written, reportAt] = [0, 0, 0];
  while (written < count) {
    const size = Math.min(BATCH, count - written);
    const [users, begun, messages] = [[], [], []];
    for (let index = 0; index < size; index++) {
      const time = begin + Math.floor(((written + index) / count) * SPAN_MS);
      if (open.length < OPEN_CONVERSATIONS || random() < 1 / MESSAGES_PER_CONVERSATION) {
        const number = FIRST_NUMBER + ++conversations;
        const conversation = { id: idAt(time, `c${number}`), user_id: idAt(time, `u${number}`), number, time };
        users.push([conversation.user_id, new Date(time), text().split(" ")[0], text().split(" ")[1]]);
        begun.push({ ...conversation, ...assign(number) });
        if (open.length < OPEN_CONVERSATIONS) open.push(conversation);
        else open[Math.floor(random() * open.length)] = conversation;
      }
      const conversation = open[Math.floor(random() * open.length)];
      messages.push({ ...conversation, messageId: idAt(time, `m${written + index}`), time, text: text() });
    }
    const column = (rows, name) => rows.map((row) => row[name]);
    const emails = users.map(([, , first, last], index) => `${first}.${last}${written + index}@mail.example`);
    await pool.rows(USERS, [accountId, ...[0, 1, 2, 3].map((name) => column(users, name)), emails]);
    await pool.rows(CONVERSATIONS, [
      accountId,
      channelId,
      ...["id", "number", "user_id"].map((name) => column(begun, name)),
      begun.map(({ time }) => new Date(time)),
      ...["agent", "group"].map((name) => column(begun, name)),
    ]);
    await pool.rows(MESSAGES, [
      channelId,
      ...["messageId", "id", "user_id", "number"].map((name) => column(messages, name)),
      messages.map(({ time }) => new Date(time)),
      messages.map(({ number }) => `${number}-1`),
      column(messages, "text"),
    ]);
    written += size;
    if (performance.now() - reportAt > 10_000) {
      reportAt = performance.now();
      progress(`${written} of ${count} messages written`);
    }
  }
  return open.slice(0, 256).map(({ id, user_id }) => ({ id, user_id }));
};
