import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { setTimeout } from "node:timers/promises";
import { verifyWebhook } from "@parley/egress";
import { serviceHarness, type ServiceHarness } from "../../service-harness.ts";
import { entityOf, ofKind, receiver, messageTextOf, type FakeSubscriber } from "./fake-subscriber.ts";
import { firstChannelId, conversationFixture } from "../../messaging/conversations/conversation-fixture.ts";

let w: ServiceHarness;
let host: FakeSubscriber;
let channel: string;
beforeAll(async () => {
  w = await serviceHarness();
  // Long enough that several are in progress at once, and of different lengths, so that they overtake each other where permitted.
  host = await receiver(async ({ body }) => {
    await setTimeout(body.length % 20);
    return 200;
  });
  channel = await firstChannelId(w);
});
afterAll(async () => {
  await w.close();
  await host.close();
});

describe("an account's events", () => {
  test("reach a subscriber signed, one at a time in each conversation's order, with concurrent writers", async () => {
    const { secret } = await w.admin.subscribe({ account: "acme", name: "order", kind: "app", url: host.url });
    const conversations = await Promise.all(Array.from({ length: 30 }, () => conversationFixture(w, channel)));
    const texts = Array.from({ length: 15 }, (_, index) => `message ${index}`);
    await Promise.all(
      conversations.map(async ({ sendMessage }) => {
        for (const text of texts) await sendMessage(text);
      }),
    );
    const expected = conversations.length * (1 + 1 + 1 + texts.length);
    await host.until(({ accepted }) => accepted.length >= expected);

    expect(host.accepted).toHaveLength(expected);
    expect(new Set(host.accepted.map(({ id }) => id)).size).toBe(expected);
    for (const { conversationId } of conversations) {
      const own = host.accepted.filter((event) => entityOf(event) === conversationId);
      expect(own.map(({ kind }) => kind)).toEqual([
        "conversation_create",
        ...["first", ...texts].map(() => "message_create"),
      ]);
      expect(ofKind(own, "message_create").map(messageTextOf)).toEqual(["first", ...texts]);
    }
    expect(Math.max(...host.received.map(({ inProgress }) => inProgress))).toBeGreaterThan(1);
    expect(host.received.every(({ inProgressOfEntity }) => inProgressOfEntity === 1)).toBe(true);
    const nowSeconds = Date.now() / 1_000;
    for (const { headers, body, event } of host.received) {
      expect(verifyWebhook({ headers, body, secret, nowSeconds })).toBe(true);
      expect(headers["webhook-id"]).toBe(event.id);
    }
  });
});
