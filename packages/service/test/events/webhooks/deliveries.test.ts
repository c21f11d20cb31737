import { createPublicKey, verify } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Webhook, WebhookAction, WebhookData } from "@parley/contract";
import { verifyWebhook } from "@parley/egress";
import { DISPATCH_RULES } from "../../../src/index.ts";
import { firstChannelId, conversationFixture } from "../../messaging/conversations/conversation-fixture.ts";
import {
  GREETING_TEMPLATE,
  saveTemplate,
  outboundRequest,
  sendOutbound,
} from "../../messaging/outbound/outbound-fixture.ts";
import { waitUntil } from "../../../../../test/support/wait-until.ts";
import { webhooksHarness, WEBHOOKS_PATH, type WebhooksHarness, type CreatedWebhook } from "./webhooks-harness.ts";
import type { FakeWebhookReceiver, ReceivedWebhook } from "./fake-webhook-receiver.ts";

const RULES = { ...DISPATCH_RULES, webhook: { ...DISPATCH_RULES.webhook, waitsMs: [20, 60] } };

/** Payloads and signatures of deliveries. */

let w: WebhooksHarness;
let channel: string;
let agent: string;
let group: string;
beforeAll(async () => {
  w = await webhooksHarness({ dispatchRules: RULES });
  channel = await firstChannelId(w);
  const { agents } = await w.client.agents.listAgents({ query: {} });
  const someone = agents.find(({ groups }) => (groups ?? []).length > 0);
  agent = someone?.id ?? "";
  group = someone?.groups?.[0] ?? "";
});
afterAll(() => w.close());

const isSigned = ({ bytes, headers }: ReceivedWebhook, { public_key }: Pick<CreatedWebhook, "public_key">): boolean =>
  verify(
    "RSA-SHA256",
    bytes,
    createPublicKey(public_key),
    Buffer.from(String(headers["x-freshchat-signature"]), "base64"),
  );
const isStandard = ({ bytes, headers }: ReceivedWebhook, { secret }: Pick<CreatedWebhook, "secret">): boolean =>
  verifyWebhook({ headers, body: bytes.toString(), secret, nowSeconds: Math.floor(Date.now() / 1000) });

const actionsOf = ({ received }: FakeWebhookReceiver) => received.map(({ event }) => event.action);
/** Data of the first delivery with the action. */
const dataOf = <K extends string>({ received }: FakeWebhookReceiver, action: WebhookAction, member: K) => {
  const data = received.find(({ event }) => event.action === action)?.event.data ?? {};
  return Reflect.get(data, member) as Extract<WebhookData, Record<K, unknown>>[K];
};
const change = (conversation_id: string, body: object) =>
  w.client.conversations.updateConversation({ params: { conversation_id }, body });

describe("the webhooks of a conversation", () => {
  let all: FakeWebhookReceiver;
  let created: CreatedWebhook;
  let messages: FakeWebhookReceiver;
  let turns: FakeWebhookReceiver;
  let conversation_id: string;
  let user_id: string;
  beforeAll(async () => {
    ({ receiver: all, created } = await w.addReceiver());
    ({ receiver: messages } = await w.addReceiver({ actions: ["message_create"] }));
    ({ receiver: turns } = await w.addReceiver({ actions: ["conversation_reopen", "conversation_resolution"] }));
    ({ conversationId: conversation_id, userId: user_id } = await conversationFixture(w, channel, "grüße"));
    await change(conversation_id, { status: "resolved", assigned_agent_id: agent });
    await change(conversation_id, { status: "reopened", assigned_group_id: group });
    await Promise.all([all.until(7), messages.until(3), turns.until(2)]);
  });

  test("arrive in order, including the parts of one change, and each endpoint gets its chosen actions", () => {
    expect(actionsOf(all)).toEqual([
      "message_create",
      "conversation_assignment",
      "conversation_resolution",
      "message_create",
      "conversation_reopen",
      "conversation_assignment",
      "message_create",
    ]);
    expect(actionsOf(messages)).toEqual(["message_create", "message_create", "message_create"]);
    expect(actionsOf(turns)).toEqual(["conversation_resolution", "conversation_reopen"]);
  });

  test("for a reopening have the wire's name of the status, and the API has the state", async () => {
    expect(dataOf(all, "conversation_reopen", "reopen").conversation.status).toBe("reopened");
    expect((await w.client.conversations.getConversation({ params: { conversation_id } })).status).toBe("new");
  });

  test("are signed in both schemes over their bytes, each with its own id", () => {
    expect(new Set(all.received.map(({ headers }) => headers["webhook-id"])).size).toBe(all.received.length);
    for (const post of all.received) {
      expect([isSigned(post, created), isStandard(post, created)]).toEqual([true, true]);
      expect(post.bytes.toString()).toBe(JSON.stringify(post.event));
      expect(post.headers).toMatchObject({
        "content-type": "application/json",
        "x-retry-count": "0",
        "x-freshchat-payload-version": "1.0",
      });
    }
  });

  test("fail verification with one changed byte, another key or another secret", async () => {
    const [first] = all.received;
    if (!first) throw new Error("nothing came");
    const spoilt = { ...first, bytes: Buffer.from(first.bytes.toString().replace("grüße", "gruße")) };
    expect([isSigned(spoilt, created), isStandard(spoilt, created)]).toEqual([false, false]);
    const other = await w.addWebhook({ url: "https://hooks.example.com/" });
    expect([isSigned(first, other), isStandard(first, other)]).toEqual([true, false]);
  });

  test("message_create contains the message as the list of messages has it", async () => {
    const { messages: listed } = await w.client.messages.listMessages({ params: { conversation_id }, query: {} });
    expect(dataOf(all, "message_create", "message")).toEqual(listed.at(-1));
    expect(all.received[0]?.event).toMatchObject({
      actor: { actor_type: "user", actor_id: user_id },
      action_time: listed.at(-1)?.created_time,
    });
  });

  test("conversation_assignment contains both sides, a missing id as empty text, and the state at its commit", () => {
    expect(dataOf(all, "conversation_assignment", "assignment")).toMatchObject({
      assignor: "system",
      assignor_id: "",
      to_agent_id: agent,
      to_group_id: "",
      from_agent_id: "",
      from_group_id: "",
      conversation: { conversation_id, status: "resolved", assigned_agent_id: agent },
      interaction_id: expect.any(String),
    });
  });

  test("conversation_resolution contains the user, without the restore_id", () => {
    const { user, ...resolve } = dataOf(all, "conversation_resolution", "resolve");
    expect(resolve).toMatchObject({ resolver: "system", resolver_id: "", conversation: { conversation_id } });
    expect(user).toMatchObject({ id: user_id, first_name: "Ana" });
    expect(user).not.toHaveProperty("restore_id");
  });

  test("conversation_reopen contains the new interaction", () => {
    const { interaction_id: before } = dataOf(all, "conversation_resolution", "resolve");
    const reopen = dataOf(all, "conversation_reopen", "reopen");
    expect(reopen).toMatchObject({ reopener: "system", reopener_id: "", conversation: { status: "reopened" } });
    expect(reopen.interaction_id).not.toBe(before);
  });
});

test("an outbound message has a webhook for each of its statuses, for endpoints that chose it", async () => {
  const { receiver } = await w.addReceiver({ actions: ["outbound_message_update"] });
  await saveTemplate(w, GREETING_TEMPLATE);
  await sendOutbound(w, outboundRequest());
  await receiver.until(2);
  const eventData = receiver.received.map(
    ({ event }) => event.data as Extract<WebhookData, { outbound_message: object }>,
  );
  expect(eventData.map(({ outbound_message }) => outbound_message.status)).toEqual(["Sent", "Delivered"]);
  const { outbound_messages } = await w.client.outbound.listOutboundMessages({ query: {} });
  expect(eventData[1]?.outbound_message).toEqual(outbound_messages[0]);
});

describe("the response of an endpoint", () => {
  const webhookOf = async ({ webhook }: CreatedWebhook): Promise<Webhook | undefined> =>
    (await w.adminRequest<{ webhooks: Webhook[] }>("GET", WEBHOOKS_PATH)).body.webhooks.find(
      ({ id }) => id === webhook.id,
    );

  test("other than 2xx causes the same delivery again, with its attempt number; a redirect is not followed", async () => {
    const { receiver: elsewhere } = await w.addReceiver({ actions: ["conversation_reopen"] });
    const { receiver } = await w.addReceiver({ actions: ["message_create"] });
    receiver.replyWith((_, count) => (count === 1 ? 500 : count === 2 ? [302, { location: elsewhere.url }] : 200));
    await conversationFixture(w, channel, "again");
    await receiver.until(3);
    expect(receiver.received.map(({ headers }) => headers["x-retry-count"])).toEqual(["0", "1", "2"]);
    expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    expect(new Set(receiver.received.map(({ bytes }) => bytes.toString())).size).toBe(1);
    expect(elsewhere.received).toEqual([]);
  });

  test("410 turns the endpoint off, which is reported; turned on again it continues", async () => {
    const { receiver, created } = await w.addReceiver({ actions: ["message_create"] });
    receiver.replyWith(() => 410);
    const { sendMessage } = await conversationFixture(w, channel, "gone");
    await receiver.until(1);
    let seen = await webhookOf(created);
    await waitUntil(async () => (seen = await webhookOf(created))?.state !== "on");
    expect(seen).toMatchObject({ state: "off", off_reason: expect.stringContaining("410") });
    const log = await w.adminRequest<{ entries: object[] }>("GET", "/admin/audit-log?action=webhook.change");
    expect(log.body.entries[0]).toMatchObject({
      actor: { type: "system" },
      account: "acme",
      subject: created.webhook.id,
      details: { state: "off", reason: "answered 410" },
    });
    receiver.replyWith(() => 200);
    await sendMessage("waits");
    await w.adminRequest("PUT", `${WEBHOOKS_PATH}/${created.webhook.id}`, { state: "on" });
    await receiver.until(3);
    const texts = receiver.received.map(({ bytes }) => /"content":"(\w+)"/.exec(bytes.toString())?.[1]);
    expect(texts).toEqual(["gone", "gone", "waits"]);
  });
});

describe("a test delivery", () => {
  test("POST /admin/accounts/{account}/webhooks/{webhook_id}/test answers 200 and states that the endpoint accepted it, signed as others", async () => {
    const { receiver, created } = await w.addReceiver({ actions: ["conversation_reopen"] });
    const { code, body } = await w.adminRequest("POST", `${WEBHOOKS_PATH}/${created.webhook.id}/test`);
    expect({ code, body }).toEqual({
      code: 200,
      body: { delivered: true, status: 204, milliseconds: expect.any(Number) },
    });
    const [post] = receiver.received;
    expect(post?.event).toMatchObject({
      actor: { actor_type: "system", actor_id: "" },
      action: "webhook_test",
      data: { webhook: { id: created.webhook.id, actions: ["conversation_reopen"] } },
    });
    expect(post && [isSigned(post, created), isStandard(post, created)]).toEqual([true, true]);
  });

  const wrong: [string, Parameters<FakeWebhookReceiver["replyWith"]>[0] | undefined, object][] = [
    ["answers 500", () => 500, { status: 500, reason: "answered 500" }],
    ["leads elsewhere", () => [301, { location: "/other" }], { status: 301, reason: "answered 301" }],
    ["is not there", undefined, { reason: "Error in establishing connection" }],
  ];
  test.each(wrong)("describes the fault of an endpoint that %s, and leaves it on", async (_, response, expected) => {
    const { receiver, created } = await w.addReceiver({ actions: ["conversation_reopen"] });
    if (response) receiver.replyWith(response);
    else await receiver.close();
    const { body } = await w.adminRequest("POST", `${WEBHOOKS_PATH}/${created.webhook.id}/test`);
    expect(body).toEqual({ delivered: false, milliseconds: expect.any(Number), ...expected });
  });
});
