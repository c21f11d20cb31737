import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { setTimeout } from "node:timers/promises";
import type { ParleyClient } from "@parley/client";
import { migrate, statement, type Connection, type Database } from "@parley/database";
import { testDatabase } from "@parley/database/testing";
import { SERVICE_MIGRATIONS, realPorts, SERVICE_SCHEMA } from "../../../../src/index.ts";
import { serviceProcess, type ServiceProcess } from "../../../service-process.ts";
import { firstChannelId } from "../../../messaging/conversations/conversation-fixture.ts";
import { serviceHarness, type ServiceHarness } from "../../../service-harness.ts";
import { waitUntil } from "../../../../../../test/support/wait-until.ts";
import { allAnalyticsRows, deleteAnalyticsRows, analyticsRowsOf, untilProcessed } from "./analytics-tables.ts";

const TERMINATE = statement(
  "",
  "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
);
const PROJECTORS = statement(
  "",
  `select count(*)::integer as projectors
     from pg_locks
    where locktype = 'advisory' and classid = ${0x7061_7203}::oid and objid = (hashtext('analytics')::bigint & 4294967295)::oid and granted
      and database = (select oid from pg_database where datname = current_database())`,
);

let database: Database;
const started: (ServiceHarness | ServiceProcess)[] = [];
beforeEach(async () => {
  database = await testDatabase({
    key: `service ${JSON.stringify(SERVICE_MIGRATIONS)}`,
    run: (fresh) => migrate(fresh, SERVICE_SCHEMA, SERVICE_MIGRATIONS),
  });
});
const stopAll = async () => {
  await Promise.all(started.splice(0).map((each) => ("kill" in each ? each.kill() : each.close())));
};
afterEach(async () => {
  await stopAll();
  await database.close();
});

const start = async (): Promise<ServiceHarness> => {
  const w = await serviceHarness({ database });
  started.push(w);
  return w;
};
const startProcess = async (): Promise<ServiceProcess> => {
  const child = await serviceProcess(database);
  started.push(child);
  return child;
};

const untilOneProjects = async (): Promise<void> => {
  const pool = database.pool(SERVICE_SCHEMA, { max: 1 });
  let projectors = 0;
  for (let polls = 0; polls < 500 && projectors !== 1; polls += 1) {
    await setTimeout(10);
    projectors = (await pool.one<{ projectors: number }>(PROJECTORS, []))?.projectors ?? 0;
  }
  await pool.end();
  expect(projectors).toBe(1);
};

/** Sends a user's and an agent's messages; failures of an interrupted process or connection are ignored. */
const converse = async (client: ParleyClient, rounds: number): Promise<void> => {
  const channel_id = await firstChannelId({ client });
  const agentId = (await client.agents.listAgents({ query: {} })).agents[0]?.id ?? "";
  const message_parts = [{ text: { content: "x" } }];
  const user = await client.users.createUser({ body: { first_name: "Ana" } });
  const { conversation_id } = await client.conversations.createConversation({
    body: {
      channel_id,
      users: [{ id: user.id }],
      messages: [{ actor_type: "user", actor_id: user.id, message_parts }],
    },
  });
  const params = { conversation_id };
  for (let round = 0; round < rounds; round += 1) {
    await client.conversations.updateConversation({ params, body: { status: "assigned", assigned_agent_id: agentId } });
    await client.messages.createMessage({ params, body: { actor_type: "agent", actor_id: agentId, message_parts } });
    await client.conversations.updateConversation({ params, body: { status: "resolved" } });
    await client.messages.createMessage({ params, body: { actor_type: "user", actor_id: user.id, message_parts } });
  }
};
const converseAll = (clients: readonly ParleyClient[], rounds: number) =>
  Promise.all(clients.map((client) => converse(client, rounds).catch(() => undefined)));

/** Compares the incremental result with the result of one run over the same log. */
const expectRecordedOnce = async (): Promise<void> => {
  await untilProcessed(database);
  await stopAll();
  const incremental = await allAnalyticsRows(database);
  await deleteAnalyticsRows(database);
  await start();
  await untilProcessed(database);
  expect(incremental).toEqual(await allAnalyticsRows(database));
};

describe("analytics record each event exactly once", () => {
  test("with two processes on one database, and include the history of an earlier release", async () => {
    const one = await start();
    const other = await start();
    await converseAll(
      Array.from({ length: 12 }, (_, index) => (index % 2 ? one : other).client),
      6,
    );
    await untilProcessed(database);
    await untilOneProjects();
    expect(await analyticsRowsOf(database, "interactions")).toHaveLength(12 * 7);
    expect(await analyticsRowsOf(database, "responses")).toHaveLength(12 * 6);
    await expectRecordedOnce();
  });

  test("if a recording process is killed: the other one continues", async () => {
    const killed = await startProcess();
    await untilOneProjects();
    const other = await start();
    const writing = converseAll(
      Array.from({ length: 10 }, () => other.client),
      12,
    );
    await waitUntil(async () => (await analyticsRowsOf(database, "responses")).length > 0);
    await killed.kill();
    await writing;
    await untilProcessed(database);
    expect(await analyticsRowsOf(database, "responses")).toHaveLength(10 * 12);
    await expectRecordedOnce();
  });

  test("if connections to the database break repeatedly", async () => {
    const { client } = await start();
    const pool = database.pool(SERVICE_SCHEMA, { max: 1 });
    const writing = converseAll(
      Array.from({ length: 10 }, () => client),
      12,
    );
    for (let times = 0; times < 4; times += 1) {
      await setTimeout(60);
      await pool.rows(TERMINATE, []);
    }
    await writing;
    await converse(client, 2);
    await expectRecordedOnce();
  });
});

describe("a gap in the log", () => {
  /** The lock that a statement holds when it draws a position of the log. */
  const LOCK = statement("", "lock table outbox in row exclusive mode");
  const DRAW = statement("", "select nextval('log_positions') as seq");
  const LOG = statement(
    "",
    `insert into outbox (seq, id, account_id, partition, kind, entity_id, created_time, actor_type, user_id, user_revision)
     values ($1, $2, 1001, 0, 'user_create', $2, now(), 'system', $2, 1)`,
  );
  let writer: Connection;
  beforeEach(async () => {
    writer = await database.connect(SERVICE_SCHEMA);
  });
  afterEach(() => writer.close());

  test.each(["commit", "rollback"])("delays the events after it until its transaction's %s", async (end) => {
    const { client } = await start();
    await converse(client, 1);
    await untilProcessed(database);
    await writer.script("begin");
    await writer.rows(LOCK, []);
    const drawn = await writer.one<{ seq: number }>(DRAW, []);
    await converse(client, 1);
    // Without waiting for the gap it would have been read before these are answered.
    for (let count = 0; count < 40; count++) await client.groups.listGroups();
    expect(await analyticsRowsOf(database, "responses")).toHaveLength(1);
    if (end === "commit") await writer.rows(LOG, [drawn?.seq, realPorts.newId()]);
    await writer.script(end);
    await untilProcessed(database);
    expect(await analyticsRowsOf(database, "responses")).toHaveLength(2);
  });
});

test("a service that stops at once, and one that stops while it records, lose nothing", async () => {
  const first = await start();
  await first.close();
  const { client } = await start();
  await converseAll(
    Array.from({ length: 8 }, () => client),
    10,
  );
  await stopAll();
  await start();
  await untilProcessed(database);
  expect(await analyticsRowsOf(database, "responses")).toHaveLength(80);
});
