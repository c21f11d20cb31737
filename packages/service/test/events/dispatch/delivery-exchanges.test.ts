import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import {
  DELIVERY_EXCHANGE_LIMITS,
  type AdminDelivery,
  type DeliveryExchange,
  type WebhookAction,
} from "@parley/contract";
import { statement } from "@parley/database";
import { DISPATCH_RULES, SERVICE_SCHEMA } from "../../../src/index.ts";
import { retentionStore } from "../../../src/events/dispatch/retention.sql.ts";
import { conversationFixture, firstChannelId } from "../../messaging/conversations/conversation-fixture.ts";
import { waitUntil } from "../../../../../test/support/wait-until.ts";
import type { FakeWebhookReceiver, ReceivedWebhook } from "../webhooks/fake-webhook-receiver.ts";
import { webhooksHarness, type CreatedWebhook, type WebhooksHarness } from "../webhooks/webhooks-harness.ts";
import { jumpingClock } from "./dispatch-harness.ts";

/** The last request of a webhook's delivery and its response, as an admin reads them. */

const clock = jumpingClock();
let w: WebhooksHarness;
let channel: string;
beforeAll(async () => {
  const webhook = { waitsMs: [20, 3_600_000], attemptTimeoutMs: 2_000, holdMs: 60_000 };
  w = await webhooksHarness({ ports: clock.ports, dispatchRules: { ...DISPATCH_RULES, controlMs: 100, webhook } });
  channel = await firstChannelId(w);
});
afterAll(() => w.close());

interface Shown {
  readonly delivery: AdminDelivery;
  readonly exchange?: DeliveryExchange;
}
const pathOf = ({ webhook }: CreatedWebhook) => `/admin/accounts/acme/subscriptions/${webhook.id}/deliveries`;
const eventOf = ({ headers }: Pick<ReceivedWebhook, "headers">) => String(headers["webhook-id"]).slice(0, 36);
const read = (created: CreatedWebhook, eventId: string) =>
  w.adminRequest<Shown & { status?: string }>("GET", `${pathOf(created)}/${eventId}`);
/** -> the delivery of a received event once it is as expected */
const shown = async (
  created: CreatedWebhook,
  post: Pick<ReceivedWebhook, "headers">,
  is: (found: Shown) => boolean,
): Promise<Shown> => {
  let found: Shown | undefined;
  await waitUntil(async () => {
    const { code, body } = await read(created, eventOf(post));
    found = code === 200 ? body : undefined;
    return found !== undefined && is(found);
  });
  return found as Shown;
};
const receiverOf = (...actions: WebhookAction[]) => w.addReceiver({ actions });
const firstOf = async (receiver: FakeWebhookReceiver): Promise<ReceivedWebhook> => {
  await receiver.until(1);
  return receiver.received[0] as ReceivedWebhook;
};
const isDelivered = ({ delivery }: Shown) => delivery.state === "delivered";

describe("GET /admin/accounts/{account}/subscriptions/{subscription_id}/deliveries/{event_id} 200", () => {
  test("with the request as it was sent and the response, without the receiver's secrets", async () => {
    const { receiver, created } = await receiverOf("message_create");
    const headers = { "content-type": "text/plain", "set-cookie": "session=hidden7q", "x-own": "hidden7q" };
    receiver.replyWith(() => [202, headers, "taken, grüße"]);
    await conversationFixture(w, channel, "as sent, grüße");
    const post = await firstOf(receiver);
    const { delivery, exchange } = await shown(created, post, isDelivered);
    expect(delivery).toMatchObject({ state: "delivered", tries: 1, status: 202, milliseconds: expect.any(Number) });
    expect(exchange).toEqual({
      time: expect.stringMatching(/Z$/),
      milliseconds: delivery.milliseconds,
      request: { url: receiver.url, headers: expect.any(Object), body: post.bytes.toString(), truncated: false },
      response: {
        status: 202,
        headers: { "content-type": "text/plain", date: expect.any(String) },
        body: "taken, grüße",
        truncated: false,
      },
    });
    expect(post.headers).toMatchObject(exchange?.request.headers ?? {});
    expect(Object.keys(exchange?.request.headers ?? {})).toEqual(
      expect.arrayContaining(["webhook-id", "webhook-signature", "x-freshchat-signature", "x-retry-count"]),
    );
    const text = JSON.stringify(exchange);
    for (const secret of [created.secret, "hidden7q"]) expect(text).not.toContain(secret);
  });

  test("with the last attempt of several", async () => {
    const { receiver, created } = await receiverOf("message_create");
    receiver.replyWith((_, count) => (count === 1 ? [500, {}, "first"] : [503, { "retry-after": "3600" }, "second"]));
    await conversationFixture(w, channel, "twice");
    const post = await firstOf(receiver);
    const { delivery, exchange } = await shown(created, post, ({ delivery: { tries } }) => tries === 2);
    expect(delivery).toMatchObject({ state: "waiting", status: 503 });
    expect(exchange?.request.headers["x-retry-count"]).toBe("1");
    expect(exchange?.response).toMatchObject({ status: 503, body: "second", headers: { "retry-after": "3600" } });
  });

  test("without a response when none arrived", async () => {
    const { receiver, created } = await receiverOf("message_create");
    receiver.replyWith(() => new Promise(() => undefined));
    await conversationFixture(w, channel, "silence");
    const post = await firstOf(receiver);
    const { delivery, exchange } = await shown(created, post, ({ delivery: { tries } }) => tries > 0);
    expect(delivery).not.toHaveProperty("status");
    expect(delivery.milliseconds).toBeGreaterThanOrEqual(1_900);
    expect(exchange).not.toHaveProperty("response");
    expect(exchange?.request.body).toContain("silence");
  });

  test("with the beginning of a long response, also of one that no text of the database can contain", async () => {
    const { receiver, created } = await receiverOf("message_create");
    const max = DELIVERY_EXCHANGE_LIMITS.responseBody;
    receiver.replyWith(() => [200, { server: "s".repeat(1_000) }, `\0\u0001${"x".repeat(100_000)}`]);
    await conversationFixture(w, channel, "long");
    const { exchange } = await shown(created, await firstOf(receiver), isDelivered);
    expect(exchange?.response).toMatchObject({ body: `\0\u0001${"x".repeat(max - 2)}`, truncated: true });
    expect(exchange?.response?.headers["server"]).toHaveLength(DELIVERY_EXCHANGE_LIMITS.headerValue);
  });

  test("with the body of the action that was sent last, if an event is several", async () => {
    const { receiver, created } = await receiverOf("conversation_assignment", "conversation_resolution");
    const { conversationId: conversation_id } = await conversationFixture(w, channel, "both");
    const { agents } = await w.client.agents.listAgents({ query: {} });
    const body = { status: "resolved", assigned_agent_id: agents[0]?.id ?? "" } as const;
    await w.client.conversations.updateConversation({ params: { conversation_id }, body });
    await receiver.until(2);
    const last = receiver.received[1] as ReceivedWebhook;
    expect(last.event.action).toBe("conversation_resolution");
    const { exchange } = await shown(created, last, isDelivered);
    expect(exchange?.request.body).toBe(last.bytes.toString());
  });
});

test("GET /admin/accounts/{account}/subscriptions/{subscription_id}/deliveries/{event_id} DELIVERY_NOT_FOUND for an event that it does not have, and for no id", async () => {
  const { created } = await receiverOf("message_create");
  for (const id of ["01890000-0000-7000-8000-000000000001", "none"])
    expect(await read(created, id)).toMatchObject({ code: 404, body: { status: "DELIVERY_NOT_FOUND" } });
});

describe("an exchange is erased", () => {
  test("with the user of its event, also if the response arrives after the deletion", async () => {
    const { receiver, created } = await receiverOf("message_create");
    let isDeleted = false;
    receiver.replyWith(async ({ bytes }, count) => {
      if (count > 1) await waitUntil(() => isDeleted);
      return [500, {}, bytes.toString()];
    });
    const { userId: user_id } = await conversationFixture(w, channel, "echo7q");
    const post = await firstOf(receiver);
    await receiver.until(2);
    await w.client.users.deleteUser({ params: { user_id } });
    isDeleted = true;
    // The second response arrived after the deletion, and repeats the message.
    await shown(created, post, ({ exchange }) => exchange?.response?.body.includes("echo7q") ?? false);
    clock.advance(121_000);
    const { exchange } = await shown(created, post, (found) => !found.exchange);
    expect(exchange).toBeUndefined();
  });

  const COUNT = statement(
    "",
    `select count(exchange)::integer as kept, min(seq) filter (where exchange is not null) as first
       from deliveries where subscription_id = $1`,
  );
  const FILL = statement(
    "",
    `insert into deliveries (subscription_id, seq, event_id, kind, entity_id, partition, state, is_replay, tries, taken, exchange, changed_time)
     select $1, n, gen_random_uuid(), 'message_create', gen_random_uuid(), 0, 'dead', false, 10, 0, '{}', now() + interval '1 day'
       from generate_series(1, $2::integer) n`,
  );

  test("when newer deliveries have as many as are kept", async () => {
    const { created } = await receiverOf("message_create");
    const max = DELIVERY_EXCHANGE_LIMITS.deliveries;
    const pool = w.database.pool(SERVICE_SCHEMA, { max: 1 });
    await pool.rows(FILL, [created.webhook.id, max + 50]);
    const long = new Date("2020-01-01T00:00:00Z");
    await retentionStore(pool).expire({ events: long, paused: long }, new Date());
    expect(await pool.one(COUNT, [created.webhook.id])).toEqual({ kept: max, first: 51 });
    await pool.end();
  });
});
