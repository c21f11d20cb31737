import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { dispatchHarness, SHORT_DELAYS, type WebhookSubscription, type DispatchHarness } from "./dispatch-harness.ts";
import {
  firstChannelId,
  conversationFixture,
  type ConversationFixture,
} from "../../messaging/conversations/conversation-fixture.ts";

/** Number of the account's endpoints, two of them faulty. PARLEY_FAIRNESS=100 tests with more. */
const ENDPOINTS = Number(process.env["PARLEY_FAIRNESS"] ?? 20);
const CONVERSATION_COUNT = 6;
const TEXTS = Array.from({ length: 5 }, (_, index) => `${index}`);

let w: DispatchHarness;
const healthy: WebhookSubscription[] = [];
beforeAll(async () => {
  const webhook = { waitsMs: [50, 50, 60_000], attemptTimeoutMs: 600_000, holdMs: 60_000 };
  w = await dispatchHarness({ dispatchRules: { ...SHORT_DELAYS, webhook } });
  for (let created = 0; created < ENDPOINTS - 2; created += 1) healthy.push(await w.subscribe());
});
afterAll(() => w.close());

const sendAll = async (conversations: readonly ConversationFixture[], round: string): Promise<void> => {
  for (const text of TEXTS)
    await Promise.all(
      conversations.map(async ({ sendMessage }) => {
        const content = `${round} ${text}`;
        await sendMessage(content);
      }),
    );
};

test("an endpoint without responses and a conversation with failures delay no other deliveries", async () => {
  const channel = await firstChannelId(w);
  const conversations = await Promise.all(
    Array.from({ length: CONVERSATION_COUNT }, () => conversationFixture(w, channel)),
  );
  const rounds = async (round: string, failing?: WebhookSubscription) => {
    await sendAll(conversations, round);
    const full = CONVERSATION_COUNT * TEXTS.length;
    const deliveriesOf = ({ endpoint }: WebhookSubscription) =>
      endpoint.accepted.filter(({ text }) => text.startsWith(round));
    for (const subscription of healthy)
      if (subscription !== failing)
        await subscription.endpoint.until(() => deliveriesOf(subscription).length === full, 60_000);
  };
  await rounds("before");
  const failingConversation = conversations[0]?.conversationId;
  const dead = await w.subscribe(() => undefined);
  const failing = await w.subscribe(({ conversation }) => (conversation === failingConversation ? 500 : 200));
  await rounds("beside");
  await failing.endpoint.until(({ accepted }) => accepted.length === (CONVERSATION_COUNT - 1) * TEXTS.length, 60_000);
  expect(dead.endpoint.deliveries.length).toBeGreaterThan(0);
  expect(dead.endpoint.accepted).toEqual([]);
  // All of that happened before the first attempt at the endpoint without responses has ended.
  expect(dead.endpoint.deliveries.every(({ retries }) => retries === 0)).toBe(true);
}, 180_000);
