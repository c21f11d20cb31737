import { beforeAll, describe, expect, jest, test } from "@jest/globals";
import type { EventPayload } from "@parley/framework/sdk";
import type { World } from "@parley/framework/testing";
import { labelsOf } from "../server/lib/quick-replies.ts";
import { conciergeWorld, customer, groupsOf } from "./concierge-shared.ts";

jest.setTimeout(60_000);

const SETTINGS = {
  welcome: "Hi from {{channel.name}}, {{time.weekday}} {{time.of_day}}{{#if locale.de}}, grüß dich{{/if}}.",
  welcome_back: "Back from {{last.topic}}, {{user.first_name}}?",
  topic_welcomes: "billing => Bills, {{business.email}}!",
  business_email: "shop@acme.example",
  menu: "Buy => Sales => High\nHelp => Support\nLost => Nowhere\nNo, thanks => Sales",
  menu_style: "Cards",
  choice_reply: "{{choice.label}}: {{choice.group}}, {{user.first_name}}.",
};
const MENU = ["Buy", "Help", "Lost", "No, thanks"];

let w: World;
let groups: Readonly<Record<string, string>>;
beforeAll(async () => {
  w = await conciergeWorld(SETTINGS);
  groups = await groupsOf(w);
}, 90_000);

type Customer = Awaited<ReturnType<typeof customer>>;
/** Quick replies of the greeting. */
const offered = async ({ messages }: Customer) => labelsOf((await messages())[1]?.reply_parts);
/** Calls of a conversation's handler. */
const calls = async (event: string, { id }: Customer) =>
  (await w.invocations({ event })).filter(({ payload }) => {
    const { message, conversation } = (payload as EventPayload).data;
    return (message ?? conversation)?.conversation_id === id;
  });
/** Delivers the latest event of a conversation again. */
const again = async (event: string, customer: Customer) => {
  const payload = (await calls(event, customer)).at(-1)?.payload;
  await w.event(event, { ...(payload as object) });
};

describe("a new customer", () => {
  test("is welcomed once, by the time of day and the language, and sees the menu", async () => {
    const ada = await customer(w, { user: { properties: [{ name: "locale", value: "de-AT" }] } });
    expect(await ada.hears()).toEqual(["Hi from Inbox, Monday morning, grüß dich."]);
    expect(await offered(ada)).toEqual(MENU);
    expect((await ada.messages())[1]?.reply_parts?.[0]?.template_content?.type).toBe("carousel");
    await again("onConversationCreate", ada);
    expect(await ada.hears()).toHaveLength(1);
    const [created] = await calls("onConversationCreate", ada);
    expect(created?.requests.map(({ template }) => template)).toEqual([
      "getMessages",
      "getUserConversations",
      "sendMessage",
    ]);
  });
  test("is welcomed with the topic's own message", async () => {
    expect(await (await customer(w, { topic: "Billing" })).hears()).toEqual(["Bills, shop@acme.example!"]);
  });
});

describe("a known customer", () => {
  test("is welcomed back, and led to the group of the last conversation", async () => {
    const first = await customer(w, { topic: "Billing" });
    await first.change({ status: "assigned", assigned_group_id: groups["Billing"] ?? "" });
    const ada = await customer(w, { user_id: first.user_id });
    expect(await ada.hears()).toEqual(["Back from Billing, Ada?"]);
    expect(await offered(ada)).toEqual(["Billing again", ...MENU]);
    await ada.says("billing again");
    expect(await ada.conversation()).toMatchObject({ assigned_group_id: groups["Billing"] });
    expect(await ada.hears()).toEqual(["Back from Billing, Ada?", "Billing again: Billing, Ada."]);
    await again("onConversationCreate", first);
    expect(await first.hears()).toHaveLength(1);
  });
  test("whose last conversation had no group is offered the menu alone", async () => {
    const first = await customer(w);
    const ada = await customer(w, { user_id: first.user_id });
    expect(await ada.hears()).toEqual(["Back from Inbox, Ada?"]);
    expect(await offered(ada)).toEqual(MENU);
    await ada.says("Inbox again");
    expect((await ada.conversation()).assigned_group_id).toBeUndefined();
  });
});

describe("a choice", () => {
  test("is answered once, and the later one counts", async () => {
    const ada = await customer(w);
    await ada.says("buy");
    await again("onMessageCreate", ada);
    expect(await ada.hears()).toEqual([expect.any(String), "Buy: Sales, Ada."]);
    await ada.says("Help");
    expect(await ada.conversation()).toMatchObject({
      assigned_group_id: groups["Support"],
      properties: { priority: "High" },
    });
    expect(await ada.hears()).toEqual([expect.any(String), "Buy: Sales, Ada.", "Help: Support, Ada."]);
  });
  test("of a group that isn't there is told to the agents", async () => {
    const ada = await customer(w);
    await ada.says("Lost");
    const words = "Line 3 of the menu leads to the group Nowhere, which the account does not have.";
    expect(await ada.notes()).toEqual([`The customer chose "Lost". ${words}`]);
    expect(await ada.hears()).toHaveLength(1);
    expect((await calls("onMessageCreate", ada)).flatMap(({ lines }) => lines)).toContainEqual(
      expect.objectContaining({ level: "error", text: words }),
    );
  });
  test("is none while an agent attends to the conversation", async () => {
    const ada = await customer(w);
    const { agents } = await w.api.agents.listAgents({});
    await ada.change({ status: "assigned", assigned_agent_id: agents[0]?.id ?? "" });
    await ada.says("Help");
    expect((await ada.conversation()).assigned_group_id).toBeUndefined();
    expect(await ada.hears()).toHaveLength(1);
  });
  test("is none in words that answer another question", async () => {
    const ada = await customer(w, { says: "I am ada@example.com" });
    await ada.says("No, thanks");
    expect((await ada.conversation()).assigned_group_id).toBeUndefined();
    const ben = await customer(w);
    await ben.says("No, thanks");
    expect(await ben.conversation()).toMatchObject({ assigned_group_id: groups["Sales"] });
  });
});

test("a list; without an answer, and without a welcome of known customers", async () => {
  await w.install({ ...SETTINGS, menu_style: "List", choice_reply: "", welcome_back: "" });
  const first = await customer(w);
  const ada = await customer(w, { user_id: first.user_id });
  expect(await ada.hears()).toEqual(["Hi from Inbox, Monday morning."]);
  expect((await ada.messages())[1]?.reply_parts?.[0]?.template_content?.type).toBe("quick_reply_dropdown");
  await ada.says("Buy");
  expect(await ada.hears()).toHaveLength(1);
  expect(await ada.conversation()).toMatchObject({ assigned_group_id: groups["Sales"] });
});
