import { beforeAll, expect, test } from "@jest/globals";
import type { World } from "@parley/framework/testing";
import { conciergeHarness, createCustomer, groupsOf } from "./harness.ts";

/** Rules and after-hours messages, through the real service and host. The tests describe one day and depend on their order. */

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
  w = await conciergeHarness(SETTINGS);
  groups = await groupsOf(w);
});

const agentOf = async (email: string) =>
  (await w.api.agents.listAgents({ query: { items_per_page: 100 } })).agents.find((agent) => agent.email === email);
const linesOf = async () =>
  (await w.invocations()).flatMap(({ lines }) => lines.map(({ level, text }) => `${level}: ${text}`));

test("the first matching rule assigns a conversation, and one note states the rule and the reason", async () => {
  const ada = await createCustomer(w, { text: "I want a REFUND, please." });
  expect(await ada.conversation()).toMatchObject({
    status: "new",
    assigned_group_id: groups["Billing"],
    properties: { priority: "High", cf_reason: "Return", cf_products: ["Lamps", "Chairs"] },
  });
  const note =
    'Routed: group Billing, priority High, cf_reason = Return, cf_products = Lamps, Chairs. Line 2: the message has "refund".';
  expect(await ada.notes()).toEqual([note]);
  await ada.write("It is broken");
  expect(await ada.notes()).toEqual([note]);
  expect(await ada.conversation()).toMatchObject({ assigned_group_id: groups["Billing"] });
});

test("a rule about the customer assigns an agent of the group", async () => {
  const ada = await createCustomer(w, { user: { properties: [{ name: "Plan", value: "pro" }] }, text: "refund?" });
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

test("an agent outside the rule's group is not assigned, and the note says so", async () => {
  const ada = await createCustomer(w, { user: { email: "ada@shop.big.example" } });
  expect(await ada.conversation()).toMatchObject({ status: "new", assigned_group_id: groups["Sales"] });
  expect(await ada.notes()).toEqual([
    "Routed: group Sales. Line 3: the customer's e-mail address is at big.example.\nNot done: the agent hannah@acme.example doesn't belong to the group Sales.",
  ]);
});

test("a rule with an impossible action is applied in part, and log and note report the rest", async () => {
  const ada = await createCustomer(w);
  expect(await ada.notes()).toEqual([]);
  await ada.write("My lamp is here.");
  await ada.write("It is broken!");
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
    `error: Line 4 of the routing rules not fully applied to conversation ${ada.id}: the account has no group "Repairs". It has Billing, Returns, Sales, Support. Correct the rule on the installation page.`,
  );
});

test("a decision of a person or the menu is not changed by rules", async () => {
  const ada = await createCustomer(w);
  await ada.change({ status: "assigned", assigned_group_id: groups["Support"] ?? "" });
  await ada.write("I want a refund");
  expect(await ada.conversation()).toMatchObject({ assigned_group_id: groups["Support"] });
  const ben = await createCustomer(w, { topic: "Returns", text: "I have a question about a bill" });
  await ben.write("I have a question about a bill");
  expect(await ben.conversation()).toMatchObject({ assigned_group_id: groups["Billing"] });
});

test("no after-hours message is sent within business hours", async () => {
  const ada = await createCustomer(w);
  expect(await ada.botTexts()).toEqual(["Hi Ada, this is Concierge. What can we do for you today?"]);
});

const AWAY =
  "We are closed at the moment, and back on Tuesday 6 January at 09:00. You needn't wait here: we will answer.";
const BACK = "Good morning, Ada! We are back, and somebody will be with you soon.";

test("after hours a customer gets one message with the opening time, and is assigned then", async () => {
  await w.clock.set(new Date("2026-01-05T16:00:00Z"));
  const ada = await createCustomer(w);
  const [ben, kim, attended] = [
    await createCustomer(w, { text: "A refund please" }),
    await createCustomer(w, { user: { properties: [{ name: "plan", value: "Pro" }] }, text: "refund" }),
    await createCustomer(w),
  ];
  expect(await ada.botTexts()).toEqual(["Hi Ada, this is Concierge. What can we do for you today?", AWAY]);
  await ada.write("Is anybody there?");
  expect((await ada.botTexts()).slice(1)).toEqual([AWAY]);
  expect((await kim.botTexts()).slice(1)).toEqual([AWAY]);
  const noah = await agentOf("noah@acme.example");
  await attended.change({ status: "assigned", assigned_agent_id: noah?.id ?? "" });

  await w.clock.set(new Date("2026-01-06T07:59:00Z"));
  await w.settled();
  expect((await ada.botTexts()).slice(1)).toEqual([AWAY]);
  await w.clock.advance("1m");
  await w.settled();
  expect((await ada.botTexts()).slice(1)).toEqual([AWAY, BACK]);
  expect(await ada.conversation()).toMatchObject({ status: "new", assigned_group_id: groups["Support"] });
  expect(await ada.notes()).toEqual([
    "Taken out of the queue: group Support. The customer has waited since Monday 5 January, 17:00.",
  ]);
  // A group that a rule has assigned is kept.
  expect((await ben.botTexts()).slice(1)).toEqual([AWAY, BACK]);
  expect(await ben.conversation()).toMatchObject({ assigned_group_id: groups["Billing"] });
  expect((await ben.notes()).at(-1)).toBe(
    "Taken out of the queue. The customer has waited since Monday 5 January, 17:00.",
  );
  // Once an agent is assigned, Concierge writes nothing more.
  for (const one of [kim, attended]) expect((await one.botTexts()).slice(1)).toEqual([AWAY]);
});

test("the queue follows changed hours, and is emptied if the feature is switched off", async () => {
  await w.clock.set(new Date("2026-01-06T20:00:00Z"));
  const ada = await createCustomer(w);
  await w.install({ ...SETTINGS, hours: "Mon-Fri 10:00-17:00", holidays: "2026-01-07 A day off" });
  const ben = await createCustomer(w);
  expect((await ben.botTexts()).at(-1)).toContain("back on Thursday 8 January at 10:00");
  await w.clock.set(new Date("2026-01-07T12:00:00Z"));
  await w.settled();
  expect((await ada.botTexts()).at(-1)).toContain("back on Wednesday 7 January at 09:00");
  await w.install({ ...SETTINGS, after_hours: false });
  await w.clock.set(new Date("2026-01-08T09:00:00Z"));
  await w.settled();
  for (const one of [ada, ben]) {
    expect((await one.botTexts()).filter((text) => text === BACK)).toEqual([BACK]);
    expect(await one.conversation()).toMatchObject({ assigned_group_id: groups["Support"] });
  }
});

test("hours without an opening queue nobody, and the log says so", async () => {
  await w.install({ ...SETTINGS, holidays: "2026-01-01 - 2036-01-01 A long rest" });
  const ada = await createCustomer(w);
  expect(await ada.botTexts()).toHaveLength(1);
  expect(await linesOf()).toContain(
    "error: The business is treated as always open: its hours contain no opening time. Correct the hours on the installation page.",
  );
});
