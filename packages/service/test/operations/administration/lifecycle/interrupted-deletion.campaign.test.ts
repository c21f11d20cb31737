import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { parleyClient } from "@parley/client";
import { statement, type Pool } from "@parley/database";
import { TABLES } from "../../../../src/base/db/tables.ts";
import { generateLoad, SERVICE_SCHEMA } from "../../../../src/index.ts";
import { serviceProcess } from "../../../service-process.ts";
import { waitUntil } from "../../../../../../test/support/wait-until.ts";
import { lifecycleHarness, type LifecycleHarness } from "./lifecycle-harness.ts";

let s: LifecycleHarness;
let pool: Pool;
beforeAll(async () => {
  s = await lifecycleHarness();
  pool = s.database.pool(SERVICE_SCHEMA, { max: 4 });
});
afterAll(async () => {
  await pool.end();
  await s.close();
});

const ID = statement("", "select id from accounts where name = $1");
const idOf = async (name: string) => (await pool.one<{ id: number }>(ID, [name]))?.id ?? 0;
const DUE = statement("", "update accounts set deletion_time = now() where name = $1");
const HOLD = statement("", "select id from users where account_id = $1 order by sequence desc limit 1 for update");
const count = async (table: string, account: number): Promise<number> => {
  const text = statement("", `select count(*)::integer as count from ${table} where account_id = $1`);
  return (await pool.one<{ count: number }>(text, [account]))?.count ?? 0;
};
const HAS_ACCOUNT = statement(
  "",
  `select table_name as name from information_schema.columns where table_schema = current_schema() and column_name = 'account_id'`,
);
const ORPHANS = statement(
  "",
  `select (select count(*)::integer from messages m where not exists (select from conversations where id = m.conversation_id)) as messages,
          (select count(*)::integer from conversation_revisions r
            where not exists (select from conversations where id = r.conversation_id)) as conversations,
          (select count(*)::integer from user_revisions r where not exists (select from users where id = r.user_id)) as users`,
);
/** The tables that contain a row of the account, or a row of no account. */
const traces = async (account: number): Promise<string[]> => {
  const names = (await pool.rows<{ name: string }>(HAS_ACCOUNT, [])).map(({ name }) => name);
  const found = await Promise.all(
    names
      .filter((name) => name in TABLES && name !== "audit_log")
      .map(async (name) => ({ name, rows: await count(name, account) })),
  );
  const orphans = Object.entries((await pool.one<Record<string, number>>(ORPHANS, [])) ?? {});
  return [...found, ...orphans.map(([name, rows]) => ({ name: `orphans of ${name}`, rows }))]
    .filter(({ rows }) => rows > 0)
    .map(({ name }) => name);
};

test("a process that is killed in the middle of a deletion leaves the rest to another process; the account can't be reopened meanwhile", async () => {
  await generateLoad({ database: s.database, account: "large", users: 2_000, messages: 8_000, seed: 3 });
  const id = await idOf("large");
  // The clock of this process is late: it starts no deletion, and continues one that has started.
  s.advance(-60 * 60_000);
  await s.closeAccount("large");
  const other = await serviceProcess(s.database, s.objectsFolder);
  await pool.transaction(async (tx) => {
    await tx.rows(HOLD, [id]);
    await pool.rows(DUE, ["large"]);
    await waitUntil(async () => (await count("conversations", id)) === 0 && (await count("users", id)) < 2_000);
    expect(await count("users", id)).toBeGreaterThan(0);
    expect((await s.reopen("large")).code).toBe(404);
    await other.kill();
    expect(await s.summaryOf("large")).toBeDefined();
  });
  await s.deleted("large");
  expect(await traces(id)).toEqual([]);
  const begun = s.logLines.filter((line) => line.includes("Deleting the data of the closed account."));
  expect(begun.filter((line) => line.includes("account=large"))).toHaveLength(1);
  s.advance(60 * 60_000);
});

test("requests of another account are answered during the deletion of an account, and two processes delete it once", async () => {
  await generateLoad({ database: s.database, account: "heavy", users: 3_000, messages: 20_000, seed: 5 });
  const id = await idOf("heavy");
  const other = await lifecycleHarness({ database: s.database, objectsFolder: s.objectsFolder });
  await s.closeAccount("heavy");
  await pool.rows(DUE, ["heavy"]);
  let [isOver, requests] = [false, 0];
  const writing = (async () => {
    while (!isOver) {
      const { id: user } = await s.client.users.createUser({ body: { first_name: "Uma" } });
      await s.client.users.updateUser({ params: { user_id: user }, body: { first_name: "Una" } });
      requests += 1;
    }
  })();
  await s.deleted("heavy");
  isOver = true;
  await writing;
  expect(requests).toBeGreaterThan(5);
  expect(await traces(id)).toEqual([]);
  const ENTRIES = statement("", "select action from audit_log where account = 'heavy' and action = 'account.delete'");
  expect(await pool.rows(ENTRIES, [])).toHaveLength(1);
  await other.close();
});

test("requests in progress at a close are answered or refused, and those at a deletion leave nothing behind", async () => {
  await s.create("busy");
  const id = await idOf("busy");
  const { token } = await s.admin.issueToken({ account: "busy", name: "test" });
  const client = parleyClient({ url: s.url, token });
  const { channels } = await client.channels.listChannels();
  const codes = new Map<string, number>();
  const send = async (path: string, body: object): Promise<{ id?: string; conversation_id?: string }> => {
    const reply = await fetch(`${s.url}/v2${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const answer = (await reply.json()) as { id?: string; conversation_id?: string; status?: string };
    const code = `${reply.status} ${reply.ok ? "" : answer.status}`.trim();
    codes.set(code, (codes.get(code) ?? 0) + 1);
    return reply.ok ? answer : {};
  };
  let isOver = false;
  const writers = Array.from({ length: 8 }, async () => {
    while (!isOver) {
      const user = await send("/users", { first_name: "Uma" });
      const message = { actor_type: "user", actor_id: user.id, message_parts: [{ text: { content: "Hi" } }] };
      if (!user.id) continue;
      const begun = { channel_id: channels[0]?.id, users: [{ id: user.id }], messages: [message] };
      const { conversation_id } = await send("/conversations", begun);
      if (conversation_id) await send(`/conversations/${conversation_id}/messages`, message);
    }
  });
  await waitUntil(() => (codes.get("201") ?? 0) > 20);
  await s.closeAccount("busy");
  await waitUntil(() => (codes.get("403 ACCOUNT_CLOSED") ?? 0) > 20);
  expect([...codes.keys()].every((code) => /^20|^403 ACCOUNT_CLOSED$/.test(code))).toBe(true);
  await s.reopen("busy");
  const accepted = codes.get("201") ?? 0;
  await waitUntil(() => (codes.get("201") ?? 0) > accepted + 20);
  // Without the time that is left to requests in progress.
  const CLOSE_NOW = statement("", "update accounts set closed_time = now(), deletion_time = now() where name = 'busy'");
  await pool.rows(CLOSE_NOW, []);
  await s.deleted("busy");
  await waitUntil(() => (codes.get("401 UNAUTHENTICATED") ?? 0) > 20);
  isOver = true;
  await Promise.all(writers);
  await waitUntil(async () => (await traces(id)).length === 0);
});
