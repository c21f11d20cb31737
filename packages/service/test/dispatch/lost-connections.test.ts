import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { setTimeout } from "node:timers/promises";
import { migrate, openDatabase, statement, type Database } from "@parley/database";
import { testDatabase, testRelay, type TestRelay } from "@parley/database/testing";
import { SERVICE_MIGRATIONS, SERVICE_SCHEMA } from "../../src/index.ts";
import { hooks, QUICK, type Hooks } from "./dispatch-harness.ts";
import { channelOf, talk } from "../conversations/conversation-fixture.ts";

/** Records a waiting event as another process does. */
const SETTLE = statement(
  "",
  "update deliveries set state = 'delivered', next_time = null where subscription_id = $1 and state = 'waiting'",
);

const DEADLOCKS = statement("", "select deadlocks from pg_stat_database where datname = current_database()");

/** A service whose connections break between a commit and its response. */
let own: Database;
let relay: TestRelay;
let database: Database;
let w: Hooks;
let channel: string;
beforeAll(async () => {
  const key = `service ${JSON.stringify(SERVICE_MIGRATIONS)}`;
  own = await testDatabase({ key, run: (fresh) => migrate(fresh, SERVICE_SCHEMA, SERVICE_MIGRATIONS) });
  relay = await testRelay(own);
  database = await openDatabase({ dataFolder: "", url: relay.url, log: () => undefined });
  w = await hooks({ database, dispatchRules: QUICK });
  channel = await channelOf(w);
});
afterAll(async () => {
  await w.close();
  await database.close();
  await relay.close();
  await own.close();
});

test.each([
  ["settle_delivery", 0],
  ["settle_delivery", 1_000],
  ["put_deliveries", 0],
])("events after a failed one are delivered, though the response to %s was lost, after %d ms", async (name, wait) => {
  const hook = await w.hook(({ text, retries }) => (text === "bad" && retries === 0 ? 500 : 200));
  const { say, conversationId } = await talk(w, channel);
  await hook.endpoint.until(({ texts }) => texts(conversationId).includes("first"));
  relay.loseResponse(name);
  await say("bad");
  await hook.endpoint.until(({ knocks }) => knocks.filter(({ text }) => text === "bad").length === 2);
  await setTimeout(wait);
  await say("good");
  await hook.endpoint.until(({ texts }) => texts(conversationId).includes("good"));
  await say("later");
  await hook.endpoint.until(({ texts }) => texts(conversationId).includes("later"));
  expect([...new Set(hook.endpoint.texts(conversationId))]).toEqual(["first", "bad", "good", "later"]);
  await hook.settled();
  expect(await hook.standing()).toMatchObject({ waiting: 0, aside: 0, dead: 0 });
});

test("events after one that another process has completed in the meantime are delivered at once", async () => {
  const hook = await w.hook(({ text }) => (text === "bad" ? { status: 503, headers: { "retry-after": "60" } } : 200));
  const { say, conversationId } = await talk(w, channel);
  await say("bad");
  await hook.delivery("waiting");
  const pool = own.pool(SERVICE_SCHEMA, { max: 1 });
  await pool.rows(SETTLE, [hook.id]);
  await pool.end();
  await Promise.all(["good", "later"].map((text) => say(text)));
  await hook.endpoint.until(({ texts }) => texts(conversationId).length === 3, 5_000);
});

test("an endpoint that answers 410 gets no further events, however long turning it off takes", async () => {
  const hook = await w.hook(() => 410);
  const held = relay.hold("turn_subscription_off");
  await talk(w, channel);
  const release = await held;
  await setTimeout(500);
  expect(hook.endpoint.knocks).toHaveLength(1);
  release();
});

test("a delivery in progress when all connections break, and that fails later, delays its conversation no longer than its retries", async () => {
  let isDown = true;
  const hook = await w.hook(async ({ text }) => {
    if (text !== "bad" || !isDown) return 200;
    await setTimeout(600);
    return 500;
  });
  const { say, conversationId } = await talk(w, channel);
  await hook.endpoint.until(({ texts }) => texts(conversationId).includes("first"));
  await say("bad");
  await say("good");
  await hook.endpoint.until(({ knocks }) => knocks.some(({ text }) => text === "bad"));
  await relay.cut();
  await relay.restore();
  await setTimeout(1_000);
  isDown = false;
  await hook.endpoint.until(({ texts }) => texts(conversationId).includes("good"), 5_000);
  await say("later");
  await hook.endpoint.until(({ texts }) => texts(conversationId).includes("later"), 5_000);
  expect([...new Set(hook.endpoint.texts(conversationId))]).toEqual(["first", "bad", "good", "later"]);
});

test("when all connections break, the positions of many subscriptions are stored without delaying each other", async () => {
  const many = await Promise.all(Array.from({ length: 16 }, () => w.hook()));
  const talks = await Promise.all(Array.from({ length: 30 }, () => talk(w, channel)));
  const allHeard = (text: string) =>
    Promise.all(
      many.map(({ endpoint }) =>
        endpoint.until(({ texts }) => talks.every(({ conversationId }) => texts(conversationId).includes(text))),
      ),
    );
  await allHeard("first");
  for (const text of ["second", "third", "fourth"]) {
    // Their cursors have moved in nearly all partitions, and are not stored yet.
    await Promise.all(talks.map(({ say }) => say(text)));
    await relay.cut();
    await relay.restore();
    await allHeard(text);
  }
  const pool = own.pool(SERVICE_SCHEMA, { max: 1 });
  expect(await pool.one(DEADLOCKS, [])).toEqual({ deadlocks: 0 });
  await pool.end();
});
