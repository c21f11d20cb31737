import { statement, type Db } from "@parley/database";

/** Events that are folded in one transaction, at most. @assumed */
export const EVENTS_PER_FOLD = 8_000;

/** Priorities by their rank, the most urgent last. Index 0: conversations without a priority. */
export const PRIORITY_RANKS = ["none", "Low", "Medium", "High", "Urgent"] as const;

const rankOf = (properties: string): string =>
  `coalesce(array_position(array['${PRIORITY_RANKS.slice(1).join("','")}'], ${properties}::json ->> 'priority'), 0)`;

/** Columns of a message that is not the customer's; `body` is its JSON text. */
const BODY_COLUMNS = "(actor_type text, message_type text, meta_data json)";
/**
 * Whether a message ends the wait of the customer.
 * @assumed An agent's message to the customer and a resolution do; messages of bots and private and system messages don't.
 */
const settles = (actor: string, body: string): string =>
  `coalesce(${actor} = 'agent' and ${body}.message_type = 'normal'
            or ${actor} = 'system' and ${body}.meta_data ->> 'isResolved' = 'true', false)`;

/**
 * Effects of messages on the entries of their conversations, one row each.
 * @shape messages: relation of (conversation_id, seq, created_time, by_customer, settles, is_shown)
 */
const fold = (messages: string): string => `
  select conversation_id, max(seq) as last_seq,
         (array_agg(created_time order by seq desc))[1] as activity_time,
         max(seq) filter (where is_shown) as preview_seq,
         count(*) filter (where by_customer)::integer as customer_messages,
         max(created_time) filter (where by_customer) as customer_time,
         bool_or(settles) as is_settled,
         (array_agg(created_time order by seq) filter (where by_customer and seq > settled_seq))[1] as waiting_since
    from (
      select *, coalesce(max(seq) filter (where settles) over (partition by conversation_id), 0) as settled_seq from ${messages}
    ) told
   group by conversation_id`;

// The limit tells the planner how few the events are, so that every row is looked up by its key. The state of a conversation is the present
// state: an event that is projected later changes nothing then.
const FOLD_SPAN = statement(
  "fold_inbox_span",
  `with event as materialized (
     select seq, kind, entity_id as conversation_id, created_time, actor_type, message_id
       from outbox
      where seq > $1 and seq <= $2 and kind in ('conversation_create', 'conversation_update', 'message_create')
      limit ${EVENTS_PER_FOLD}
   ), touched as materialized (
     select distinct conversation_id from event
   ), message as (
     select event.conversation_id, event.seq, event.created_time, event.actor_type = 'user' as by_customer,
            ${settles("event.actor_type", "body")} as settles,
            event.actor_type = 'user' or body.message_type <> 'system' as is_shown
       from event
       left join lateral (
         select body.*
           from messages
          cross join lateral json_to_record(messages.body::json) as body ${BODY_COLUMNS}
          where event.actor_type <> 'user' and messages.id = event.message_id
          limit 1
       ) body on true
      where event.kind = 'message_create'
   ), folded as materialized (${fold("message")}
   ), entered as (
     update inbox_entries e
        set status = c.status, agent_id = c.assigned_agent_id, group_id = c.assigned_group_id, channel_id = c.channel_id,
            last_seq = coalesce(f.last_seq, e.last_seq), activity_time = coalesce(f.activity_time, e.activity_time),
            preview_seq = coalesce(f.preview_seq, e.preview_seq),
            customer_messages = e.customer_messages + coalesce(f.customer_messages, 0),
            customer_time = coalesce(f.customer_time, e.customer_time),
            waiting_since = case when f.is_settled then f.waiting_since else coalesce(e.waiting_since, f.waiting_since) end
       from touched
       left join folded f on f.conversation_id = touched.conversation_id
      cross join lateral (select * from conversations where id = touched.conversation_id limit 1) c
      where e.conversation_id = touched.conversation_id
     returning e.conversation_id
   )
   select conversation_id from touched except select conversation_id from entered`,
);

// Messages after the cursor are folded with their events. Imported messages have no events, so that they are folded whatever their position.
const FOLD_WHOLE = statement(
  "fold_inbox_conversations",
  `with asked as materialized (
     select c.*
       from (select distinct id from unnest($1::uuid[]) as given (id)) given
      cross join lateral (select * from conversations where id = given.id limit 1) c
   ), message as (
     select asked.id as conversation_id, m.seq, m.created_time, body.actor_type = 'user' as by_customer,
            ${settles("body.actor_type", "body")} as settles, body.message_type <> 'system' as is_shown
       from asked
      cross join lateral (
        select seq, created_time, body
          from messages
         where conversation_id = asked.id
           and (seq <= $2 or (select true from outbox where outbox.seq = messages.seq limit 1) is null)
      ) m
      cross join lateral json_to_record(m.body::json) as body ${BODY_COLUMNS}
   ), folded as materialized (${fold("message")}
   )
   insert into inbox_entries (conversation_id, account_id, number, user_id, channel_id, status, agent_id, group_id, priority, created_time,
                              activity_time, waiting_since, last_seq, preview_seq, customer_messages, customer_time)
   select asked.id, asked.account_id, asked.number, asked.user_id, asked.channel_id, asked.status, asked.assigned_agent_id,
          asked.assigned_group_id, ${rankOf("asked.properties")}, asked.created_time, coalesce(f.activity_time, asked.created_time),
          f.waiting_since, coalesce(f.last_seq, 0), f.preview_seq, coalesce(f.customer_messages, 0), f.customer_time
     from asked
     left join folded f on f.conversation_id = asked.id
   on conflict (conversation_id) do update
      set channel_id = excluded.channel_id, status = excluded.status, agent_id = excluded.agent_id, group_id = excluded.group_id,
          priority = excluded.priority, created_time = excluded.created_time, activity_time = excluded.activity_time,
          waiting_since = excluded.waiting_since, last_seq = excluded.last_seq, preview_seq = excluded.preview_seq,
          customer_messages = excluded.customer_messages, customer_time = excluded.customer_time`,
);

/** SQL of the key of a property and its value: a hash of `<name>:<value>`, as `propertyKey` computes it. */
const keyOf = (property: string): string =>
  `encode(substring(sha256(convert_to(${property}, 'UTF8')) for 16), 'hex')::uuid`;

const FOLD_PROPERTIES = statement(
  "fold_inbox_properties",
  `with asked as materialized (
     select c.id, c.account_id, c.properties, ${rankOf("c.properties")} as priority
       from (select distinct id from unnest($1::uuid[]) as given (id)) given
      cross join lateral (select * from conversations where id = given.id limit 1) c
   ), ranked as (
     update inbox_entries e
        set priority = asked.priority
       from asked
      where e.conversation_id = asked.id and e.priority <> asked.priority
   ), wanted as materialized (
     select distinct asked.account_id, ${keyOf("property.name || ':' || item.value")} as key, asked.id as conversation_id
       from asked
      cross join lateral jsonb_each(asked.properties::jsonb) as property (name, value)
      cross join lateral jsonb_array_elements_text(
        case jsonb_typeof(property.value) when 'array' then property.value else jsonb_build_array(property.value) end
      ) as item (value)
      where property.name like 'cf\\_%' and property.value <> 'null'
   ), gone as (
     delete from inbox_properties
      where ctid = any(array(
        select present.ctid
          from asked
         cross join lateral (select ctid, key from inbox_properties where conversation_id = asked.id offset 0) present
         where not exists (select from wanted where wanted.key = present.key and wanted.conversation_id = asked.id)))
   )
   insert into inbox_properties (account_id, key, conversation_id)
   select account_id, key, conversation_id from wanted
   on conflict do nothing`,
);
const WITHOUT_ENTRY = statement(
  "conversations_without_inbox_entry",
  `select id
     from unnest($1::uuid[]) as given (id)
    where not exists (select from inbox_entries where conversation_id = given.id)`,
);

/** Writes the entries of the inbox. */
export const foldStore = (db: Db) => ({
  /** Adds a span of events to the entries of their conversations. -> conversations that have no entry */
  foldSpan: async (from: number, to: number): Promise<string[]> =>
    (await db.rows<{ conversation_id: string }>(FOLD_SPAN, [from, to])).map(({ conversation_id }) => conversation_id),
  /** Computes entries anew, from all messages but those whose events are after the cursor. */
  foldWhole: async (ids: readonly string[], cursor: number): Promise<void> => {
    if (ids.length === 0) return;
    await db.rows(FOLD_WHOLE, [ids, cursor]);
    await db.rows(FOLD_PROPERTIES, [ids]);
  },
  /** Computes the priority and the properties of entries anew. */
  foldProperties: async (ids: readonly string[]): Promise<void> => {
    if (ids.length > 0) await db.rows(FOLD_PROPERTIES, [ids]);
  },
  withoutEntry: async (ids: readonly string[]): Promise<string[]> =>
    (await db.rows<{ id: string }>(WITHOUT_ENTRY, [ids])).map(({ id }) => id),
});
