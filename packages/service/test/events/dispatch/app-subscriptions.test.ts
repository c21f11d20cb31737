import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import type { AdminSubscription } from "@parley/contract";
import { statement } from "@parley/database";
import { verifyWebhook } from "@parley/egress";
import { SERVICE_SCHEMA } from "../../../src/index.ts";
import { adminHarness, type AdminHarness } from "../../operations/administration/endpoints/admin-harness.ts";
import { conversationFixture, firstChannelId } from "../../messaging/conversations/conversation-fixture.ts";
import { serviceHarness } from "../../service-harness.ts";
import { waitUntil } from "../../../../../test/support/wait-until.ts";
import { APP_SECRET, installedApp } from "./app-subscription-fixture.ts";
import { SHORT_DELAYS } from "./dispatch-harness.ts";
import { subscriptionsApplied } from "./subscriptions-applied.ts";
import { messageTextOf, ofKind, receiver, type FakeSubscriber } from "./fake-subscriber.ts";

/** Longer than any test. @units milliseconds */
const HOST_WAIT_MS = 600_000;

let w: AdminHarness;
let channel: string;
const hosts: FakeSubscriber[] = [];
beforeAll(async () => {
  w = await adminHarness({ dispatchRules: { ...SHORT_DELAYS, hostWaitMs: [HOST_WAIT_MS, HOST_WAIT_MS] } });
  channel = await firstChannelId(w);
});
afterAll(() => w.close());
afterEach(async () => {
  const pool = w.database.pool(SERVICE_SCHEMA, { max: 1 });
  await pool.rows(statement("", "delete from subscriptions"), []);
  await pool.end();
  await Promise.all(hosts.splice(0).map((host) => host.close()));
});
const host = async (): Promise<FakeSubscriber> => {
  const made = await receiver();
  hosts.push(made);
  return made;
};
const subscriptions = async () =>
  (await w.adminRequest<{ subscriptions: AdminSubscription[] }>("GET", "/admin/accounts/acme/subscriptions")).body
    .subscriptions;
const textsOf = ({ accepted }: FakeSubscriber) => ofKind(accepted, "message_create").map(messageTextOf);

describe("the subscription of an installed app", () => {
  test("PUT /admin/accounts/{account}/app-subscriptions/{app} 200 subscribes it: events arrive signed with the secret of the request", async () => {
    const platform = await host();
    const app = installedApp(w, { url: platform.url });
    const { code, body } = await app.put();
    expect([code, body]).toEqual([
      200,
      {
        id: expect.any(String),
        account: "acme",
        app: "concierge",
        url: platform.url,
        events: null,
        state: "on",
        to_come: 0,
        missed: 0,
      },
    ]);
    expect(JSON.stringify(body)).not.toContain("whsec");
    await conversationFixture(w, channel);
    await platform.until(({ accepted }) => accepted.length === 3);
    const nowSeconds = Date.now() / 1_000;
    for (const { headers, body: text } of platform.received)
      expect(verifyWebhook({ headers, body: text, secret: APP_SECRET, nowSeconds })).toBe(true);
    expect(await subscriptions()).toMatchObject([{ name: "app concierge", kind: "app", state: "on" }]);
  });

  test("receives the kinds of events that it names, and no other waits for it", async () => {
    const [some, none] = [await host(), await host()];
    const [one, other] = [
      installedApp(w, { url: some.url, app: "one" }),
      installedApp(w, { url: none.url, app: "other" }),
    ];
    await one.put({ events: ["message_create", "message_create"] });
    await other.put({ events: [] });
    const { sendMessage, conversationId } = await conversationFixture(w, channel);
    await sendMessage("second");
    await w.client.conversations.updateConversation({
      params: { conversation_id: conversationId },
      body: { status: "resolved" },
    });
    await some.until(({ accepted }) => accepted.length === 3);
    await waitUntil(async () => (await one.state()).to_come + (await other.state()).to_come === 0);
    expect([textsOf(some), some.received.length, none.received.length]).toEqual([
      ["first", "second", "The conversation was resolved."],
      3,
      0,
    ]);
    expect((await one.state()).events).toEqual(["message_create"]);
    // While it is paused, which each process applies within a second, only events that it wants wait.
    await one.put({ paused: true });
    await subscriptionsApplied(w);
    await conversationFixture(w, channel);
    await waitUntil(async () => (await one.state()).to_come === 1);
    expect(await w.admin.pendingEvents({ account: "acme", name: "app one" })).toBe(1);
    expect(some.received).toHaveLength(3);
  });

  test("keeps its id and position when its address, secret and events change, which every process applies within a second", async () => {
    const [before, after] = [await host(), await host()];
    const second = await serviceHarness({
      database: w.database,
      objectsFolder: w.objectsFolder,
      dispatchRules: SHORT_DELAYS,
    });
    try {
      const app = installedApp(w, { url: before.url });
      const { id } = await app.state();
      const { sendMessage } = await conversationFixture(w, channel);
      await before.until(({ accepted }) => accepted.length === 3);
      const secret = `whsec_${Buffer.alloc(32, 8).toString("base64")}`;
      const changed = await app.put({ url: after.url, secret, events: ["message_create", "conversation_create"] });
      expect(changed.body).toMatchObject({ id, events: ["message_create", "conversation_create"] });
      await subscriptionsApplied(w);
      // Conversations are in partitions of both processes.
      await Promise.all([sendMessage("more"), ...Array.from({ length: 20 }, () => conversationFixture(w, channel))]);
      await after.until(({ accepted }) => accepted.length === 41);
      const nowSeconds = Date.now() / 1_000;
      expect(after.received.every(({ headers, body }) => verifyWebhook({ headers, body, secret, nowSeconds }))).toBe(
        true,
      );
      expect([before.received.length, after.received.length]).toEqual([3, 41]);
    } finally {
      await second.close();
    }
  });

  test("continues at a new address when the old one is unreachable, without the wait before another attempt", async () => {
    const [gone, present] = [await host(), await host()];
    await gone.close();
    const app = installedApp(w, { url: gone.url });
    await app.put();
    await conversationFixture(w, channel);
    await waitUntil(() => w.logLines.some((line) => line.includes("events: app concierge: deliveries wait")));
    await app.put({ url: present.url });
    await present.until(({ accepted }) => accepted.length === 3);
  });

  test("is one subscription, however many requests create it at the same time", async () => {
    const platform = await host();
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => installedApp(w, { url: platform.url }).put({ events: ["user_create"] })),
    );
    expect(new Set(replies.map(({ code, body }) => `${code} ${body.id}`)).size).toBe(1);
    expect(await subscriptions()).toHaveLength(1);
  });

  test("DELETE /admin/accounts/{account}/app-subscriptions/{app} 200 ends it: later events are not delivered", async () => {
    const platform = await host();
    const app = installedApp(w, { url: platform.url });
    const { id } = await app.state();
    const { sendMessage } = await conversationFixture(w, channel);
    await platform.until(({ accepted }) => accepted.length === 3);
    const { code, body } = await app.remove();
    expect([code, body]).toEqual([200, expect.objectContaining({ id, app: "concierge", state: "on" })]);
    expect(await subscriptions()).toEqual([]);
    await subscriptionsApplied(w);
    await sendMessage("late");
    await subscriptionsApplied(w);
    expect(platform.received).toHaveLength(3);
    expect((await app.remove()).body.status).toBe("SUBSCRIPTION_NOT_FOUND");
  });

  test("remains when a start removes the app hosts that it does not have, which are removed", async () => {
    const platform = await host();
    await installedApp(w, { url: platform.url }).put();
    for (const name of ["app-host", "app-host-2"])
      await w.admin.subscribe({ account: "acme", name, kind: "app", url: platform.url });
    await w.admin.keepOnly({ account: "acme", kind: "app", names: ["app-host"] });
    expect((await subscriptions()).map(({ name }) => name).sort()).toEqual(["app concierge", "app-host"]);
  });
});

describe("a refused request", () => {
  const PATH = "/admin/accounts/acme/app-subscriptions/concierge";
  const body = { url: "http://127.0.0.1:9/", secret: APP_SECRET, events: null, paused: false };
  const INVALID: [string, object][] = [
    ["an address that is not a URL", { url: "platform" }],
    ["an address of another scheme", { url: "ftp://127.0.0.1/" }],
    ["an address with a password", { url: "http://a:b@127.0.0.1/" }],
    ["a private address", { url: "http://10.0.0.7:10001/" }],
    ["an address of cloud metadata", { url: "http://169.254.169.254/" }],
    ["a secret of another form", { secret: "secret" }],
    ["an unknown kind of event", { events: ["message_create", "message_read"] }],
    ["a kind that webhooks only receive", { events: ["outbound_message_update"] }],
    ["a name of an object's own members", { events: ["toString"] }],
    ["no state", { paused: undefined }],
  ];
  test.each(INVALID)("with %s is answered with 400, names the member and changes nothing", async (_, change) => {
    const { code, body: reply } = await w.adminRequest("PUT", PATH, { ...body, ...change });
    expect([code, reply.message]).toEqual([400, expect.stringContaining(Object.keys(change)[0] ?? "")]);
    expect(await subscriptions()).toEqual([]);
  });

  test.each(["a".repeat(129), "a\u0000b", "a\nb"])("for the app %j is answered with 400", async (app) => {
    const { code } = await installedApp(w, { url: body.url, app }).put();
    expect(code).toBe(400);
    expect((await installedApp(w, { url: body.url, app }).remove()).code).toBe(404);
  });

  test.each([
    ["PUT /admin/accounts/{account}/app-subscriptions/{app} ACCOUNT_NOT_FOUND", "nobody"],
    ["DELETE /admin/accounts/{account}/app-subscriptions/{app} ACCOUNT_NOT_FOUND", "nobody"],
    ["DELETE /admin/accounts/{account}/app-subscriptions/{app} SUBSCRIPTION_NOT_FOUND", "acme"],
  ])("%s", async (title, account) => {
    const [method = "", , status] = title.split(" ");
    const path = `/admin/accounts/${account}/app-subscriptions/concierge`;
    const { code, body: reply } = await w.adminRequest(method, path, method === "PUT" ? body : undefined);
    expect([code, reply.status]).toEqual([404, status]);
  });

  test("PUT /admin/accounts/{account}/app-subscriptions/{app} ACCOUNT_CLOSED for a closed account, whose subscription can be ended", async () => {
    await w.adminRequest("POST", "/admin/accounts", { name: "closing", owner: { email: "owner@closing.example" } });
    const app = installedApp(w, { url: body.url, account: "closing" });
    const { id } = await app.state();
    await w.adminRequest("DELETE", "/admin/accounts/closing");
    const refused = await app.put();
    expect([refused.code, refused.body.status]).toEqual([403, "ACCOUNT_CLOSED"]);
    expect((await app.remove()).body).toMatchObject({ id });
  });
});

test("events reach a platform in a private network at the address in PARLEY_PLATFORM_URL, and nothing else there", async () => {
  const platform = await host();
  const platformUrl = "http://platform:10001";
  const other = await adminHarness({ dispatchRules: SHORT_DELAYS, config: { events: { platformUrl } } });
  try {
    for (const url of ["http://database:10001/", "http://platform:5432/", "https://platform:10001/"])
      expect([url, (await installedApp(other, { url }).put()).code]).toEqual([url, 400]);
    await installedApp(other, { url: platform.url, app: "local" }).put();
    // The name has no address here, which shows that it was attempted.
    expect((await installedApp(other, { url: `${platformUrl}/events` }).put()).code).toBe(200);
    await conversationFixture(other, await firstChannelId(other));
    await waitUntil(() =>
      other.logLines.some((line) => /app concierge: deliveries wait: .*(ENOTFOUND|EAI_AGAIN)/.test(line)),
    );
    await platform.until(({ accepted }) => accepted.length === 3);
  } finally {
    await other.close();
  }
});

test("another port of the platform's host is not the platform", async () => {
  const [platform, local] = [await host(), await host()];
  const config = { events: { platformUrl: new URL(platform.url).origin } };
  const other = await adminHarness({ dispatchRules: SHORT_DELAYS, config });
  try {
    await installedApp(other, { url: platform.url, app: "published" }).put();
    await other.admin.subscribe({ account: "acme", name: "app-host", kind: "app", url: local.url });
    await conversationFixture(other, await firstChannelId(other));
    await Promise.all([platform, local].map((each) => each.until(({ accepted }) => accepted.length === 3)));
    expect([platform.received.length, local.received.length]).toEqual([3, 3]);
  } finally {
    await other.close();
  }
});
