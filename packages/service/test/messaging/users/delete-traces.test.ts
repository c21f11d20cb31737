import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { WEBHOOK_ACTIONS, type AdminSubscription } from "@parley/contract";
import { statement } from "@parley/database";
import {
  refusalToken,
  conversationsHarness,
  type ConversationsHarness,
  textParts,
} from "../conversations/conversations-harness.ts";
import { ADMIN_KEY } from "../../operations/administration/endpoints/admin-harness.ts";
import { entityOf, receiver } from "../../events/dispatch/fake-subscriber.ts";
import { indexed } from "../../console/search/search-harness.ts";
import { USER_CANARY, userDataFixture as knownTo, USER_PHONE } from "./user-data-fixture.ts";
import { SERVICE_SCHEMA } from "../../../src/index.ts";
import { TABLES } from "../../../src/base/db/tables.ts";
import { filesOf, tablesOf, tablesWith } from "./personal-data-search.ts";
import { waitUntil } from "../../../../../test/support/wait-until.ts";
import { startFakeWebhookReceiver, type FakeWebhookReceiver } from "../../events/webhooks/fake-webhook-receiver.ts";

let s: ConversationsHarness;
const userData = () => knownTo(s);
/** Port of a subscriber that does not listen yet. */
let port: number;
let echo: FakeWebhookReceiver;

const SAVED = statement("", "select count(exchange)::integer as saved from deliveries where subscription_id = $1");

/** -> events that the subscription has not received yet */
const pendingOf = async (id: string): Promise<number> => {
  const reply = await fetch(`${s.url}/admin/accounts/acme/subscriptions`, {
    headers: { authorization: `Bearer ${ADMIN_KEY}` },
  });
  const { subscriptions } = (await reply.json()) as { readonly subscriptions: readonly AdminSubscription[] };
  const found = subscriptions.find((each) => each.id === id);
  return found ? found.to_come + found.waiting + found.aside : 0;
};

/**
 * A webhook whose receiver answers with what it received. Responses that arrive after a deletion are erased later
 * (delivery-exchanges.test.ts): it ends with the test that uses it.
 */
const addEcho = async () => {
  echo.replyWith(({ bytes }) => [200, {}, bytes.toString()]);
  const added = await fetch(`${s.url}/admin/accounts/acme/webhooks`, {
    method: "POST",
    headers: { authorization: `Bearer ${ADMIN_KEY}`, "content-type": "application/json" },
    body: JSON.stringify({ url: echo.url, actions: WEBHOOK_ACTIONS }),
  });
  expect(added.status).toBe(201);
  const { webhook } = (await added.json()) as { readonly webhook: { readonly id: string } };
  return {
    /** Resolves when the response to every event is saved: one that is saved after a deletion is erased later. */
    saved: async () => {
      const pool = s.database.pool(SERVICE_SCHEMA, { max: 1 });
      await waitUntil(async () => {
        // That of the system is the last one of the user's data.
        const isLastSent = echo.received.some(({ event }) => event.actor.actor_type === "system");
        if (!isLastSent || (await pendingOf(webhook.id)) > 0) return false;
        return (await pool.one<{ saved: number }>(SAVED, [webhook.id]))?.saved === echo.received.length;
      });
      await pool.end();
    },
    remove: async () => {
      const path = `${s.url}/admin/accounts/acme/webhooks/${webhook.id}`;
      await fetch(path, { method: "DELETE", headers: { authorization: `Bearer ${ADMIN_KEY}` } });
    },
  };
};
beforeAll(async () => {
  s = await conversationsHarness({
    adminKey: ADMIN_KEY,
    config: { secretsKey: "ab".repeat(32), webhooks: { overlapHours: 24, allowsLoopback: true } },
  });
  echo = await startFakeWebhookReceiver();
  const away = await receiver();
  await away.close();
  port = away.port;
  await s.admin.subscribe({ account: "acme", name: "away", kind: "app", url: away.url });
});
afterAll(async () => {
  await s.close();
  await echo.close();
});

/** Everything that the API returns. */
const readings = async (ids: readonly string[]): Promise<string> => {
  const paths = [
    "/users?created_from=2020-01-01T00:00:00Z&items_per_page=100",
    `/users?phone_no=${encodeURIComponent(USER_PHONE)}`,
    "/outbound-messages?items_per_page=100",
    "/agents?items_per_page=100",
    "/groups",
    "/channels",
    "/roles",
    "/conversations/fields",
    "/accounts/configuration",
    ...ids.flatMap((id) => [`/conversations/${id}`, `/conversations/${id}/messages?items_per_page=50`]),
  ];
  const texts = await Promise.all(paths.map(async (path) => (await s.raw("GET", `/v2${path}`)).text()));
  return texts.join("\n").toLowerCase();
};

test("every table of a migrated database has a rule for erasure and export, and every rule a table", async () => {
  const tables = (await tablesOf(s.database)).flatMap((place) => {
    const [schema, name = ""] = place.split(".");
    return schema === SERVICE_SCHEMA ? [name.replaceAll('"', "")] : [];
  });
  expect(tables.sort()).toEqual(Object.keys(TABLES).sort());
});

describe("DELETE /users/{user_id} leaves no personal data", () => {
  test("in tables, objects, responses, log lines and pending events", async () => {
    const webhook = await addEcho();
    const { user, earlier, conversation_id } = await userData();
    const { restore_id = "", org_contact_id = "" } = user;
    const traces = [USER_CANARY, USER_PHONE, restore_id, org_contact_id];
    await indexed(s);
    await webhook.saved();
    // The texts of search_blocks are compressed: packages/service/test/console/search/index.test.ts reads them.
    const withPersonalData = Object.entries(TABLES).flatMap(([name, { erasure }]) =>
      erasure === "none" || name === "search_blocks" ? [] : [name],
    );
    const found = (await tablesWith(s.database, ...traces)).map((place) => place.split(".")[1]);
    expect(found).toEqual(withPersonalData.sort());
    expect((await filesOf(s.objectsFolder)).size).toBe(3);
    expect(await readings([earlier, conversation_id])).toContain(USER_CANARY);

    await s.client.users.deleteUser({ params: { user_id: user.id } });

    expect(await tablesWith(s.database, ...traces)).toEqual([]);
    await webhook.remove();
    const responses = await readings([earlier, conversation_id]);
    for (const trace of traces) expect(responses).not.toContain(trace.toLowerCase());
    await waitUntil(async () => (await filesOf(s.objectsFolder)).size === 0);
    const host = await receiver(undefined, port);
    await host.until(({ accepted }) => accepted.filter((event) => entityOf(event) === conversation_id).length >= 5);
    await host.until(({ accepted }) => accepted.some((event) => entityOf(event) === user.id));
    const eventBodies = host.received.map(({ body }) => body.toLowerCase()).join("\n");
    for (const trace of traces) expect(eventBodies).not.toContain(trace.toLowerCase());
    await host.close();
    for (const trace of traces) expect(s.logLines.join("\n").toLowerCase()).not.toContain(trace.toLowerCase());
  });

  test("and keeps business data: times and actors, choices, and others' texts around a name", async () => {
    const { user, conversation_id } = await userData();
    const before = await s.listMessages(conversation_id);
    await s.client.users.deleteUser({ params: { user_id: user.id } });
    const after = await s.listMessages(conversation_id);
    const frame = before.map(({ message_parts: _p, reply_parts: _r, meta_data: _m, ...rest }) => rest);
    expect(after.map(({ message_parts: _p, reply_parts: _r, meta_data: _m, ...rest }) => rest)).toEqual(frame);
    const [first] = after;
    expect(first).toMatchObject({ actor_type: "user", actor_id: user.id, message_parts: textParts("") });
    expect(first).not.toHaveProperty("meta_data");
    const bot = after.find(({ actor_type, reply_parts }) => actor_type === "bot" && reply_parts);
    expect(bot).toMatchObject({
      message_parts: [
        { text: { content: "Hello [removed], is [removed] right? Or [removed]?" } },
        { url_button: { url: "https://x.example/?q=[removed]", label: "[removed]" } },
      ],
      meta_data: { who: { name: ["[removed]", "[removed]"] } },
    });
    expect(bot?.reply_parts?.at(-1)?.template_content).toMatchObject({
      type: "quick_reply_dropdown",
      sections: [{ name: "options" }],
    });
    expect(after.at(-1)?.message_parts).toEqual(textParts("formerly [removed]. [removed]!"));
    expect((await s.getConversation(conversation_id)).properties).toEqual({ priority: "Low", cf_reason: "Order" });
  });

  test("if a name equals a word of the format, or is part of another word", async () => {
    const user = await s.client.users.createUser({ body: { first_name: "Options", last_name: "Al", phone: "a.c (" } });
    const { conversation_id } = await s.client.conversations.createConversation({
      body: {
        channel_id: s.channel.id,
        users: [{ id: user.id }],
        messages: [
          {
            actor_type: "bot",
            message_parts: textParts("Al, Alan and al. Options? abc (a.c ( ÁAl"),
            reply_parts: [
              {
                template_content: {
                  type: "quick_reply_dropdown",
                  sections: [{ name: "options", parts: [{ quick_reply_button: { label: "Al" } }] }],
                },
              },
            ],
          },
        ],
      },
    });
    await s.client.users.deleteUser({ params: { user_id: user.id } });
    const [message] = await s.listMessages(conversation_id);
    expect(message?.message_parts).toEqual(textParts("[removed], Alan and [removed]. [removed]? abc ([removed] ÁAl"));
    expect(message?.reply_parts?.[0]?.template_content?.sections[0]?.name).toBe("options");
  });

  test("in 2,000 messages, while they are read", async () => {
    const { conversation_id, user_id } = await s.createConversation();
    const say = (content: string) =>
      s.createMessage(conversation_id, { actor_type: "user", actor_id: user_id, message_parts: textParts(content) });
    for (let round = 0; round < 20; round += 1)
      await Promise.all(Array.from({ length: 100 }, (_, index) => say(`many7q ${round} ${index}`)));
    const deleting = s.client.users.deleteUser({ params: { user_id } });
    const reading = Promise.all(Array.from({ length: 20 }, () => s.listMessages(conversation_id)));
    await Promise.all([deleting, reading]);
    expect(await tablesWith(s.database, "many7q")).toEqual([]);
    expect(await refusalToken(say("many7q late"))).toBe("USER_NOT_FOUND");
  });

  test("in ratings, properties and names that are being written", async () => {
    for (let round = 0; round < 5; round += 1) {
      const racer = `racer${round}z`;
      const { conversation_id, user_id } = await s.createConversation();
      const params = { conversation_id };
      const late = [
        ...Array.from({ length: 10 }, () =>
          s.client.csat.createCsat({ params, body: { issue_resolved: false, additional_feedback: racer } }),
        ),
        ...Array.from({ length: 5 }, () =>
          s.client.users.updateUser({ params: { user_id }, body: { first_name: racer } }),
        ),
        ...Array.from({ length: 5 }, () =>
          s.createMessage(conversation_id, { actor_type: "user", actor_id: user_id, message_parts: textParts(racer) }),
        ),
      ].map((call) => refusalToken(call));
      await setTimeout(round * 3);
      await s.client.users.deleteUser({ params: { user_id } });
      const tokens = new Set(await Promise.all(late));
      for (const token of tokens)
        expect(["no refusal", "USER_NOT_FOUND", "INVALID_ACTOR", "CONFLICT"]).toContain(token);
      expect(await tablesWith(s.database, racer)).toEqual([]);
    }
  });
});
