import { setTimeout } from "node:timers/promises";
import { afterEach, expect, jest, test } from "@jest/globals";
import { statement } from "@parley/database";
import { DISPATCH_RULES, SERVICE_SCHEMA } from "../../../src/index.ts";
import { serviceHarness, type ServiceHarness } from "../../service-harness.ts";
import {
  entityOf,
  ofKind,
  receiver,
  messageTextOf,
  type ReplyToEvent,
  type FakeSubscriber,
} from "./fake-subscriber.ts";
import { held } from "../../held.ts";
import { firstChannelId, conversationFixture } from "../../messaging/conversations/conversation-fixture.ts";

const RULES = { ...DISPATCH_RULES, hostWaitMs: [20, 100], backlog: 20, batch: 10, concurrency: 4 } as const;
const DELIVERY_MS = 15;
/** Generous, since the machine's speed is not tested. @units milliseconds */
const TIME_LIMIT_MS = 60_000;

jest.setTimeout(3 * TIME_LIMIT_MS);

const TIMED_OUT = statement(
  "",
  `select deliveries.tries, deliveries.reason
     from deliveries join subscriptions on subscriptions.id = deliveries.subscription_id
    where subscriptions.name = $1 and deliveries.state = 'dead'
    order by deliveries.seq`,
);

let w: ServiceHarness;
const hosts: FakeSubscriber[] = [];
afterEach(async () => {
  await w.close();
  await Promise.all(hosts.splice(0).map((host) => host.close()));
});

const subscriber = async (name: string, response?: ReplyToEvent): Promise<FakeSubscriber> => {
  const host = await receiver(response);
  hosts.push(host);
  await w.admin.subscribe({ account: "acme", name, kind: "app", url: host.url });
  return host;
};

test("an event that its subscriber does not accept in time becomes a dead letter, and delivery continues with the next one", async () => {
  w = await serviceHarness({ dispatchRules: { ...RULES, retryWaitsMs: [20, 60], attemptTimeoutMs: 400 } });
  const { promise, release } = held();
  const host = await subscriber("hangs", async ({ event }) => {
    if (messageTextOf(event) === "bad") await promise;
    return 200;
  });
  const { sendMessage } = await conversationFixture(w, await firstChannelId(w));
  await sendMessage("bad");
  await sendMessage("good");
  await host.until(
    ({ accepted }) => ofKind(accepted, "message_create").map(messageTextOf).includes("good"),
    TIME_LIMIT_MS,
  );
  expect(await w.database.pool(SERVICE_SCHEMA, { max: 1 }).rows(TIMED_OUT, ["hangs"])).toEqual([
    { tries: 3, reason: "Timeout error while processing the request" },
  ]);
  release();
});

test("a slow subscriber delays no other one, keeps its order beyond its backlog, and never exceeds its concurrency", async () => {
  // No attempt times out, since a response after the timeout causes a duplicate delivery.
  w = await serviceHarness({ dispatchRules: RULES });
  const channel = await firstChannelId(w);
  const slow = await subscriber("slow", async () => {
    await setTimeout(DELIVERY_MS);
    return 200;
  });
  const dead = await receiver();
  await dead.close();
  await w.admin.subscribe({ account: "acme", name: "dead", kind: "app", url: dead.url });
  const quick = await subscriber("quick");
  const conversations = await Promise.all(Array.from({ length: 8 }, () => conversationFixture(w, channel)));
  const spoken = Array.from({ length: 20 }, (_, index) => `${index}`);
  await Promise.all(
    conversations.map(async ({ sendMessage }) => {
      for (const text of spoken) await sendMessage(text);
    }),
  );
  const expected = conversations.length * (spoken.length + 3);
  await quick.until(({ accepted }) => accepted.length === expected, TIME_LIMIT_MS);
  expect(slow.accepted.length).toBeLessThan(expected);
  await slow.until(({ accepted }) => accepted.length === expected, TIME_LIMIT_MS);
  for (const host of [quick, slow])
    for (const { conversationId } of conversations) {
      const own = host.accepted.filter((event) => entityOf(event) === conversationId);
      expect(ofKind(own, "message_create").map(messageTextOf)).toEqual(["first", ...spoken]);
    }
  expect(Math.max(...slow.received.map(({ inProgress }) => inProgress))).toBe(RULES.concurrency);
});
