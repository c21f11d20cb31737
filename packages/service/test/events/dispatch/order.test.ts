import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { setTimeout } from "node:timers/promises";
import { statement } from "@parley/database";
import { verifyWebhook } from "@parley/egress";
import { SERVICE_SCHEMA } from "../../../src/index.ts";
import { serviceHarness, type ServiceHarness } from "../../service-harness.ts";
import { entityOf, ofKind, receiver, messageTextOf, type FakeSubscriber } from "./fake-subscriber.ts";
import { firstChannelId, conversationFixture } from "../../messaging/conversations/conversation-fixture.ts";
import { waitUntil } from "../../../../../test/support/wait-until.ts";

const REPEAT_MESSAGE = statement(
  "",
  `insert into outbox
   select (json_populate_record(outbox, json_build_object('seq', nextval('log_positions'), 'id', gen_random_uuid()))).*
     from outbox where entity_id = $1 and kind = 'message_create'`,
);
/** Whether the dispatcher has begun to read the log since a time. */
const HAS_READ = statement(
  "",
  `select count(*) > 0 as has_read from pg_stat_activity
    where application_name = 'parley events' and query like '%from outbox%where seq > $1%' and query_start > $1`,
);
const NOW = statement("", "select clock_timestamp() as now");

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

  test("arrive in the order of their positions when an earlier one is committed later", async () => {
    await w.admin.subscribe({ account: "acme", name: "order", kind: "app", url: host.url });
    const { conversationId, sendMessage } = await conversationFixture(w, channel);
    const textsOfConversation = () =>
      ofKind(host.accepted, "message_create")
        .filter((event) => entityOf(event) === conversationId)
        .map(messageTextOf);
    await waitUntil(() => textsOfConversation().length === 1);
    const [writer, observer] = await Promise.all([1, 2].map(() => w.database.connect(SERVICE_SCHEMA)));
    try {
      await writer?.rows(statement("", "begin"), []);
      await writer?.rows(REPEAT_MESSAGE, [conversationId]);
      await sendMessage("second");
      const sent = await observer?.one<{ now: Date }>(NOW, []);
      await waitUntil(
        async () => (await observer?.one<{ has_read: boolean }>(HAS_READ, [sent?.now]))?.has_read === true,
      );
      await writer?.rows(statement("", "commit"), []);
      await waitUntil(() => textsOfConversation().length === 3);
      expect(textsOfConversation()).toEqual(["first", "first", "second"]);
    } finally {
      await Promise.all([writer?.close(), observer?.close()]);
    }
  });
});
