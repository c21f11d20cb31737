import { beforeAll, describe, expect, test } from "@jest/globals";
import { jumpingClock, dispatchHarness, SHORT_DELAYS, type WebhookSubscription } from "./dispatch-harness.ts";
import { firstChannelId, conversationFixture } from "../../messaging/conversations/conversation-fixture.ts";
import { waitUntil } from "../../../../../test/support/wait-until.ts";
import { fileFixture } from "../../../../../test/support/file-fixture.ts";

const MINUTE_MS = 60_000;
/** Deliveries of one webhook that may wait. */
const WAITING_MAX = 4;
const clock = jumpingClock();
let channel: string;
const w = fileFixture(() =>
  dispatchHarness({
    ports: clock.ports,
    dispatchRules: {
      ...SHORT_DELAYS,
      webhook: { waitsMs: [60, 10 * MINUTE_MS, 10 * MINUTE_MS], attemptTimeoutMs: 2_000, holdMs: 5 * MINUTE_MS },
      webhookWaiting: { max: WAITING_MAX, probeMs: 1_000, countMs: 20 },
    },
  }),
);
beforeAll(async () => {
  channel = await firstChannelId(w);
});

/** Resolves when an attempt has been recorded with the time of the next one, so that the clock can be moved. */
const untilAttempted = (of: WebhookSubscription, tries: number) =>
  waitUntil(async () => (await of.deliveries()).some((each) => each.tries === tries && each.next_time !== undefined));

const failFor = (of: WebhookSubscription, reply: (tries: number) => number, bad = "bad") => {
  let tries = 0;
  of.endpoint.replyWith(({ text }) => (text === bad ? reply(++tries) : 200));
};

describe("a webhook's event that fails", () => {
  test("delays its own conversation until it is accepted, and no other one", async () => {
    const webhook = await w.subscribe();
    failFor(webhook, (tries) => (tries === 1 ? 500 : 200));
    const [one, other] = [await conversationFixture(w, channel), await conversationFixture(w, channel)];
    await one.sendMessage("bad");
    await one.sendMessage("good");
    await other.sendMessage("meanwhile");
    await webhook.endpoint.until(({ acceptedTexts }) => acceptedTexts().length === 5);
    expect(webhook.endpoint.acceptedTexts(one.conversationId)).toEqual(["first", "bad", "good"]);
    const tried = webhook.endpoint.deliveries.filter(({ text }) => text === "bad");
    expect(tried.map(({ retries }) => retries)).toEqual([0, 1]);
    expect(new Set(tried.map(({ id }) => id)).size).toBe(1);
  });

  test("lets the conversation continue after five minutes, is retried separately and marked as such, and is accepted in the end", async () => {
    const webhook = await w.subscribe();
    failFor(webhook, (tries) => (tries <= 2 ? 503 : 200));
    const { sendMessage, conversationId } = await conversationFixture(w, channel);
    await sendMessage("bad");
    await sendMessage("good");
    await untilAttempted(webhook, 2);
    await waitUntil(async () => (await webhook.status()).waiting === 2);
    expect(await webhook.status()).toMatchObject({ state: "on", waiting: 2, aside: 0, dead: 0 });
    const [behind, first] = await webhook.deliveries("?state=waiting");
    expect(first).toMatchObject({ tries: 2, status: 503, reason: "answered 503", replay: false });
    expect(behind).toMatchObject({ tries: 0, entity_id: conversationId });
    expect(webhook.endpoint.acceptedTexts(conversationId)).toEqual(["first"]);
    clock.advance(5 * MINUTE_MS);
    await webhook.endpoint.until(({ acceptedTexts }) => acceptedTexts(conversationId).includes("good"));
    const aside = await webhook.delivery("aside");
    expect(aside).toMatchObject({ event_id: first?.event_id, tries: 2 });
    await sendMessage("later");
    await webhook.endpoint.until(({ acceptedTexts }) => acceptedTexts(conversationId).includes("later"));
    clock.advance(5 * MINUTE_MS);
    await webhook.endpoint.until(({ acceptedTexts }) => acceptedTexts(conversationId).includes("bad"));
    expect(webhook.endpoint.acceptedTexts(conversationId)).toEqual(["first", "good", "later", "bad"]);
    expect(webhook.endpoint.deliveries.filter(({ text }) => text === "bad").map(({ retries }) => retries)).toEqual([
      0, 1, 2,
    ]);
    expect(await webhook.delivery("delivered")).toMatchObject({ status: 200 });
  });

  test("at every scheduled attempt becomes a dead letter with the reason, and a replay delivers it", async () => {
    const webhook = await w.subscribe();
    failFor(webhook, () => 500);
    const { sendMessage } = await conversationFixture(w, channel);
    await sendMessage("bad");
    for (const tries of [3, 4]) {
      await untilAttempted(webhook, tries - 1);
      clock.advance(11 * MINUTE_MS);
      await webhook.endpoint.until(
        ({ deliveries }) => deliveries.filter(({ text }) => text === "bad").length === tries,
      );
    }
    const dead = await webhook.delivery("dead");
    expect(dead).toMatchObject({ tries: 4, reason: "answered 500", status: 500 });
    expect(dead.next_time).toBeUndefined();
    webhook.endpoint.replyWith(() => 200);
    expect(await webhook.replay({ failed: true })).toEqual({ code: 202, body: { replayed: 1 } });
    await webhook.endpoint.until(({ acceptedTexts }) => acceptedTexts().includes("bad"));
    expect(new Set(webhook.endpoint.deliveries.filter(({ text }) => text === "bad").map(({ id }) => id)).size).toBe(1);
    await webhook.untilCompleted();
    expect(await webhook.status()).toMatchObject({ dead: 0 });
  });

  test("is retried after the time that Retry-After states", async () => {
    const webhook = await w.subscribe();
    webhook.endpoint.replyWith(({ text, retries }) =>
      text === "bad" && retries === 0 ? { status: 429, headers: { "retry-after": "120" } } : 200,
    );
    const { sendMessage } = await conversationFixture(w, channel);
    await sendMessage("bad");
    const waits = await webhook.delivery("waiting");
    const ms = Date.parse(waits.next_time ?? "") - Date.parse(waits.changed_time);
    expect(Math.round(ms / 1_000)).toBe(120);
    clock.advance(2 * MINUTE_MS);
    await webhook.endpoint.until(({ acceptedTexts }) => acceptedTexts().includes("bad"));
  });
});

describe("a webhook that answers nothing but errors", () => {
  const converse = (count: number) => Promise.all(Array.from({ length: count }, () => conversationFixture(w, channel)));
  /** A webhook with as many waiting deliveries as are kept, each attempted twice. */
  const stuckWebhook = async () => {
    const webhook = await w.subscribe(() => 500);
    await converse(WAITING_MAX);
    await webhook.endpoint.until(({ deliveries }) => deliveries.length === 2 * WAITING_MAX);
    await waitUntil(async () => (await webhook.status()).waiting === WAITING_MAX);
    return webhook;
  };

  test("fills no more rows than may wait: later events stay in the log, and arrive when it accepts one again", async () => {
    const webhook = await stuckWebhook();
    const other = await w.subscribe();
    await converse(5);
    await other.endpoint.until(({ acceptedTexts }) => acceptedTexts().length === 5);
    expect(await webhook.status()).toMatchObject({ state: "on", waiting: WAITING_MAX, dead: 0 });
    expect(webhook.endpoint.deliveries).toHaveLength(2 * WAITING_MAX);
    webhook.endpoint.replyWith(() => 200);
    w.expireCaches();
    await webhook.endpoint.until(({ acceptedTexts }) => acceptedTexts().length === 5);
    clock.advance(11 * MINUTE_MS);
    await webhook.untilCompleted();
    expect(webhook.endpoint.acceptedTexts()).toHaveLength(5 + WAITING_MAX);
  });

  test("is turned off when an event is given up while no more may wait, and gets the later events when it is on again", async () => {
    const webhook = await stuckWebhook();
    await converse(1);
    clock.advance(11 * MINUTE_MS);
    await webhook.endpoint.until(({ deliveries }) => deliveries.length >= 3 * WAITING_MAX);
    await waitUntil(async () => (await webhook.deliveries()).filter(({ tries }) => tries === 3).length === WAITING_MAX);
    clock.advance(11 * MINUTE_MS);
    await waitUntil(async () => (await webhook.status()).state === "off");
    expect((await webhook.status()).off_reason).toMatch(/^it has accepted nothing for so long/);
    webhook.endpoint.replyWith(() => 200);
    await w.adminRequest("PUT", `/admin/accounts/acme/webhooks/${webhook.id}`, { state: "on" });
    w.expireCaches();
    await webhook.endpoint.until(({ acceptedTexts }) => acceptedTexts().length >= 1);
  });
});

test("a webhook that answers 410 is turned off at once, and gets every event in order after it is turned on again", async () => {
  const webhook = await w.subscribe(() => 410);
  const { sendMessage, conversationId } = await conversationFixture(w, channel);
  await webhook.endpoint.until(({ deliveries }) => deliveries.length === 1);
  await waitUntil(async () => (await webhook.status()).state === "off");
  expect(await webhook.status()).toMatchObject({ state: "off", off_reason: "answered 410", dead: 0 });
  for (const text of ["one", "two", "three"]) await sendMessage(text);
  expect(webhook.endpoint.deliveries).toHaveLength(1);
  webhook.endpoint.replyWith(() => 200);
  await w.adminRequest("PUT", `/admin/accounts/acme/webhooks/${webhook.id}`, { state: "on" });
  await webhook.endpoint.until(({ acceptedTexts }) => acceptedTexts().length === 4);
  expect(webhook.endpoint.acceptedTexts(conversationId)).toEqual(["first", "one", "two", "three"]);
});
