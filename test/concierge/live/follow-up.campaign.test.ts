import { beforeAll, expect, test } from "@jest/globals";
import type { World } from "@parley/framework/testing";
import { conciergeHarness, createCustomer } from "./harness.ts";

/** A customer who doesn't answer, on the real service. */

const NUDGE = "Are you still there, Ada? It was about your order, Ada.";
const ENDED = "Resolved. The customer was asked once more, and has not answered for 2 hours.";

let w: World;
let agent: string;
beforeAll(async () => {
  w = await conciergeHarness({
    csat: false,
    follow_up: true,
    nudge_hours: 3,
    nudge_message: "Are you still there, {{user.first_name}}? It was about your order, {{user.first_name}}.",
    resolve_hours: 2,
  });
  const { agents } = await w.api.agents.listAgents({ query: { items_per_page: 100 } });
  agent = agents[0]?.id ?? "";
});

type Customer = Awaited<ReturnType<typeof createCustomer>>;

const writeAsAgent = async (ada: Customer, text: string, message_type: "normal" | "private" = "normal") => {
  await w.api.messages.createMessage({
    params: { conversation_id: ada.id },
    body: { message_parts: [{ text: { content: text } }], actor_type: "agent", actor_id: agent, message_type },
  });
  await w.settled();
};
const advanceClock = async (time: string) => {
  await w.clock.advance(time);
  await w.settled();
};
const countNudges = async (ada: Customer) => (await ada.botTexts()).filter((text) => text === NUDGE).length;
const checksOf = async ({ id }: Customer) =>
  (await w.invocations({ event: "onScheduledEvent" })).filter(({ payload }) => JSON.stringify(payload).includes(id));

test("a customer who doesn't answer an agent is asked once, and then the conversation is resolved", async () => {
  const ada = await createCustomer(w);
  await writeAsAgent(ada, "Which order?");
  await advanceClock("2h59m");
  expect(await countNudges(ada)).toBe(0);
  await advanceClock("1m");
  expect(await countNudges(ada)).toBe(1);
  await advanceClock("1h59m");
  expect(await ada.conversation()).toMatchObject({ status: "new" });
  expect(await ada.notes()).toEqual([]);
  await advanceClock("1m");
  expect(await ada.conversation()).toMatchObject({ status: "resolved" });
  expect(await ada.notes()).toEqual([ENDED]);
  expect(await checksOf(ada)).toHaveLength(2);

  const before = await ada.messages();
  for (const { event, payload } of await checksOf(ada)) await w.event(event, payload as Record<string, unknown>);
  await advanceClock("1d");
  expect(await ada.messages()).toEqual(before);
});

test("a customer who waits for the business or answers in time is not asked", async () => {
  const waiting = await createCustomer(w);
  await writeAsAgent(waiting, "For colleagues only", "private");
  const answering = await createCustomer(w);
  await writeAsAgent(answering, "Which order?");
  await advanceClock("2h");
  await answering.write("The last one");
  await advanceClock("2d");
  for (const one of [waiting, answering]) {
    expect(await countNudges(one)).toBe(0);
    expect(await one.conversation()).toMatchObject({ status: "new" });
  }
});

test("an agent's further message postpones the follow-up, and the customer's answer restarts it", async () => {
  const ada = await createCustomer(w);
  await writeAsAgent(ada, "Which order?");
  await advanceClock("2h");
  await writeAsAgent(ada, "The number stands on the bill.");
  await advanceClock("2h");
  expect(await countNudges(ada)).toBe(0);
  await advanceClock("1h");
  expect(await countNudges(ada)).toBe(1);
  await ada.write("Yes");
  await writeAsAgent(ada, "Fine. Which order?");
  await advanceClock("2h");
  expect(await ada.conversation()).toMatchObject({ status: "new" });
  await advanceClock("1h");
  expect(await countNudges(ada)).toBe(2);
});

test("an early or concurrent check has no effect", async () => {
  const ada = await createCustomer(w);
  await writeAsAgent(ada, "Which order?");
  const early = { data: { kind: "idle", conversation_id: ada.id } };
  await w.event("onScheduledEvent", early);
  expect(await countNudges(ada)).toBe(0);
  await advanceClock("3h");
  await Promise.all([w.event("onScheduledEvent", early), w.event("onScheduledEvent", early)]);
  expect(await countNudges(ada)).toBe(1);
  await advanceClock("2h");
  expect(await ada.notes()).toEqual([ENDED]);
});

test("a conversation that was resolved meanwhile gets no follow-up", async () => {
  const ada = await createCustomer(w);
  await writeAsAgent(ada, "Done!");
  await ada.change({ status: "resolved" });
  await writeAsAgent(ada, "Good bye");
  await advanceClock("2d");
  expect(await countNudges(ada)).toBe(0);
  expect(await ada.notes()).toEqual([]);
});

test("the follow-up is retried after a failure of the service", async () => {
  const ada = await createCustomer(w);
  await writeAsAgent(ada, "Which order?");
  await w.fault({ target: "app", kind: "status", status: 503, times: 2 });
  await advanceClock("3h");
  await advanceClock("10m");
  expect(await countNudges(ada)).toBe(1);
  await advanceClock("2h");
  expect(await ada.notes()).toEqual([ENDED]);
});
