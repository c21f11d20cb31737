import { setTimeout as wait } from "node:timers/promises";
import { beforeAll, beforeEach, expect, jest, test } from "@jest/globals";
import { OUTSIDE_HOST, OUTSIDE_URL } from "./concierge-outside.ts";
import { conciergeWorld, customer } from "./concierge-shared.ts";

/** Requests to the admin's own system, through the real service and the app host. */

jest.setTimeout(60_000);

const SECRET = "canary-of-the-other-system";
type Body = Readonly<Record<string, unknown>> & { readonly event: string; readonly id: string };

let w: Awaited<ReturnType<typeof conciergeWorld>>;
beforeAll(async () => {
  w = await conciergeWorld({ sync_out: true, sync_url: OUTSIDE_URL, sync_secret: SECRET });
}, 90_000);
beforeEach(() => w.outside.reset());

const told = (event?: string): readonly Body[] =>
  w.outside.told
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

test("new and changed customers are told, signed in a header, and the secret is nowhere else", async () => {
  const ada = await newUser("Ada");
  await w.api.users.updateUser({ params: { user_id: ada.id }, body: { phone: "+12025550101" } });
  await w.settled();
  const [created, updated, ...more] = w.outside.told;
  expect(more).toEqual([]);
  expect(created).toMatchObject({
    method: "POST",
    path: "/hooks/concierge",
    headers: {
      "content-type": "application/json",
      authorization: `Basic ${Buffer.from(`concierge:${SECRET}`).toString("base64")}`,
    },
  });
  const [first, second] = told();
  expect(first).toMatchObject({ event: "user.created", user: { id: ada.id, email: "ada@example.com" } });
  expect(first?.["user"]).not.toHaveProperty("restore_id");
  expect(first?.id).toBe(created?.headers["x-concierge-id"]);
  expect(second).toMatchObject({
    event: "user.updated",
    time: expect.stringMatching(/^2026-01-05T09:00:00/),
    changes: { phone: [null, "+12025550101"] },
  });
  expect(second?.id).toBe(updated?.headers["x-concierge-id"]);
  const kept = JSON.stringify(await w.invocations());
  expect(kept).not.toContain(SECRET);
  expect(kept).not.toContain(Buffer.from(`concierge:${SECRET}`).toString("base64"));
  expect(created?.body).not.toContain(SECRET);
});

test("who only says how it went ends nothing anew: the conversation is told as resolved once, and the rating", async () => {
  const eve = await customer(w, { user: { first_name: "Eve" } });
  await eve.change({ status: "resolved" });
  await eve.says("5");
  expect((await eve.conversation()).status).toBe("resolved");
  expect(told("conversation.resolved")).toHaveLength(1);
  expect(told("conversation.rated")).toMatchObject([{ rating: { points: 5 } }]);
});

test("a resolved conversation is told once, each time that it is resolved, and stands in the journal", async () => {
  const ben = await customer(w, { user: { first_name: "Ben" } });
  await ben.change({ status: "resolved" });
  await ben.change({ status: "reopened" });
  await ben.change({ status: "resolved" });
  const both = told("conversation.resolved");
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
  expect(told("conversation.resolved")).toHaveLength(2);
});

test("a rating is told with its points", async () => {
  const cleo = await customer(w, { user: { first_name: "Cleo" } });
  await cleo.change({ status: "resolved" });
  await cleo.says("5");
  expect(told("conversation.rated")).toMatchObject([
    { conversation: { conversation_id: cleo.id }, user: { id: cleo.user_id }, rating: { points: 5 } },
  ]);
});

test("a system that fails is told later, once, with the same id", async () => {
  w.outside.answers(503, 2);
  const dan = await newUser("Dan");
  expect(told()).toEqual([]);
  await w.clock.advance("1m");
  await w.settled();
  expect(told()).toEqual([]);
  await w.clock.advance("2m");
  await w.settled();
  expect(told()).toMatchObject([{ event: "user.created", user: { id: dan.id } }]);
  const ids = w.outside.told.map(({ headers }) => headers["x-concierge-id"]);
  expect(ids).toHaveLength(3);
  expect(new Set(ids).size).toBe(1);
  expect(await lines()).toContain(
    "warn: Put off for 60 s: sync-out. The other system does not take it at the moment. The outside system fails (503).",
  );
});

test.each([
  [401, "The outside address refuses the secret (401): save the right one on the installation page."],
  [410, "The outside address is not there (410)."],
  [422, "The outside address refuses what it is told (422)."],
  [301, "The outside address leads elsewhere (301): give the new one."],
])("an answer of %d is a line that an admin understands, and is tried again", async (status, line) => {
  w.outside.answers(status, 1);
  const eve = await newUser(`Eve${status}`);
  expect(await lines()).toContain(line);
  w.outside.reset();
  await w.clock.advance("1m");
  await w.settled();
  expect(told()).toMatchObject([{ user: { id: eve.id } }]);
});

test("a slow system takes no more than the handler's bound", async () => {
  await w.fault({ target: "app", host: OUTSIDE_HOST, kind: "latency", milliseconds: 4_000, times: 1 });
  const finn = await newUser("Finn");
  const handler = (await w.invocations({ event: "onUserCreate" })).find(({ payload }) =>
    JSON.stringify(payload).includes(finn.id),
  );
  expect(handler?.ms).toBeLessThan(4_000);
  expect(await lines()).toContain("The outside system took more than 1600 ms to answer.");
  await w.clock.advance("1m");
  await w.settled();
  // A request that timed out was received as well: the receiver recognizes the duplicate by its id.
  while (w.outside.told.length < 2) await wait(20);
  expect(told()).toMatchObject([{ user: { id: finn.id } }, { id: told()[0]?.id }]);
});

test("the form of the admin's own is posted, and only what was chosen; an empty secret is an empty password", async () => {
  await w.uninstall();
  await w.install({
    sync_out: true,
    sync_url: `${OUTSIDE_URL}?team=7`,
    sync_events: ["New customers"],
    sync_body: '{"what": "{{event.name}}", "who": ["{{user.first_name}}", 7], "key": "{{event.id}}"}',
  });
  const user = await newUser('Gus","admin":"yes');
  await w.api.users.updateUser({ params: { user_id: user.id }, body: { last_name: "G" } });
  await w.settled();
  const [only, ...more] = w.outside.told;
  expect(more).toEqual([]);
  expect(only?.path).toBe("/hooks/concierge?team=7");
  expect(only?.headers.authorization).toBe(`Basic ${Buffer.from("concierge:").toString("base64")}`);
  expect(JSON.parse(only?.body ?? "")).toEqual({
    what: "user.created",
    who: ['Gus","admin":"yes', 7],
    key: only?.headers["x-concierge-id"],
  });
});
