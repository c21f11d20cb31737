import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { statement, type Pool } from "@parley/database";
import { SERVICE_SCHEMA } from "../../../src/index.ts";
import { waitUntil } from "../../../../../test/support/wait-until.ts";
import { serviceProcess, type ServiceProcess } from "../../service-process.ts";
import { firstChannelId } from "../../messaging/conversations/conversation-fixture.ts";
import { serviceHarness, type ServiceHarness } from "../../service-harness.ts";

/** Two processes on one database behave as one. */
let one: ServiceHarness;
let other: ServiceProcess;
let pool: Pool;
beforeAll(async () => {
  one = await serviceHarness();
  other = await serviceProcess(one.database);
  pool = one.database.pool(SERVICE_SCHEMA, { max: 1 });
});
afterAll(async () => {
  await other.kill();
  await pool.end();
  await one.close();
});

const call = (url: string, token: string) =>
  fetch(`${url}/v2/channels`, { headers: { authorization: `Bearer ${token}` } }).then(async (response) => {
    await response.text();
    return response.status;
  });

test("numbers of conversations are unique across processes, even for many concurrent creations", async () => {
  const channel_id = await firstChannelId(one);
  const begin = async ({ client }: Pick<ServiceHarness, "client">) => {
    const { id } = await client.users.createUser({ body: {} });
    const messages = [{ actor_type: "user" as const, actor_id: id, message_parts: [{ text: { content: "Hi" } }] }];
    return client.conversations.createConversation({ body: { channel_id, users: [{ id }], messages } });
  };
  const started = await Promise.all(Array.from({ length: 160 }, (_, index) => begin(index % 2 ? one : other)));
  const NUMBERS = statement("", "select number from conversations where id = any($1::uuid[])");
  const rows = await pool.rows<{ number: number }>(NUMBERS, [started.map(({ conversation_id }) => conversation_id)]);
  expect(rows).toHaveLength(160);
  expect(new Set(rows.map(({ number }) => number)).size).toBe(160);
});

test("a token that one process revokes is refused by the other, even if it is in constant use", async () => {
  const { id, token } = await one.admin.issueToken({ account: "acme", name: "short" });
  expect(await call(other.url, token)).toBe(200);
  // In constant use, so that its cache entry is as new as possible.
  for (let turn = 0; turn < 10; turn++) await call(other.url, token);
  await one.admin.revokeToken(id);
  // An entry is not renewed by its use: the test would time out.
  await waitUntil(async () => (await call(other.url, token)) === 401);
  one.expireCaches();
  expect(await call(one.url, token)).toBe(401);
});

test("both together accept no more calls than an account's limit, and nearly all of them", async () => {
  const LIMIT = 100;
  const { token } = await one.admin.issueToken({ account: "solo", name: "counted" });
  // No call of this hour has been counted yet.
  await pool.rows(statement("", "update accounts set calls_per_hour = $1 where name = 'solo'"), [LIMIT]);
  const statuses = await Promise.all(
    Array.from({ length: LIMIT * 2 }, (_, index) => call(index % 2 ? one.url : other.url, token)),
  );
  const answered = statuses.filter((status) => status === 200).length;
  expect(statuses.filter((status) => status === 429)).toHaveLength(LIMIT * 2 - answered);
  expect(answered).toBeLessThanOrEqual(LIMIT);
  expect(answered).toBeGreaterThan(LIMIT - 10);
});
