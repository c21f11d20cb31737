import { beforeAll, expect, jest, test } from "@jest/globals";
import type { World } from "@parley/framework/testing";
import { conciergeWorld, customer, groupsOf } from "./concierge-shared.ts";

/** Rules and after-hours messages, through the real service and host. The tests describe one day and depend on their order. */

jest.setTimeout(60_000);

const RULES = `keyword refund and property plan = Pro => group Billing; agent kenji@acme.example; priority Urgent
keyword refund, money back => group Billing; priority High; cf_reason = Return; cf_products = Lamps, Chairs
domain big.example => agent hannah@acme.example; group Sales
keyword broken => group Repairs; priority High; cf_reason = Odd; cf_notes = "broken, again"
topic Returns => group Returns`;

const SETTINGS = {
  rules: RULES,
  after_hours: true,
  hours: "Mon-Fri 09:00-17:00",
  time_zone: "Europe/Berlin",
  queue_group: "Support",
};

let w: World;
let groups: Readonly<Record<string, string>>;
beforeAll(async () => {
  w = await conciergeWorld(SETTINGS);
  groups = await groupsOf(w);
}, 90_000);

const agentOf = async (email: string) =>
  (await w.api.agents.listAgents({ query: { items_per_page: 100 } })).agents.find((agent) => agent.email === email);
const linesOf = async () =>
  (await w.invocations()).flatMap(({ lines }) => lines.map(({ level, text }) => `${level}: ${text}`));

test("the first rule that fits assigns a conversation, and a note says which and why, once", async () => {
  const ada = await customer(w, { says: "I want a REFUND, please." });
  expect(await ada.conversation()).toMatchObject({
    status: "new",
    assigned_group_id: groups["Billing"],
    properties: { priority: "High", cf_reason: "Return", cf_products: ["Lamps", "Chairs"] },
  });
  const note =
    'Routed: group Billing, priority High, cf_reason = Return, cf_products = Lamps, Chairs. Line 2: the message has "refund".';
  expect(await ada.notes()).toEqual([note]);
  await ada.says("It is broken");
  expect(await ada.notes()).toEqual([note]);
  expect(await ada.conversation()).toMatchObject({ assigned_group_id: groups["Billing"] });
});

test("what is known of the customer leads to an agent of the group", async () => {
  const ada = await customer(w, { user: { properties: [{ name: "Plan", value: "pro" }] }, says: "refund?" });
  expect(await ada.conversation()).toMatchObject({
    status: "assigned",
    assigned_group_id: groups["Billing"],
    assigned_agent_id: (await agentOf("kenji@acme.example"))?.id,
    properties: { priority: "Urgent" },
  });
  expect(await ada.notes()).toEqual([
    `Routed: group Billing, agent kenji@acme.example, priority Urgent. Line 1: the message has "refund" and the customer's plan is Pro.`,
  ]);
});

test("an agent outside the rule's group is left out, and the note says so", async () => {
  const ada = await customer(w, { user: { email: "ada@shop.big.example" } });
  expect(await ada.conversation()).toMatchObject({ status: "new", assigned_group_id: groups["Sales"] });
  expect(await ada.notes()).toEqual([
    "Routed: group Sales. Line 3: the customer's e-mail address is at big.example.\nNot done: the agent hannah@acme.example doesn't belong to the group Sales.",
  ]);
});

test("a rule that can be done in part is done in part, and the admin and the agents read what was not", async () => {
  const ada = await customer(w);
  expect(await ada.notes()).toEqual([]);
  await ada.says("My lamp is here.");
  await ada.says("It is broken!");
  const { assigned_group_id, properties } = await ada.conversation();
  expect({ assigned_group_id, properties }).toEqual({
    assigned_group_id: undefined,
    properties: { priority: "High", cf_notes: "broken, again" },
  });
  expect(await ada.notes()).toEqual([
    [
      'Routed: priority High, cf_notes = broken, again. Line 4: the message has "broken".',
      'Not done: the account has no group "Repairs". It has Billing, Returns, Sales, Support.',
      "Not done: the account refuses cf_reason = Odd (INVALID_PROPERTY).",
    ].join("\n"),
  ]);
  expect(await linesOf()).toContain(
    `error: Line 4 of the rules, conversation ${ada.id}: the account has no group "Repairs". It has Billing, Returns, Sales, Support.`,
  );
});

test("what a person or the menu has decided stays", async () => {
  const ada = await customer(w);
  await ada.change({ status: "assigned", assigned_group_id: groups["Support"] ?? "" });
  await ada.says("I want a refund");
  expect(await ada.conversation()).toMatchObject({ assigned_group_id: groups["Support"] });
  const ben = await customer(w, { topic: "Returns", says: "I have a question about a bill" });
  await ben.says("I have a question about a bill");
  expect(await ben.conversation()).toMatchObject({ assigned_group_id: groups["Billing"] });
});

test("within business hours nobody is turned away", async () => {
  const ada = await customer(w);
  expect(await ada.hears()).toEqual(["Hi Ada, this is Concierge. What can we do for you today?"]);
});

const AWAY =
  "We are closed at the moment, and back on Tuesday 6 January at 09:00. You needn't wait here: we will answer.";
const BACK = "Good morning, Ada! We are back, and somebody will be with you soon.";

test("after hours a customer is told once when somebody is back, and is taken up then", async () => {
  await w.clock.set(new Date("2026-01-05T16:00:00Z"));
  const ada = await customer(w);
  const [ben, kim, attended] = [
    await customer(w, { says: "A refund please" }),
    await customer(w, { user: { properties: [{ name: "plan", value: "Pro" }] }, says: "refund" }),
    await customer(w),
  ];
  expect(await ada.hears()).toEqual(["Hi Ada, this is Concierge. What can we do for you today?", AWAY]);
  await ada.says("Is anybody there?");
  expect((await ada.hears()).slice(1)).toEqual([AWAY]);
  expect((await kim.hears()).slice(1)).toEqual([AWAY]);
  const noah = await agentOf("noah@acme.example");
  await attended.change({ status: "assigned", assigned_agent_id: noah?.id ?? "" });

  await w.clock.set(new Date("2026-01-06T07:59:00Z"));
  await w.settled();
  expect((await ada.hears()).slice(1)).toEqual([AWAY]);
  await w.clock.advance("1m");
  await w.settled();
  expect((await ada.hears()).slice(1)).toEqual([AWAY, BACK]);
  expect(await ada.conversation()).toMatchObject({ status: "new", assigned_group_id: groups["Support"] });
  expect(await ada.notes()).toEqual([
    "Taken out of the queue: group Support. The customer has waited since Monday 5 January, 17:00.",
  ]);
  // A group that a rule has assigned is kept.
  expect((await ben.hears()).slice(1)).toEqual([AWAY, BACK]);
  expect(await ben.conversation()).toMatchObject({ assigned_group_id: groups["Billing"] });
  expect((await ben.notes()).at(-1)).toBe(
    "Taken out of the queue. The customer has waited since Monday 5 January, 17:00.",
  );
  // Once an agent is assigned, Concierge writes nothing more.
  for (const one of [kim, attended]) expect((await one.hears()).slice(1)).toEqual([AWAY]);
});

test("the queue keeps to hours that were changed, and to its promise where they were switched off", async () => {
  await w.clock.set(new Date("2026-01-06T20:00:00Z"));
  const ada = await customer(w);
  await w.install({ ...SETTINGS, hours: "Mon-Fri 10:00-17:00", holidays: "2026-01-07 A day off" });
  const ben = await customer(w);
  expect((await ben.hears()).at(-1)).toContain("back on Thursday 8 January at 10:00");
  await w.clock.set(new Date("2026-01-07T12:00:00Z"));
  await w.settled();
  expect((await ada.hears()).at(-1)).toContain("back on Wednesday 7 January at 09:00");
  await w.install({ ...SETTINGS, after_hours: false });
  await w.clock.set(new Date("2026-01-08T09:00:00Z"));
  await w.settled();
  for (const one of [ada, ben]) {
    expect((await one.hears()).filter((text) => text === BACK)).toEqual([BACK]);
    expect(await one.conversation()).toMatchObject({ assigned_group_id: groups["Support"] });
  }
});

test("hours that never open keep nobody waiting, and a line says so", async () => {
  await w.install({ ...SETTINGS, holidays: "2026-01-01 - 2036-01-01 A long rest" });
  const ada = await customer(w);
  expect(await ada.hears()).toHaveLength(1);
  expect(await linesOf()).toContain(
    "error: The business hours never open, so they are not kept: see the settings of the hours.",
  );
});
