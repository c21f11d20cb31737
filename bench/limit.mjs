/**
 * The limit: a bare `node:http` server that writes and reads the same rows as the service, with one statement for all waiting requests. Idempotency
 * keys are stored too. Validation, tokens, call limits, business rules and the lookup of earlier keys are left out, so the result is what this
 * machine and database can achieve at most.
 */
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { openDatabase, migrate } from "../packages/database/dist/index.js";
import { SERVICE_MIGRATIONS, SERVICE_SCHEMA as SCHEMA } from "../packages/service/dist/index.js";

const require = createRequire(new URL("../packages/database/package.json", import.meta.url));
const pg = require("pg");
const { v7 } = createRequire(new URL("../packages/service/package.json", import.meta.url))("uuid");

const [url, conversations] = [process.argv[2], Number(process.argv[3])];
/** An account id that no generated data uses. */
const ACCOUNT = 900_000;
const TOKEN = v7();
/** As long as the fingerprint of a request. */
const FINGERPRINT = "00".repeat(32);

const database = await openDatabase({ dataFolder: "", url });
await migrate(database, SCHEMA, SERVICE_MIGRATIONS);

const connection = async () => {
  const client = new pg.Client({ connectionString: url, pipeline: true, options: `-c search_path=${SCHEMA}` });
  await client.connect();
  return client;
};
const [writer, ...readers] = [await connection(), await connection(), await connection(), await connection()];

const SEED = `
  with account as (
    insert into accounts (id, name, configuration, plan_type) values (${ACCOUNT}, 'limit', '{}', 'Free')
  ), person as (
    insert into users (id, account_id, created_time, updated_time, body)
    select gen_random_uuid(), ${ACCOUNT}, now(), now(), $2 from generate_series(1, $1) returning id
  )
  insert into conversations (id, account_id, number, user_id, channel_id, created_time, updated_time, status, interaction_id, properties)
  select gen_random_uuid(), ${ACCOUNT}, coalesce((select max(number) from conversations), 0) + row_number() over (), id, gen_random_uuid(), now(), now(), 'new', '1-1', '{}' from person
  returning id, user_id`;

const WRITE = `
  with sent as (
    select * from unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::uuid[], string_to_array($6, e'\\n'))
      with ordinality as s (id, event_id, conversation_id, actor_id, body, place)
  ), touched as (
    update conversations c set updated_time = $1::timestamptz
    from unnest($7::uuid[]) as t (id), users u
    where c.id = t.id and u.id = c.user_id
    returning c.id, c.account_id, c.user_id, c.revision, u.revision as user_revision
  ), numbered as (
    select nextval('log_positions') as seq, n.*
    from (
      select s.id, s.event_id, s.actor_id, s.body, t.id as conversation_id, t.account_id, t.user_id, t.revision, t.user_revision
      from sent s join touched t on t.id = s.conversation_id
      order by s.place
    ) n
  ), written as (
    insert into messages (id, conversation_id, seq, created_time, interaction_id, body)
    select id, conversation_id, seq, $1, '1-1', body from numbered
  ), logged as (
  insert into outbox (seq, id, account_id, partition, kind, entity_id, created_time, actor_type, actor_id, user_id,
                      user_revision, conversation_revision, message_id)
  select seq, event_id, account_id, 0, 'message_create', conversation_id, $1, 'user', actor_id, user_id, user_revision, revision, id
  from numbered
  ), kept as (
    insert into idempotency_keys (token_id, key, fingerprint, code, message_id, created_time)
    select '${TOKEN}', key, '\\x${FINGERPRINT}', 201, id, $1
    from unnest($8::uuid[], string_to_array($9, e'\\n')) as k (id, key)
  )
  select 1`;

const READ = `
  select page.texts
  from unnest($1::uuid[]) with ordinality as q (id, place)
  left join lateral (
    select string_agg(m.body, ',' order by m.seq desc) as texts
    from (select body, seq from messages where conversation_id = q.id order by seq desc limit 20) m
  ) page on true
  order by q.place`;

const READ_USERS = `
  select u.body
  from unnest($1::uuid[]) with ordinality as q (id, place)
  left join lateral (select * from users where users.id = q.id limit 1) u on true
  order by q.place`;

const list = (values) => `{${values.join(",")}}`;

/** Runs items in batches of at most `size`, with at most one batch in progress for each of `lanes`. */
const batched = (size, lanes, run) => {
  const queue = [];
  const idle = [...lanes];
  const start = () => {
    while (queue.length > 0 && idle.length > 0) {
      const lane = idle.pop();
      run(lane, queue.splice(0, size)).then(() => {
        idle.push(lane);
        start();
      });
    }
  };
  return (item) => {
    queue.push(item);
    if (queue.length === 1) setImmediate(start);
  };
};

const answer = (response, text) => {
  response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(text) });
  response.end(text);
};

/** A message of the same size as one of the service. */
const messageText = ({ id, conversation_id, body }, created_time) =>
  JSON.stringify({
    id,
    created_time,
    app_id: conversation_id,
    channel_id: conversation_id,
    conversation_id,
    interaction_id: "12345-1700000000000",
    message_parts: body.message_parts,
    actor_type: body.actor_type,
    message_type: "normal",
    message_source: "api",
    actor_id: body.actor_id,
    user_id: body.actor_id,
  });

const write = batched(128, [writer], async (client, items) => {
  const created_time = new Date().toISOString();
  const touched = new Set();
  for (const item of items) {
    item.id = v7();
    touched.add(item.conversation_id);
    item.text = messageText(item, created_time);
  }
  const keyed = items.filter(({ key }) => key);
  await client.query({
    name: "write",
    text: WRITE,
    values: [
      created_time,
      list(items.map(({ id }) => id)),
      list(items.map(() => v7())),
      list(items.map(({ conversation_id }) => conversation_id)),
      list(items.map(({ body }) => body.actor_id)),
      items.map(({ text }) => text).join("\n"),
      list([...touched].sort()),
      list(keyed.map(({ id }) => id)),
      keyed.map(({ key }) => key).join("\n"),
    ],
  });
  for (const { response, text } of items) answer(response, text);
});

const read = batched(16, readers, async (client, items) => {
  const { rows } = await client.query({ name: "read", text: READ, values: [list(items.map(({ id }) => id))] });
  items.forEach(({ response }, index) => answer(response, `{"messages":[${rows[index].texts ?? ""}]}`));
});

const readUsers = batched(16, readers, async (client, items) => {
  const { rows } = await client.query({ name: "users", text: READ_USERS, values: [list(items.map(({ id }) => id))] });
  items.forEach(({ response }, index) => answer(response, rows[index].body));
});

const USERS = "/v2/users/";

const server = createServer((request, response) => {
  if (request.url.startsWith(USERS)) return readUsers({ response, id: request.url.slice(USERS.length) });
  const conversation_id = request.url.slice(18, 54);
  if (request.method === "GET") return read({ response, id: conversation_id });
  let text = "";
  request.setEncoding("utf8");
  request.on("data", (chunk) => (text += chunk));
  request.on("end", () =>
    write({ response, conversation_id, key: request.headers["idempotency-key"], body: JSON.parse(text) }),
  );
});

/** A user of the same size as one of the service without optional members. */
const USER_TEXT = JSON.stringify({
  id: v7(),
  created_time: new Date().toISOString(),
  updated_time: new Date().toISOString(),
  login_status: false,
  org_contact_id: v7(),
});
const { rows } = await writer.query(SEED, [conversations, USER_TEXT]);
server.listen(0, "127.0.0.1", () => process.send({ port: server.address().port, conversations: rows }));
process.on("message", () => process.exit());
