import { beforeAll, expect, jest, test } from "@jest/globals";
import type { World } from "@parley/framework/testing";
import { conciergeWorld, customer } from "./concierge-shared.ts";

/** A customer who doesn't answer, on the real service. */

jest.setTimeout(60_000);

const NUDGE = "Are you still there, Ada? It was about your order, Ada.";
const ENDED = "Resolved. The customer was asked once more, and has not answered for 2 hours.";

let w: World;
let agent: string;
beforeAll(async () => {
  w = await conciergeWorld({
    csat: false,
    follow_up: true,
    nudge_hours: 3,
    nudge_message: "Are you still there, {{user.first_name}}? It was about your order, {{user.first_name}}.",
    resolve_hours: 2,
  });
  const { agents } = await w.api.agents.listAgents({ query: { items_per_page: 100 } });
  agent = agents[0]?.id ?? "";
}, 90_000);

type Customer = Awaited<ReturnType<typeof customer>>;

const answer = async (ada: Customer, text: string, message_type: "normal" | "private" = "normal") => {
  await w.api.messages.createMessage({
    params: { conversation_id: ada.id },
    body: { message_parts: [{ text: { content: text } }], actor_type: "agent", actor_id: agent, message_type },
  });
  await w.settled();
};
const pass = async (time: string) => {
  await w.clock.advance(time);
  await w.settled();
};
const nudges = async (ada: Customer) => (await ada.hears()).filter((text) => text === NUDGE).length;
const looks = async ({ id }: Customer) =>
  (await w.invocations({ event: "onScheduledEvent" })).filter(({ payload }) => JSON.stringify(payload).includes(id));

test("a customer who doesn't answer an agent is asked once, and then the conversation is resolved", async () => {
  const ada = await customer(w);
  await answer(ada, "Which order?");
  await pass("2h59m");
  expect(await nudges(ada)).toBe(0);
  await pass("1m");
  expect(await nudges(ada)).toBe(1);
  await pass("1h59m");
  expect(await ada.conversation()).toMatchObject({ status: "new" });
  expect(await ada.notes()).toEqual([]);
  await pass("1m");
  expect(await ada.conversation()).toMatchObject({ status: "resolved" });
  expect(await ada.notes()).toEqual([ENDED]);
  expect(await looks(ada)).toHaveLength(2);

  const before = await ada.messages();
  for (const { event, payload } of await looks(ada)) await w.event(event, payload as Record<string, unknown>);
  await pass("1d");
  expect(await ada.messages()).toEqual(before);
});

test("who waits for the business is not asked, nor is who answers in time", async () => {
  const waiting = await customer(w);
  await answer(waiting, "For colleagues only", "private");
  const answering = await customer(w);
  await answer(answering, "Which order?");
  await pass("2h");
  await answering.says("The last one");
  await pass("2d");
  for (const one of [waiting, answering]) {
    expect(await nudges(one)).toBe(0);
    expect(await one.conversation()).toMatchObject({ status: "new" });
  }
});

test("an agent's further words put the question off, and an answer to it begins anew", async () => {
  const ada = await customer(w);
  await answer(ada, "Which order?");
  await pass("2h");
  await answer(ada, "The number stands on the bill.");
  await pass("2h");
  expect(await nudges(ada)).toBe(0);
  await pass("1h");
  expect(await nudges(ada)).toBe(1);
  await ada.says("Yes");
  await answer(ada, "Fine. Which order?");
  await pass("2h");
  expect(await ada.conversation()).toMatchObject({ status: "new" });
  await pass("1h");
  expect(await nudges(ada)).toBe(2);
});

test("a look that comes too early, or twice at once, does no harm", async () => {
  const ada = await customer(w);
  await answer(ada, "Which order?");
  const early = { data: { kind: "idle", conversation_id: ada.id } };
  await w.event("onScheduledEvent", early);
  expect(await nudges(ada)).toBe(0);
  await pass("3h");
  await Promise.all([w.event("onScheduledEvent", early), w.event("onScheduledEvent", early)]);
  expect(await nudges(ada)).toBe(1);
  await pass("2h");
  expect(await ada.notes()).toEqual([ENDED]);
});

test("a conversation that is resolved meanwhile is left alone", async () => {
  const ada = await customer(w);
  await answer(ada, "Done!");
  await ada.change({ status: "resolved" });
  await answer(ada, "Good bye");
  await pass("2d");
  expect(await nudges(ada)).toBe(0);
  expect(await ada.notes()).toEqual([]);
});

test("a service that fails meanwhile is asked again", async () => {
  const ada = await customer(w);
  await answer(ada, "Which order?");
  await w.fault({ target: "app", kind: "status", status: 503, times: 2 });
  await pass("3h");
  await pass("10m");
  expect(await nudges(ada)).toBe(1);
  await pass("2h");
  expect(await ada.notes()).toEqual([ENDED]);
});
