import { parleyClient } from "@parley/client";
import { statement, type Pool } from "@parley/database";
import { waitUntil } from "../../../../../../test/support/wait-until.ts";
import type { LifecycleHarness } from "./lifecycle-harness.ts";

/** Rows of tables that other features fill, by a statement with the account's id. */
const ROWS = [
  `insert into identity_providers (account_id, name, label, issuer, client_id, created_time)
   values ($1, 'corporate', 'Corporate', 'https://id.example', 'client', now())`,
  `insert into identity_subjects (account_id, issuer, subject, agent_id, created_time)
   select $1, 'https://id.example', 'subject', id, now() from agents where account_id = $1 limit 1`,
  `insert into messenger_signing_keys (id, account_id, name, algorithm, secret, created_time)
   values (gen_random_uuid(), $1, 'Shop', 'HS256', 'sealed', now())`,
  `insert into signed_identity_rules (account_id, is_required, is_hidden_until_signed) values ($1, false, false)`,
  `insert into page_tickets (hash, account_id, session_id, origin, expires_time)
   select hash, account_id, id, 'http://apps.localhost:10001', now() + interval '1 day' from agent_sessions where account_id = $1 limit 1`,
  `insert into template_failures (account_id, namespace, name, failed_time) values ($1, 'n', 't', now())`,
  `insert into user_ranks (account_id, from_time, from_sequence, count) values ($1, '-infinity', 0, 0) on conflict do nothing`,
  `insert into deliveries (subscription_id, seq, event_id, kind, entity_id, partition, state, is_replay, tries, taken, changed_time)
   select id, 1, gen_random_uuid(), 'user_create', gen_random_uuid(), 1, 'dead', false, 9, 0, now()
     from subscriptions where account_id = $1 limit 1`,
  `insert into cursors (subscription_id, partition, seq)
   select id, 1, 1 from subscriptions where account_id = $1 limit 1 on conflict do nothing`,
  `insert into agent_activity (account_id, agent_id, created_time, availability_status)
   select account_id, id, now(), 'AVAILABLE' from agents where account_id = $1`,
  `insert into drafts (account_id, agent_id, conversation_id, text, is_private, parts, updated_time)
   select $1, id, gen_random_uuid(), 'Dear', false, '[]', now() from agents where account_id = $1 limit 1`,
  `insert into conversation_drafts (account_id, agent_id, conversation_id, is_private, text, parts, updated_time)
   select $1, id, gen_random_uuid(), true, 'Dear', '[]', now() from agents where account_id = $1 limit 1`,
  `insert into saved_views (id, account_id, owner_id, agent_id, name, filter, sort_order)
   select gen_random_uuid(), $1, id, id, 'Urgent', '{}', 'newest' from agents where account_id = $1 limit 1`,
  `insert into reply_templates (id, account_id, owner_id, name, text, updated_time)
   select gen_random_uuid(), $1, id, 'Greeting', 'Hello', now() from agents where account_id = $1 limit 1`,
  `insert into read_marks (account_id, agent_id, conversation_id, messages)
   select account_id, id, gen_random_uuid(), 1 from agents where account_id = $1`,
  `insert into routing_turns (account_id, agent_id, turn) select account_id, id, 1 from agents where account_id = $1 limit 1`,
  `insert into routing_reasons (conversation_id, account_id, logic, load, capacity, assigned_time)
   select id, account_id, 'LOAD', 0, 5, now() from conversations where account_id = $1 limit 1`,
  `insert into visitors (account_id, user_id, created_time, generated_name, property_names)
   select account_id, id, now(), 'Visitor 4F2A', '{}' from users where account_id = $1 limit 1`,
  `insert into visitor_sessions (id, hash, account_id, user_id, created_time, last_seen_time, expires_time)
   select gen_random_uuid(), sha256(id::text::bytea), account_id, id, now(), now(), now() + interval '1 day' from users where account_id = $1 limit 1`,
  `insert into visitor_uploads (account_id, day, user_id, bytes)
   select account_id, current_date, id, 1 from users where account_id = $1 limit 1`,
  `insert into blocked_users (account_id, user_id, blocked_time) select account_id, id, now() from users where account_id = $1 limit 1`,
  `insert into conversation_reads (conversation_id, account_id, agent_read_time)
   select id, account_id, now() from conversations where account_id = $1 limit 1`,
  `insert into visitor_pages (conversation_id, account_id, user_id, seen_time)
   select id, account_id, user_id, now() from conversations where account_id = $1 limit 1`,
  `insert into due_work (id, task, payload, due_time)
   select gen_random_uuid(), 'agents.release', json_build_object('account_id', $1::integer, 'agent_id', id)::text, now() + interval '1 day'
     from agents where account_id = $1 limit 1`,
];
const ID = statement("", "select id from accounts where name = $1");

/** Fills what the load generator and the fixture of a user leave empty: sign-in, webhooks, reports, uploads, and more. */
export const fillOtherTables = async (s: LifecycleHarness, pool: Pool, account: string): Promise<void> => {
  const { token } = await s.admin.issueToken({ account, name: "fixture" });
  const id = (await pool.one<{ id: number }>(ID, [account]))?.id;
  const AGENTS = statement(
    "",
    "select email from agents where account_id = $1 and not is_deactivated order by email limit 1",
  );
  const email = (await pool.one<{ email: string }>(AGENTS, [id]))?.email ?? "";
  await s.signIn(email, { account });
  await s.adminRequest("POST", `/admin/accounts/${account}/sign-in-links`, { email });
  const webhooks = `/admin/accounts/${account}/webhooks`;
  const { body } = await s.adminRequest<{ webhook: { id: string } }>("POST", webhooks, {
    url: "http://127.0.0.1:9/none",
  });
  // Deliveries to it would change rows during the test.
  await s.adminRequest("PUT", `${webhooks}/${body.webhook.id}`, { state: "off" });
  await s.applyDocument({
    name: account,
    groups: [{ name: "Support", description: "changed" }],
    business_hours: [{ timezone: "Europe/Berlin", week: {} }],
    messenger: { aliases: [`token of ${account}`.replaceAll(" ", "-")], origins: ["https://shop.example"] },
  });
  const form = new FormData();
  form.set("file", new Blob([`file of ${account}`], { type: "text/plain" }), "note.txt");
  const send = (method: string, path: string, body: BodyInit, headers: Record<string, string> = {}) =>
    fetch(`${s.url}/v2${path}`, { method, body, headers: { authorization: `Bearer ${token}`, ...headers } });
  const uploaded = await send("POST", "/files/upload", form);
  if (!uploaded.ok) throw new Error(`${uploaded.status} ${await uploaded.text()}`);
  const created = await send("POST", "/users", JSON.stringify({ first_name: "Uma" }), {
    "content-type": "application/json",
    "idempotency-key": `key-${account}`,
  });
  if (!created.ok) throw new Error(`${created.status} ${await created.text()}`);
  const client = parleyClient({ url: s.url, token });
  const [{ channels }, { agents }, user] = await Promise.all([
    client.channels.listChannels(),
    client.agents.listAgents({ query: { is_deactivated: false } }),
    client.users.createUser({ body: { first_name: "Uma" } }),
  ]);
  const [agent_id, user_id] = [agents[0]?.id ?? "", user.id];
  const message = (actor_type: "user" | "agent", actor_id: string) => ({
    actor_type,
    actor_id,
    message_parts: [{ text: { content: "Hi" } }],
  });
  const params = await client.conversations.createConversation({
    body: { channel_id: channels[0]?.id ?? "", users: [{ id: user_id }], messages: [message("user", user_id)] },
  });
  await client.conversations.updateConversation({ params, body: { status: "assigned", assigned_agent_id: agent_id } });
  await client.messages.createMessage({ params, body: message("agent", agent_id) });
  const { id: report } = await client.reports.createReport({
    body: {
      start: new Date(Date.now() - 60_000).toISOString(),
      end: new Date().toISOString(),
      event: "Conversation-Created",
      format: "csv",
    },
  });
  await waitUntil(async () => {
    const { status } = await client.reports.getReport({ params: { report_id: report } });
    return status === "COMPLETED";
  });
  for (const text of ROWS) await pool.rows(statement("", text), [id]);
};
