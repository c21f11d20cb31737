import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { dispatchHarness, SHORT_DELAYS, type WebhookSubscription, type DispatchHarness } from "./dispatch-harness.ts";
import {
  firstChannelId,
  conversationFixture,
  type ConversationFixture,
} from "../conversations/conversation-fixture.ts";

/** Number of the account's endpoints, two of them faulty. PARLEY_FAIRNESS=100 tests with more. */
const ENDPOINTS = Number(process.env["PARLEY_FAIRNESS"] ?? 20);
const TALKS = 6;
const TEXTS = Array.from({ length: 5 }, (_, index) => `${index}`);

let w: DispatchHarness;
const good: WebhookSubscription[] = [];
const saidAt = new Map<string, number>();
beforeAll(async () => {
  const webhook = { waitsMs: [50, 50, 60_000], tryMs: 15_000, holdMs: 60_000 };
  w = await dispatchHarness({ dispatchRules: { ...SHORT_DELAYS, webhook } });
  for (let made = 0; made < ENDPOINTS - 2; made += 1) good.push(await w.subscribe());
});
afterAll(() => w.close());

const sayAll = async (talks: readonly ConversationFixture[], round: string): Promise<void> => {
  for (const text of TEXTS)
    await Promise.all(
      talks.map(async ({ sendMessage, conversationId }) => {
        const spoken = `${round} ${text}`;
        saidAt.set(`${conversationId} ${spoken}`, performance.now());
        await sendMessage(spoken);
      }),
    );
};

/** Delay between sending and delivery of the slowest of a hundred messages. @units milliseconds */
const slowest = (round: string): number => {
  const delays = good
    .flatMap(({ endpoint }) => endpoint.accepted)
    .filter(({ text }) => text.startsWith(round))
    .map(({ conversation, text, at }) => at - (saidAt.get(`${conversation} ${text}`) ?? NaN))
    .sort((a, b) => a - b);
  return delays[Math.floor(delays.length * 0.99)] ?? NaN;
};

test("an endpoint without responses and a conversation with failures delay no other deliveries", async () => {
  const channel = await firstChannelId(w);
  const talks = await Promise.all(Array.from({ length: TALKS }, () => conversationFixture(w, channel)));
  const rounds = async (round: string, failing?: WebhookSubscription) => {
    await sayAll(talks, round);
    const full = TALKS * TEXTS.length;
    const heard = ({ endpoint }: WebhookSubscription) => endpoint.accepted.filter(({ text }) => text.startsWith(round));
    for (const hook of good) if (hook !== failing) await hook.endpoint.until(() => heard(hook).length === full, 60_000);
    return slowest(round);
  };
  await rounds("warm");
  const before = await rounds("before");
  const bad = talks[0]?.conversationId;
  const dead = await w.subscribe(() => undefined);
  const failing = await w.subscribe(({ conversation }) => (conversation === bad ? 500 : 200));
  const beside = await rounds("beside");
  await failing.endpoint.until(({ accepted }) => accepted.length === (TALKS - 1) * TEXTS.length, 60_000);
  expect(dead.endpoint.deliveries.length).toBeGreaterThan(0);
  expect(dead.endpoint.accepted).toEqual([]);
  console.log(
    `${ENDPOINTS} endpoints: the slowest of a hundred came after ${before.toFixed(0)} ms, beside bad ones after ` +
      `${beside.toFixed(0)} ms: ${(beside / before).toFixed(2)} times`,
  );
  expect(beside).toBeLessThan(Math.max(before * 5, 1_000));
}, 180_000);
