import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import {
  jumpingClock,
  waitUntil,
  dispatchHarness,
  SHORT_DELAYS,
  type WebhookSubscription,
  type DispatchHarness,
} from "./dispatch-harness.ts";
import { firstChannelId, conversationFixture } from "../conversations/conversation-fixture.ts";

const MINUTE = 60_000;
const hands = jumpingClock();
let w: DispatchHarness;
let channel: string;
beforeAll(async () => {
  w = await dispatchHarness({
    ports: hands.ports,
    dispatchRules: {
      ...SHORT_DELAYS,
      webhook: { waitsMs: [60, 10 * MINUTE, 10 * MINUTE], tryMs: 2_000, holdMs: 5 * MINUTE },
    },
  });
  channel = await firstChannelId(w);
});
afterAll(() => w.close());

/** Resolves when an attempt has been recorded with the time of the next one, so that the clock can be moved. */
const noted = (of: WebhookSubscription, tries: number) =>
  waitUntil(async () => (await of.deliveries()).some((each) => each.tries === tries && each.next_time !== undefined));

const spoil = (of: WebhookSubscription, reply: (tries: number) => number, bad = "bad") => {
  let tries = 0;
  of.endpoint.replyWith(({ text }) => (text === bad ? reply(++tries) : 200));
};

describe("a webhook's event that fails", () => {
  test("delays its own conversation until it is accepted, and no other one", async () => {
    const hook = await w.subscribe();
    spoil(hook, (tries) => (tries === 1 ? 500 : 200));
    const [one, other] = [await conversationFixture(w, channel), await conversationFixture(w, channel)];
    await one.sendMessage("bad");
    await one.sendMessage("good");
    await other.sendMessage("meanwhile");
    await hook.endpoint.until(({ acceptedTexts }) => acceptedTexts().length === 5);
    expect(hook.endpoint.acceptedTexts(one.conversationId)).toEqual(["first", "bad", "good"]);
    const tried = hook.endpoint.deliveries.filter(({ text }) => text === "bad");
    expect(tried.map(({ retries }) => retries)).toEqual([0, 1]);
    expect(new Set(tried.map(({ id }) => id)).size).toBe(1);
    expect((tried[1]?.at ?? 0) - (tried[0]?.at ?? 0)).toBeGreaterThanOrEqual(50);
  });

  test("lets the conversation continue after five minutes, is retried separately and marked as such, and is accepted in the end", async () => {
    const hook = await w.subscribe();
    spoil(hook, (tries) => (tries <= 2 ? 503 : 200));
    const { sendMessage, conversationId } = await conversationFixture(w, channel);
    await sendMessage("bad");
    await sendMessage("good");
    await noted(hook, 2);
    await waitUntil(async () => (await hook.status()).waiting === 2);
    expect(await hook.status()).toMatchObject({ state: "on", waiting: 2, aside: 0, dead: 0 });
    const [behind, first] = await hook.deliveries("?state=waiting");
    expect(first).toMatchObject({ tries: 2, status: 503, reason: "answered 503", replay: false });
    expect(behind).toMatchObject({ tries: 0, entity_id: conversationId });
    expect(hook.endpoint.acceptedTexts(conversationId)).toEqual(["first"]);
    hands.advance(5 * MINUTE);
    await hook.endpoint.until(({ acceptedTexts }) => acceptedTexts(conversationId).includes("good"));
    const aside = await hook.delivery("aside");
    expect(aside).toMatchObject({ event_id: first?.event_id, tries: 2 });
    await sendMessage("later");
    await hook.endpoint.until(({ acceptedTexts }) => acceptedTexts(conversationId).includes("later"));
    hands.advance(5 * MINUTE);
    await hook.endpoint.until(({ acceptedTexts }) => acceptedTexts(conversationId).includes("bad"));
    expect(hook.endpoint.acceptedTexts(conversationId)).toEqual(["first", "good", "later", "bad"]);
    expect(hook.endpoint.deliveries.filter(({ text }) => text === "bad").map(({ retries }) => retries)).toEqual([
      0, 1, 2,
    ]);
    expect(await hook.delivery("delivered")).toMatchObject({ status: 200 });
  });

  test("at every scheduled attempt becomes a dead letter with the reason, and a replay delivers it", async () => {
    const hook = await w.subscribe();
    spoil(hook, () => 500);
    const { sendMessage } = await conversationFixture(w, channel);
    await sendMessage("bad");
    for (const tries of [3, 4]) {
      await noted(hook, tries - 1);
      hands.advance(11 * MINUTE);
      await hook.endpoint.until(({ deliveries }) => deliveries.filter(({ text }) => text === "bad").length === tries);
    }
    const dead = await hook.delivery("dead");
    expect(dead).toMatchObject({ tries: 4, reason: "answered 500", status: 500 });
    expect(dead.next_time).toBeUndefined();
    hook.endpoint.replyWith(() => 200);
    expect(await hook.replay({ failed: true })).toEqual({ code: 202, body: { replayed: 1 } });
    await hook.endpoint.until(({ acceptedTexts }) => acceptedTexts().includes("bad"));
    expect(new Set(hook.endpoint.deliveries.filter(({ text }) => text === "bad").map(({ id }) => id)).size).toBe(1);
    await hook.untilCompleted();
    expect(await hook.status()).toMatchObject({ dead: 0 });
  });

  test("is retried after the time that Retry-After states", async () => {
    const hook = await w.subscribe();
    hook.endpoint.replyWith(({ text, retries }) =>
      text === "bad" && retries === 0 ? { status: 429, headers: { "retry-after": "120" } } : 200,
    );
    const { sendMessage } = await conversationFixture(w, channel);
    await sendMessage("bad");
    const waits = await hook.delivery("waiting");
    const ms = Date.parse(waits.next_time ?? "") - Date.parse(waits.changed_time);
    expect(Math.round(ms / 1_000)).toBe(120);
    hands.advance(2 * MINUTE);
    await hook.endpoint.until(({ acceptedTexts }) => acceptedTexts().includes("bad"));
  });
});

test("a webhook that answers 410 is turned off at once, and gets every event in order after it is turned on again", async () => {
  const hook = await w.subscribe(() => 410);
  const { sendMessage, conversationId } = await conversationFixture(w, channel);
  await hook.endpoint.until(({ deliveries }) => deliveries.length === 1);
  await waitUntil(async () => (await hook.status()).state === "off");
  expect(await hook.status()).toMatchObject({ state: "off", off_reason: "answered 410", dead: 0 });
  for (const text of ["one", "two", "three"]) await sendMessage(text);
  expect(hook.endpoint.deliveries).toHaveLength(1);
  hook.endpoint.replyWith(() => 200);
  await w.adminRequest("PUT", `/admin/accounts/acme/webhooks/${hook.id}`, { state: "on" });
  await hook.endpoint.until(({ acceptedTexts }) => acceptedTexts().length === 4);
  expect(hook.endpoint.acceptedTexts(conversationId)).toEqual(["first", "one", "two", "three"]);
});
