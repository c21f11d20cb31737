import { setTimeout as wait } from "node:timers/promises";
import { beforeAll, beforeEach, expect, test } from "@jest/globals";
import { EXTERNAL_SYSTEM_HOST, EXTERNAL_SYSTEM_URL } from "./fake-external-system.ts";
import { conciergeHarness, createCustomer } from "./harness.ts";

/** Requests to the admin's own system, through the real service and the app host. */

const SECRET = "canary-of-the-other-system";
type Body = Readonly<Record<string, unknown>> & { readonly event: string; readonly id: string };

let w: Awaited<ReturnType<typeof conciergeHarness>>;
beforeAll(async () => {
  w = await conciergeHarness({ sync_out: true, sync_url: EXTERNAL_SYSTEM_URL, sync_secret: SECRET });
});
beforeEach(() => w.externalSystem.reset());

const sentMessages = (event?: string): readonly Body[] =>
  w.externalSystem.requests
    .filter(({ status }) => status < 400)
    .map(({ body }) => JSON.parse(body) as Body)
    .filter((one) => event === undefined || one.event === event);
const newUser = async (first_name: string) => {
  const user = await w.api.users.createUser({ body: { first_name, email: `${first_name}@example.com`.toLowerCase() } });
  await w.settled();
  return user;
};
const lines = async () =>
  (await w.invocations()).flatMap((one) => one.lines.map(({ level, text }) => `${level}: ${text}`)).join("\n");

test("new and changed customers are sent with the secret in a header, and only there", async () => {
  const ada = await newUser("Ada");
  await w.api.users.updateUser({ params: { user_id: ada.id }, body: { phone: "+12025550101" } });
  await w.settled();
  const [created, updated, ...more] = w.externalSystem.requests;
  expect(more).toEqual([]);
  expect(created).toMatchObject({
    method: "POST",
    path: "/hooks/concierge",
    headers: {
      "content-type": "application/json",
      authorization: `Basic ${Buffer.from(`concierge:${SECRET}`).toString("base64")}`,
    },
  });
  const [first, second] = sentMessages();
  expect(first).toMatchObject({ event: "user.created", user: { id: ada.id, email: "ada@example.com" } });
  expect(first?.["user"]).not.toHaveProperty("restore_id");
  expect(first?.id).toBe(created?.headers["x-concierge-id"]);
  expect(second).toMatchObject({
    event: "user.updated",
    time: expect.stringMatching(/^2026-01-05T09:00:00/),
    changes: { phone: [null, "+12025550101"] },
  });
  expect(second?.id).toBe(updated?.headers["x-concierge-id"]);
  const invocations = JSON.stringify(await w.invocations());
  expect(invocations).not.toContain(SECRET);
  expect(invocations).not.toContain(Buffer.from(`concierge:${SECRET}`).toString("base64"));
  expect(created?.body).not.toContain(SECRET);
});

test("a rating click sends the rating and no second resolution", async () => {
  const eve = await createCustomer(w, { user: { first_name: "Eve" } });
  await eve.change({ status: "resolved" });
  await eve.write("5");
  expect((await eve.conversation()).status).toBe("resolved");
  expect(sentMessages("conversation.resolved")).toHaveLength(1);
  expect(sentMessages("conversation.rated")).toMatchObject([{ rating: { points: 5 } }]);
});

test("each resolution of a conversation is sent once and recorded in the decision log", async () => {
  const ben = await createCustomer(w, { user: { first_name: "Ben" } });
  await ben.change({ status: "resolved" });
  await ben.change({ status: "reopened" });
  await ben.change({ status: "resolved" });
  const both = sentMessages("conversation.resolved");
  expect(both).toMatchObject([
    { conversation: { conversation_id: ben.id, status: "resolved" }, user: { id: ben.user_id } },
    { conversation: { conversation_id: ben.id } },
  ]);
  expect(both[0]?.["conversation"]).not.toHaveProperty("messages");
  expect(new Set(both.map(({ id }) => id)).size).toBe(2);
  const events = await w.invocations({ event: "onConversationUpdate" });
  const again = events.filter(({ payload }) => JSON.stringify(payload).includes(ben.id));
  await Promise.all(
    [...again, ...again].map(({ payload }) => w.event("onConversationUpdate", payload as Record<string, unknown>)),
  );
  await w.clock.advance("5m");
  await w.settled();
  expect(sentMessages("conversation.resolved")).toHaveLength(2);
});

test("a rating is sent with its points", async () => {
  const cleo = await createCustomer(w, { user: { first_name: "Cleo" } });
  await cleo.change({ status: "resolved" });
  await cleo.write("5");
  expect(sentMessages("conversation.rated")).toMatchObject([
    { conversation: { conversation_id: cleo.id }, user: { id: cleo.user_id }, rating: { points: 5 } },
  ]);
});

test("a failed request is retried with the same id and succeeds once", async () => {
  w.externalSystem.respondWith(503, 2);
  const dan = await newUser("Dan");
  expect(sentMessages()).toEqual([]);
  await w.clock.advance("1m");
  await w.settled();
  expect(sentMessages()).toEqual([]);
  await w.clock.advance("2m");
  await w.settled();
  expect(sentMessages()).toMatchObject([{ event: "user.created", user: { id: dan.id } }]);
  const ids = w.externalSystem.requests.map(({ headers }) => headers["x-concierge-id"]);
  expect(ids).toHaveLength(3);
  expect(new Set(ids).size).toBe(1);
  expect(await lines()).toContain(
    "warn: Outgoing sync postponed by 1 min: the other system did not accept the request. The other system failed (503).",
  );
});

test.each([
  [401, "The other system rejected the secret (401). Save the correct one on the installation page."],
  [410, "The address of the other system does not exist (410). Correct it on the installation page."],
  [422, "The other system refused the request (422)."],
  [301, "The address of the other system redirects (301). Save the new address on the installation page."],
])("a response of %d is logged with its reason, and retried", async (status, line) => {
  w.externalSystem.respondWith(status, 1);
  const eve = await newUser(`Eve${status}`);
  expect(await lines()).toContain(line);
  w.externalSystem.reset();
  await w.clock.advance("1m");
  await w.settled();
  expect(sentMessages()).toMatchObject([{ user: { id: eve.id } }]);
});

test("a slow system is limited to the handler's time", async () => {
  await w.fault({ target: "app", host: EXTERNAL_SYSTEM_HOST, kind: "latency", milliseconds: 4_000, times: 1 });
  const finn = await newUser("Finn");
  const handler = (await w.invocations({ event: "onUserCreate" })).find(({ payload }) =>
    JSON.stringify(payload).includes(finn.id),
  );
  expect(handler?.ms).toBeLessThan(4_000);
  expect(await lines()).toContain("The other system took more than 1600 ms to answer.");
  await w.clock.advance("1m");
  await w.settled();
  // A request that timed out was received as well: the receiver recognizes the duplicate by its id.
  while (w.externalSystem.requests.length < 2) await wait(20);
  expect(sentMessages()).toMatchObject([{ user: { id: finn.id } }, { id: sentMessages()[0]?.id }]);
});

test("the admin's template is posted for the chosen events only, and an empty secret is an empty password", async () => {
  await w.uninstall();
  await w.install({
    sync_out: true,
    sync_url: `${EXTERNAL_SYSTEM_URL}?team=7`,
    sync_events: ["New customers"],
    sync_body: '{"what": "{{event.name}}", "who": ["{{user.first_name}}", 7], "key": "{{event.id}}"}',
  });
  const user = await newUser('Gus","admin":"yes');
  await w.api.users.updateUser({ params: { user_id: user.id }, body: { last_name: "G" } });
  await w.settled();
  const [only, ...more] = w.externalSystem.requests;
  expect(more).toEqual([]);
  expect(only?.path).toBe("/hooks/concierge?team=7");
  expect(only?.headers.authorization).toBe(`Basic ${Buffer.from("concierge:").toString("base64")}`);
  expect(JSON.parse(only?.body ?? "")).toEqual({
    what: "user.created",
    who: ['Gus","admin":"yes', 7],
    key: only?.headers["x-concierge-id"],
  });
});
