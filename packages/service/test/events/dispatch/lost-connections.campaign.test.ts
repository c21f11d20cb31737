import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { setTimeout } from "node:timers/promises";
import { migrate, openDatabase, statement, type Database } from "@parley/database";
import { testDatabase, testRelay, type TestRelay } from "@parley/database/testing";
import { SERVICE_MIGRATIONS, SERVICE_SCHEMA } from "../../../src/index.ts";
import { dispatchHarness, SHORT_DELAYS, type DispatchHarness } from "./dispatch-harness.ts";
import { held } from "../../held.ts";
import { subscriptionsApplied } from "./subscriptions-applied.ts";
import { firstChannelId, conversationFixture } from "../../messaging/conversations/conversation-fixture.ts";

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
let w: DispatchHarness;
let channel: string;
beforeAll(async () => {
  const key = `service ${JSON.stringify(SERVICE_MIGRATIONS)}`;
  own = await testDatabase({ key, run: (fresh) => migrate(fresh, SERVICE_SCHEMA, SERVICE_MIGRATIONS) });
  relay = await testRelay(own);
  database = await openDatabase({ dataFolder: "", url: relay.url, log: () => undefined });
  w = await dispatchHarness({ database, dispatchRules: SHORT_DELAYS });
  channel = await firstChannelId(w);
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
  const webhook = await w.subscribe(({ text, retries }) => (text === "bad" && retries === 0 ? 500 : 200));
  const { sendMessage, conversationId } = await conversationFixture(w, channel);
  await webhook.endpoint.until(({ acceptedTexts }) => acceptedTexts(conversationId).includes("first"));
  relay.loseResponse(name);
  await sendMessage("bad");
  await webhook.endpoint.until(({ deliveries }) => deliveries.filter(({ text }) => text === "bad").length === 2);
  await setTimeout(wait);
  await sendMessage("good");
  await webhook.endpoint.until(({ acceptedTexts }) => acceptedTexts(conversationId).includes("good"));
  await sendMessage("later");
  await webhook.endpoint.until(({ acceptedTexts }) => acceptedTexts(conversationId).includes("later"));
  expect([...new Set(webhook.endpoint.acceptedTexts(conversationId))]).toEqual(["first", "bad", "good", "later"]);
  await webhook.untilCompleted();
  expect(await webhook.status()).toMatchObject({ waiting: 0, aside: 0, dead: 0 });
});

test("events after one that another process has completed in the meantime are delivered at once", async () => {
  const webhook = await w.subscribe(({ text }) =>
    text === "bad" ? { status: 503, headers: { "retry-after": "60" } } : 200,
  );
  const { sendMessage, conversationId } = await conversationFixture(w, channel);
  await sendMessage("bad");
  await webhook.delivery("waiting");
  const pool = own.pool(SERVICE_SCHEMA, { max: 1 });
  await pool.rows(SETTLE, [webhook.id]);
  await pool.end();
  await Promise.all(["good", "later"].map((text) => sendMessage(text)));
  await webhook.endpoint.until(({ acceptedTexts }) => acceptedTexts(conversationId).length === 3);
});

test("an endpoint that answers 410 gets no further events, however long turning it off takes", async () => {
  const webhook = await w.subscribe(() => 410);
  const turningOff = relay.hold("turn_subscription_off");
  await conversationFixture(w, channel);
  const release = await turningOff;
  await subscriptionsApplied(w);
  expect(webhook.endpoint.deliveries).toHaveLength(1);
  release();
});

test("a delivery in progress when all connections break, and that fails later, delays its conversation no longer than its retries", async () => {
  let isDown = true;
  const broken = held();
  const webhook = await w.subscribe(async ({ text }) => {
    if (text !== "bad" || !isDown) return 200;
    await broken.promise;
    return 500;
  });
  const { sendMessage, conversationId } = await conversationFixture(w, channel);
  await webhook.endpoint.until(({ acceptedTexts }) => acceptedTexts(conversationId).includes("first"));
  await sendMessage("bad");
  await sendMessage("good");
  await webhook.endpoint.until(({ deliveries }) => deliveries.some(({ text }) => text === "bad"));
  await relay.cut();
  await relay.restore();
  isDown = false;
  broken.release();
  await webhook.endpoint.until(({ acceptedTexts }) => acceptedTexts(conversationId).includes("good"));
  await sendMessage("later");
  await webhook.endpoint.until(({ acceptedTexts }) => acceptedTexts(conversationId).includes("later"));
  expect([...new Set(webhook.endpoint.acceptedTexts(conversationId))]).toEqual(["first", "bad", "good", "later"]);
});

test("when all connections break, the positions of many subscriptions are stored without delaying each other", async () => {
  const many = await Promise.all(Array.from({ length: 16 }, () => w.subscribe()));
  const conversations = await Promise.all(Array.from({ length: 30 }, () => conversationFixture(w, channel)));
  const allHeard = (text: string) =>
    Promise.all(
      many.map(({ endpoint }) =>
        endpoint.until(({ acceptedTexts }) =>
          conversations.every(({ conversationId }) => acceptedTexts(conversationId).includes(text)),
        ),
      ),
    );
  await allHeard("first");
  for (const text of ["second", "third", "fourth"]) {
    // Their cursors have moved in nearly all partitions, and are not stored yet.
    await Promise.all(conversations.map(({ sendMessage }) => sendMessage(text)));
    await relay.cut();
    await relay.restore();
    await allHeard(text);
  }
  const pool = own.pool(SERVICE_SCHEMA, { max: 1 });
  expect(await pool.one(DEADLOCKS, [])).toEqual({ deadlocks: 0 });
  await pool.end();
});
