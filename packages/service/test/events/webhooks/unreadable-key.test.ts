import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { openDatabase, type Database } from "@parley/database";
import { testRelay, type TestRelay } from "@parley/database/testing";
import { firstChannelId, conversationFixture } from "../../messaging/conversations/conversation-fixture.ts";
import { webhooksHarness, type WebhooksHarness } from "./webhooks-harness.ts";
import { demoDatabase } from "../../service-harness.ts";

/** A webhook's event whose signing key is unreadable for a moment. */
let own: Database;
let relay: TestRelay;
let database: Database;
let w: WebhooksHarness;
beforeAll(async () => {
  own = await demoDatabase();
  relay = await testRelay(own);
  database = await openDatabase({ dataFolder: "", url: relay.url });
  w = await webhooksHarness({ database });
});
afterAll(async () => {
  await w.close();
  await database.close();
  await relay.close();
  await own.close();
});

test("an unreadable signing key counts as no attempt: the event is delivered once it is readable, as the first attempt", async () => {
  const { receiver } = await w.addReceiver({ actions: ["message_create"] });
  const { sendMessage } = await conversationFixture(w, await firstChannelId(w), "first");
  await receiver.until(1);
  w.expireCaches();
  relay.loseResponse("webhook_keys");
  await sendMessage("second");
  await receiver.until(2);
  await sendMessage("third");
  await receiver.until(3);
  expect(receiver.received.map(({ headers }) => headers["x-retry-count"])).toEqual(["0", "0", "0"]);
});
