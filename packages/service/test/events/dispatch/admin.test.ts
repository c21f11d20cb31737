import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { statement } from "@parley/database";
import { DISPATCH_RULES, SERVICE_SCHEMA } from "../../../src/index.ts";
import { jumpingClock, dispatchHarness, SHORT_DELAYS, type DispatchHarness } from "./dispatch-harness.ts";
import { receiver } from "./fake-subscriber.ts";
import { firstChannelId, conversationFixture } from "../../messaging/conversations/conversation-fixture.ts";
import { waitUntil } from "../../../../../test/support/wait-until.ts";

const DAY_MS = 86_400_000;
const clock = jumpingClock();
let w: DispatchHarness;
let channel: string;
beforeAll(async () => {
  w = await dispatchHarness({ ports: clock.ports, dispatchRules: { ...SHORT_DELAYS, retentionDays: 30 } });
  channel = await firstChannelId(w);
});
afterAll(() => w.close());

interface Page {
  readonly deliveries: readonly { readonly event_id: string }[];
  readonly next_before?: string;
}
const UNKNOWN_ID = "01890000-0000-7000-8000-000000000001";

describe("GET /admin/accounts/{account}/subscriptions 200", () => {
  test("lists the subscribers of an account, including app hosts, with their pending events", async () => {
    const webhook = await w.subscribe();
    const host = await receiver();
    await w.admin.subscribe({ account: "acme", name: "app-host", kind: "app", url: host.url });
    await conversationFixture(w, channel);
    await webhook.endpoint.until(({ acceptedTexts }) => acceptedTexts().length === 1);
    await host.until(({ accepted }) => accepted.length === 3);
    await webhook.untilCompleted();
    const { body } = await w.adminRequest<{ subscriptions: object[] }>("GET", "/admin/accounts/acme/subscriptions");
    expect(body.subscriptions).toContainEqual(
      expect.objectContaining({
        id: webhook.id,
        kind: "webhook",
        url: webhook.endpoint.url,
        actions: ["message_create"],
        state: "on",
        to_come: 0,
        waiting: 0,
        aside: 0,
        dead: 0,
        missed: 0,
      }),
    );
    expect(body.subscriptions).toContainEqual(expect.objectContaining({ name: "app-host", kind: "app" }));
    expect(JSON.stringify(body)).not.toMatch(/secret|whsec/);
    await w.admin.keepOnly({ account: "acme", kind: "app", names: [] });
    await host.close();
  });
});

describe("GET /admin/accounts/{account}/subscriptions/{subscription_id}/deliveries 200", () => {
  test("lists the latest deliveries in pages, newest first", async () => {
    const webhook = await w.subscribe();
    const { sendMessage, conversationId } = await conversationFixture(w, channel);
    for (const text of ["1", "2", "3", "4"]) await sendMessage(text);
    await webhook.endpoint.until(({ acceptedTexts }) => acceptedTexts().length === 5);
    await waitUntil(async () => (await webhook.deliveries()).length === 5);
    const path = `/admin/accounts/acme/subscriptions/${webhook.id}/deliveries`;
    const ids: string[] = [];
    for (let before: string | undefined = "999999999999"; before;) {
      const page: Page = (await w.adminRequest<Page>("GET", `${path}?limit=2&before=${before}`)).body;
      ids.push(...page.deliveries.map(({ event_id }) => event_id));
      before = page.next_before;
    }
    const deliveredIds = webhook.endpoint.accepted.map(({ id }) => id.slice(0, 36));
    expect(ids).toEqual([...deliveredIds].reverse());
    const [last] = await webhook.deliveries("?state=delivered");
    expect(last).toEqual({
      event_id: deliveredIds.at(-1),
      kind: "message_create",
      entity_id: conversationId,
      state: "delivered",
      replay: false,
      tries: 1,
      status: 200,
      milliseconds: expect.any(Number),
      changed_time: expect.any(String),
    });
    expect(await webhook.deliveries("?state=dead")).toEqual([]);
    expect(await webhook.deliveries("?kind=conversation_update")).toEqual([]);
    expect(await webhook.deliveries("?kind=message_create&state=delivered")).toHaveLength(5);
    expect((await webhook.status()).recent).toEqual({ attempted: 5, delivered: 5 });
  });
});

const REFUSED: [string, string, string, object | undefined][] = [
  ["GET /admin/accounts/{account}/subscriptions ACCOUNT_NOT_FOUND", "nobody", "", undefined],
  [
    "GET /admin/accounts/{account}/subscriptions/{subscription_id}/deliveries ACCOUNT_NOT_FOUND",
    "nobody",
    `/${UNKNOWN_ID}/deliveries`,
    undefined,
  ],
  [
    "GET /admin/accounts/{account}/subscriptions/{subscription_id}/deliveries SUBSCRIPTION_NOT_FOUND",
    "acme",
    `/${UNKNOWN_ID}/deliveries`,
    undefined,
  ],
  [
    "GET /admin/accounts/{account}/subscriptions/{subscription_id}/deliveries SUBSCRIPTION_NOT_FOUND for no id",
    "acme",
    "/none/deliveries",
    undefined,
  ],
  [
    "GET /admin/accounts/{account}/subscriptions/{subscription_id}/deliveries/{event_id} ACCOUNT_NOT_FOUND",
    "nobody",
    `/${UNKNOWN_ID}/deliveries/${UNKNOWN_ID}`,
    undefined,
  ],
  [
    "GET /admin/accounts/{account}/subscriptions/{subscription_id}/deliveries/{event_id} SUBSCRIPTION_NOT_FOUND",
    "acme",
    `/${UNKNOWN_ID}/deliveries/${UNKNOWN_ID}`,
    undefined,
  ],
  [
    "POST /admin/accounts/{account}/subscriptions/{subscription_id}/replay ACCOUNT_NOT_FOUND",
    "nobody",
    `/${UNKNOWN_ID}/replay`,
    { failed: true },
  ],
  [
    "POST /admin/accounts/{account}/subscriptions/{subscription_id}/replay SUBSCRIPTION_NOT_FOUND",
    "acme",
    `/${UNKNOWN_ID}/replay`,
    { failed: true },
  ],
];
test.each(REFUSED)("%s", async (title, account, rest, body) => {
  const [method = ""] = title.split(" ", 1);
  expect(await w.adminRequest(method, `/admin/accounts/${account}/subscriptions${rest}`, body)).toMatchObject({
    code: 404,
    body: { status: / (\w+_NOT_FOUND)/.exec(title)?.[1] },
  });
});

describe("after 30 days", () => {
  const OLDEST = statement("", "select count(*)::integer as events from outbox where entity_id = $1");
  const events = async (entity: string) => {
    const pool = w.database.pool(SERVICE_SCHEMA, { max: 1 });
    const row = await pool.one<{ events: number }>(OLDEST, [entity]);
    await pool.end();
    return row?.events;
  };
  test("removes events that every subscriber has got; an undelivered one is kept, unless its subscriber was turned off all the time", async () => {
    const away = await receiver();
    await away.close();
    await w.admin.subscribe({ account: "solo", name: "away", kind: "app", url: away.url });
    const webhook = await w.subscribe();
    const had = await conversationFixture(w, channel);
    await webhook.endpoint.until(({ acceptedTexts }) => acceptedTexts().length === 1);
    const off = await w.subscribe();
    await w.adminRequest("PUT", `/admin/accounts/acme/webhooks/${off.id}`, { state: "off" });
    // The dispatcher reads all subscribers at once: when it sends to a later one, it sends nothing more to the webhook that is off.
    const later = await receiver();
    await w.admin.subscribe({ account: "acme", name: "later", kind: "app", url: later.url });
    await w.client.users.createUser({ body: { first_name: "Later" } });
    await later.until(({ accepted }) => accepted.length === 1);
    const missed = await conversationFixture(w, channel);
    const behind = await w.solo.users.createUser({ body: { first_name: "Behind" } });
    await webhook.endpoint.until(({ acceptedTexts }) => acceptedTexts().length === 2);
    await webhook.untilCompleted();
    await w.admin.keepOnly({ account: "acme", kind: "app", names: [] });
    await later.close();
    clock.advance(31 * DAY_MS);
    // The user, the conversation and its message; and the later user, unless the dispatcher read it before it knew that the webhook is off.
    const MISSED_EVENTS = 3;
    // Events that analytics have not processed yet are kept until the next run: the user's event can be removed later than the conversation's.
    await waitUntil(async () => {
      clock.advance(DISPATCH_RULES.retentionIntervalMs);
      return (await events(missed.conversationId)) === 0 && (await off.status()).missed >= MISSED_EVENTS;
    });
    expect([await events(had.conversationId), await events(missed.conversationId)]).toEqual([0, 0]);
    expect(await events(behind.id)).toBe(1);
    const { state, missed: missedEvents } = await off.status();
    expect(state).toBe("off");
    expect([0, 1]).toContain(missedEvents - MISSED_EVENTS);
    expect(await webhook.status()).toMatchObject({ missed: 0 });
  });
});
