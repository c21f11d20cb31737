import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { setTimeout } from "node:timers/promises";
import { statement, type Database } from "@parley/database";
import { generateLoad, SERVICE_SCHEMA } from "../../../src/index.ts";
import { ADMIN_KEY } from "../../operations/administration/endpoints/admin-harness.ts";
import { inboxHarness, type InboxAgent, type InboxHarness } from "./inbox-harness.ts";
import { allInboxRows, forgetInbox, inboxRows, untilEntered } from "./inbox-tables.ts";
import { demoDatabase } from "../../service-harness.ts";

let database: Database;
const started: InboxHarness[] = [];
beforeEach(async () => {
  database = await demoDatabase();
});
const stopAll = () => Promise.all(started.splice(0).map((each) => each.close()));
afterEach(async () => {
  await stopAll();
  await database.close();
});
const start = async (): Promise<InboxHarness> => {
  const s = await inboxHarness({ database });
  started.push(s);
  return s;
};

/** A history with everything that an entry contains. */
const converse = async (s: InboxHarness, agent: InboxAgent, rounds: number): Promise<string> => {
  const id = await s.begin({ properties: { priority: "High", cf_products: ["Lamps", "Chairs"] } });
  for (let round = 0; round < rounds; round += 1) {
    await s.change(id, {
      status: "assigned",
      assigned_agent_id: agent.id,
      assigned_group_id: s.groups[round % 2] ?? "",
    });
    await s.answer(id, agent);
    await s.ask(id);
    await s.change(id, { properties: { cf_notes: `round ${round}` } });
    if (round % 3 > 0) await s.change(id, { status: "resolved" });
    if (round % 3 > 1) await s.ask(id);
  }
  return id;
};
const converseAll = (s: InboxHarness, agent: InboxAgent) =>
  Promise.all(Array.from({ length: 8 }, (_, index) => converse(s, agent, index)));

/** Compares what was projected event by event with what is computed anew from the conversations. */
const expectSameAnew = async (): Promise<void> => {
  await untilEntered(database);
  await stopAll();
  const incremental = await allInboxRows(database);
  expect(incremental.entries.length).toBeGreaterThan(0);
  await forgetInbox(database);
  await start();
  await untilEntered(database);
  expect(await allInboxRows(database)).toEqual(incremental);
};

test("a reading that does not contain the latest changes within a second says so", async () => {
  const s = await start();
  const agent = await s.agent("Global", s.groups);
  const id = await s.begin();
  const current = await s.item(agent, id);
  const readings = async () => [await s.item(agent, id), await s.pageOf(agent), await s.counts(agent)];
  const behind = expect.objectContaining({ is_behind: true });
  const pool = database.pool(SERVICE_SCHEMA, { max: 1 });
  await pool.transaction(async (tx) => {
    await tx.rows(statement("", "lock table inbox_entries in share mode"), []);
    await s.ask(id);
    expect(await readings()).toEqual([behind, behind, behind]);
    expect(await s.item(agent, id)).toEqual({ ...current, is_behind: true });
  });
  await pool.end();
  expect(await readings()).not.toContainEqual(behind);
  expect((await s.item(agent, id)).unread).toBe(2);
});

test("conversations of an earlier release are entered as if each of their events had been projected", async () => {
  const s = await start();
  await converseAll(s, await s.agent("Global", s.groups));
  await expectSameAnew();
});

test("entering conversations of an earlier release continues where a process ended, while others are changed", async () => {
  const s = await start();
  const agent = await s.agent("Global", s.groups);
  await generateLoad({ database, account: "large", users: 600, messages: 3_000, seed: 1 });
  const early = await converseAll(s, agent);
  await stopAll();
  await forgetInbox(database);
  const half =
    "update inbox_backfill set conversation_id = (select id from conversations order by id offset 300 limit 1)";
  await inboxRows(database, half);
  const again = await start();
  await again.change(early[0] ?? "", { properties: { cf_notes: "changed" } });
  await again.say(early[1] ?? "", { actor_type: "bot" });
  await converse(again, agent, 2);
  await untilEntered(database);
  const [{ count: missing } = { count: -1 }] = await inboxRows<{ count: number }>(
    database,
    `select count(*) from conversations c left join inbox_entries e on e.conversation_id = c.id
      where e is null and c.id > (select id from conversations order by id offset 300 limit 1)`,
  );
  expect(Number(missing)).toBe(0);
  const entered = await allInboxRows(database);
  expect(entered.entries.length).toBeLessThan(600);
  await stopAll();
  await inboxRows(database, "insert into inbox_backfill values ('00000000-0000-0000-0000-000000000000')");
  await start();
  await expectSameAnew();
});

test("a process that ends in the middle of a projection leaves nothing half done: the next one continues", async () => {
  const s = await start();
  const agent = await s.agent("Global", s.groups);
  await untilEntered(database);
  const others = await start();
  const writing = converseAll(others, agent);
  for (let times = 0; times < 4; times += 1) {
    await setTimeout(80);
    await inboxRows(
      database,
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid in (select pid from pg_locks where locktype = 'advisory')",
    );
  }
  await s.close();
  await writing;
  await expectSameAnew();
});

test("two processes list what the other one has just committed", async () => {
  const [one, other] = [await start(), await start()];
  const agent = await one.agent("Global");
  for (let times = 0; times < 10; times += 1) {
    const [writer, reader] = times % 2 ? [one, other] : [other, one];
    const id = await writer.begin();
    expect((await reader.pageOf(agent, { order: "newest", limit: 1 })).conversations[0]?.conversation_id).toBe(id);
  }
});

test("generated conversations, which are written without events, are listed and counted", async () => {
  const s = await start();
  await generateLoad({ database, account: "large", users: 200, messages: 900, seed: 1 });
  await untilEntered(database);
  const SUMS = `select count(distinct c.id)::integer as conversations, count(distinct e.conversation_id)::integer as entries,
                       count(m.id) filter (where m.body::json ->> 'actor_type' = 'user')::integer as messages,
                       (select sum(customer_messages)::integer from inbox_entries) as counted,
                       (select sum(count)::integer from inbox_counts) as cells
                  from conversations c
                  left join inbox_entries e on e.conversation_id = c.id
                  left join messages m on m.conversation_id = c.id`;
  const [sums] = await inboxRows<Record<string, number>>(database, SUMS);
  expect(sums?.["conversations"]).toBeGreaterThan(100);
  expect([sums?.["entries"], sums?.["cells"]]).toEqual([sums?.["conversations"], sums?.["conversations"]]);
  expect(sums?.["counted"]).toBe(sums?.["messages"]);
  expect((await s.counts(await s.agent("Global"))).open).toBe(0);
});

test("a conversation with a message that was imported is shown with it, and goes on", async () => {
  const s = await start();
  const agent = await s.agent("Global");
  const id = await s.begin({ text: "Here" });
  const exported = await (
    await s.raw("GET", "/admin/export?account=acme", { headers: { authorization: `Bearer ${ADMIN_KEY}` } })
  ).text();
  const line = exported.split("\n").find((each) => each.includes('"type":"message"') && each.includes(id)) ?? "";
  const imported = {
    ...(JSON.parse(line) as object),
    id: "11111111-1111-4111-8111-111111111111",
    message_parts: [{ text: { content: "Elsewhere" } }],
  };
  const reply = await s.raw("POST", "/admin/import", {
    headers: { authorization: `Bearer ${ADMIN_KEY}`, "content-type": "application/x-ndjson" },
    body: [exported.split("\n")[0], JSON.stringify(imported)].join("\n"),
  });
  expect(await reply.text()).toContain('"created":1');
  expect(await s.item(agent, id)).toMatchObject({ unread: 2, preview: { text: "Elsewhere" } });
  await s.ask(id);
  expect(await s.item(agent, id)).toMatchObject({ unread: 3, preview: { text: "And?" } });
});

test("the projection stores no personal data, and none of a deleted user is shown", async () => {
  const s = await start();
  const agent = await s.agent("Global");
  const user_id = await s.user("Zacharias");
  const id = await s.begin({
    user_id,
    text: "I am Zacharias",
    properties: { cf_notes: "Zacharias", cf_reason: "Order" },
  });
  expect(await s.item(agent, id)).toMatchObject({
    customer: { first_name: "Zacharias" },
    preview: { text: "I am Zacharias" },
  });
  expect(await s.list(agent, { property: "cf_notes:Zacharias" })).toEqual([id]);
  expect(JSON.stringify(await allInboxRows(database))).not.toContain("Zacharias");
  await s.client.users.deleteUser({ params: { user_id } });
  expect(JSON.stringify(await s.item(agent, id))).not.toContain("Zacharias");
  expect(await s.list(agent, { property: "cf_notes:Zacharias" })).toEqual([]);
  expect(await s.list(agent, { property: "cf_reason:Order" })).toEqual([id]);
});

test("updates of conversations by messages and changes stay heap-only: no index has a column that they change", async () => {
  const indexed = await inboxRows<{ column: string }>(
    database,
    `select a.attname as column
       from pg_index i
       join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any(i.indkey::smallint[])
      where i.indrelid = 'conversations'::regclass`,
  );
  const columns = indexed.map(({ column }) => column);
  expect(columns).toContain("id");
  for (const changed of ["updated_time", "revision", "properties", "interaction_id"])
    expect(columns).not.toContain(changed);
});
