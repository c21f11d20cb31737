import { expect, test } from "@jest/globals";
import { openDatabase } from "@parley/database";
import { testRelay } from "@parley/database/testing";
import { firstChannelId, conversationFixture } from "../../messaging/conversations/conversation-fixture.ts";
import { webhooksHarness } from "./webhooks-harness.ts";
import { demoDatabase } from "../../service-harness.ts";
import { fileFixture } from "../../../../../test/support/file-fixture.ts";

/** A webhook's event whose signing key is unreadable for a moment. */
const own = fileFixture(demoDatabase);
const relay = fileFixture(() => testRelay(own));
const database = fileFixture(() => openDatabase({ dataFolder: "", url: relay.url }));
const w = fileFixture(() => webhooksHarness({ database }));

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
