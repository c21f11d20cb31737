import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { setTimeout } from "node:timers/promises";
import { inboxHarness, type InboxAgent, type InboxHarness } from "./inbox-harness.ts";

let s: InboxHarness;
let me: InboxAgent;
let other: InboxAgent;
/** Begun before the agents existed. */
let early: string;
beforeAll(async () => {
  s = await inboxHarness();
  early = await s.begin();
  await setTimeout(5);
  me = await s.agent("Global");
  other = await s.agent("Global");
});
afterAll(() => s.close());

test("PUT /console/api/conversations/{conversation_id}/read 200 marks a conversation for the agent alone, until the customer writes again", async () => {
  const id = await s.begin();
  await s.ask(id);
  expect((await s.item(me, id)).unread).toBe(2);
  expect(await s.mark(me, id, true)).toBe(0);
  expect([(await s.item(me, id)).unread, (await s.item(other, id)).unread]).toEqual([0, 2]);
  await s.say(id, { actor_type: "bot" });
  expect((await s.item(me, id)).unread).toBe(0);
  await s.ask(id);
  expect([(await s.item(me, id)).unread, (await s.item(other, id)).unread]).toEqual([1, 3]);
});

test("PUT /console/api/conversations/{conversation_id}/read 200 marks the last message of the customer as unread", async () => {
  const id = await s.begin();
  await s.ask(id);
  await s.mark(me, id, true);
  expect(await s.mark(me, id, false)).toBe(1);
  expect((await s.item(me, id)).unread).toBe(1);
  await s.mark(me, id, true);
  expect((await s.item(me, id)).unread).toBe(0);
});

test("a mark is set any number of times, also at the same time", async () => {
  const id = await s.begin();
  const marks = Array.from({ length: 20 }, () => s.mark(me, id, true));
  expect(await Promise.all(marks)).toEqual(marks.map(() => 0));
  expect((await s.item(me, id)).unread).toBe(0);
});

test("an agent has read what the customer sent before the agent was created, and nothing later", async () => {
  expect((await s.item(me, early)).unread).toBe(0);
  const view = { user: (await s.item(me, early)).customer.id };
  expect((await s.pageOf(me, { ...view, unread: true })).total).toBe(0);
  await s.ask(early);
  await s.ask(early);
  expect((await s.item(me, early)).unread).toBe(2);
  expect((await s.pageOf(me, { ...view, unread: true })).total).toBe(1);
});

test("PUT /console/api/conversations/{conversation_id}/read 404 CONVERSATION_NOT_FOUND for an unknown conversation", async () => {
  for (const id of ["00000000-0000-4000-8000-000000000000", "1", "x"]) {
    const { code, body } = await s.page("PUT", `/console/api/conversations/${id}/read`, {
      session: me.session,
      body: { is_read: true },
    });
    expect([code, body.status]).toEqual([404, "CONVERSATION_NOT_FOUND"]);
  }
});

test.each([{}, { is_read: "yes" }, { is_read: null }])(
  "PUT /console/api/conversations/{conversation_id}/read refuses %j",
  async (body) => {
    const id = await s.begin();
    const reply = await s.page("PUT", `/console/api/conversations/${id}/read`, { session: me.session, body });
    expect(reply.code).toBe(400);
    expect((await s.item(me, id)).unread).toBe(1);
  },
);
