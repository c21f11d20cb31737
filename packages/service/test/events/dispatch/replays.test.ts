import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Database } from "@parley/database";
import { endpoint } from "./fake-message-endpoint.ts";
import { dispatchHarness, SHORT_DELAYS, type WebhookSubscription, type DispatchHarness } from "./dispatch-harness.ts";
import { firstChannelId, conversationFixture } from "../../messaging/conversations/conversation-fixture.ts";
import { demoDatabase } from "../../service-harness.ts";

let database: Database;
let folder: string;
let w: DispatchHarness;
let channel: string;
const start = async () => {
  // Long enough that no event is given up in the meantime.
  const webhook = { waitsMs: Array.from({ length: 20 }, () => 150), attemptTimeoutMs: 2_000, holdMs: 60_000 };
  w = await dispatchHarness({ database, objectsFolder: folder, dispatchRules: { ...SHORT_DELAYS, webhook } });
  channel = await firstChannelId(w);
};
beforeAll(async () => {
  database = await demoDatabase();
  folder = await mkdtemp(join(tmpdir(), "parley-objects-"));
  await start();
});
afterAll(async () => {
  await w.close();
  await database.close();
  await rm(folder, { recursive: true, force: true });
});

const acceptedCount = ({ endpoint }: WebhookSubscription, text: string) =>
  endpoint.accepted.filter((delivery) => delivery.text === text).length;
const eventOf = ({ endpoint }: WebhookSubscription, text: string) =>
  endpoint.accepted.find((delivery) => delivery.text === text)?.id.slice(0, 36) ?? "";

describe("POST /admin/accounts/{account}/subscriptions/{subscription_id}/replay 202", () => {
  test("delivers one event again with the same id", async () => {
    const subscription = await w.subscribe();
    const { sendMessage } = await conversationFixture(w, channel);
    await sendMessage("once more");
    await subscription.endpoint.until((each) => each.acceptedTexts().includes("once more"));
    await subscription.untilCompleted();
    expect(await subscription.replay({ event_id: eventOf(subscription, "once more") })).toEqual({
      code: 202,
      body: { replayed: 1 },
    });
    await subscription.endpoint.until(() => acceptedCount(subscription, "once more") === 2);
    const ids = subscription.endpoint.accepted.filter(({ text }) => text === "once more").map(({ id }) => id);
    expect(new Set(ids).size).toBe(1);
    expect(subscription.endpoint.accepted).toHaveLength(3);
  });

  test("delivers the events of a period again, in each conversation's order, while new events are delivered too", async () => {
    const subscription = await w.subscribe();
    await conversationFixture(w, channel, "before");
    await subscription.endpoint.until((each) => each.acceptedTexts().includes("before"));
    const from = new Date().toISOString();
    const conversations = [await conversationFixture(w, channel), await conversationFixture(w, channel)];
    for (const { sendMessage } of conversations) for (const text of ["a", "b", "c"]) await sendMessage(text);
    await subscription.endpoint.until((each) => each.acceptedTexts().length === 9);
    await subscription.untilCompleted();
    const to = new Date(Date.now() + 1).toISOString();
    subscription.endpoint.replyWith(({ text, retries }) => (text === "a" && retries === 0 ? 500 : 200));
    const { body } = await subscription.replay({ from, to });
    expect(body.replayed).toBeGreaterThanOrEqual(8);
    await conversations[0]?.sendMessage("new");
    await subscription.endpoint.until((each) => each.acceptedTexts().length === 18);
    for (const { conversationId } of conversations) {
      const texts = subscription.endpoint.acceptedTexts(conversationId).slice(4);
      expect(texts.filter((text) => text !== "new")).toEqual(["first", "a", "b", "c"]);
    }
    expect(acceptedCount(subscription, "before")).toBe(1);
  });

  test("is carried out once, even if the service ends in between", async () => {
    const at = await endpoint();
    const subscription = await w.subscribeEndpoint(at);
    const { sendMessage } = await conversationFixture(w, channel);
    for (const text of ["1", "2", "3"]) await sendMessage(text);
    await at.until((each) => each.acceptedTexts().length === 4);
    await subscription.untilCompleted();
    at.replyWith(() => 500);
    for (const text of ["1", "2"])
      expect((await subscription.replay({ event_id: eventOf(subscription, text) })).code).toBe(202);
    await sendMessage("held");
    await at.until(({ deliveries }) => deliveries.some(({ text }) => text === "held") && deliveries.length > 6);
    await w.close();
    at.replyWith(() => 200);
    const before = at.deliveries.length;
    await start();
    await at.until((each) => each.acceptedTexts().length === 7);
    const after = at.accepted.slice(4).map(({ text }) => text);
    expect(after.filter((text) => text !== "held")).toEqual(["1", "2"]);
    expect(at.deliveries).toHaveLength(before + 3);
    const restarted = w.subscriptionOf(subscription.id, at);
    await restarted.untilCompleted();
    expect(await restarted.status()).toMatchObject({ dead: 0 });
    await at.close();
  });

  test("POST /admin/accounts/{account}/subscriptions/{subscription_id}/replay EVENT_NOT_FOUND for an unknown event", async () => {
    const subscription = await w.subscribe();
    for (const event_id of ["01890000-0000-7000-8000-000000000001", "none"])
      expect(await subscription.replay({ event_id })).toMatchObject({ code: 404, body: { status: "EVENT_NOT_FOUND" } });
  });

  const wrong: [string, object][] = [
    ["an empty request", {}],
    ["two things at once", { failed: true, from: "2026-01-01T00:00:00.000Z" }],
    ["a time that ends before it begins", { from: "2026-01-02T00:00:00.000Z", to: "2026-01-01T00:00:00.000Z" }],
    ["to without from", { to: "2026-01-01T00:00:00.000Z" }],
  ];
  test.each(wrong)("refuses %s", async (_, body) => {
    const subscription = await w.subscribe();
    expect(await subscription.replay(body)).toMatchObject({ code: 400, body: { status: "INVALID_VALUE" } });
  });
});
