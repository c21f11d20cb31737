import { beforeAll, describe, expect, test } from "@jest/globals";
import type { EventPayload } from "@parley/framework/sdk";
import type { World } from "@parley/framework/testing";
import { labelsOf } from "../../../server/lib/quick-replies.ts";
import { conciergeHarness, createCustomer, groupsOf } from "./harness.ts";

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
  w = await conciergeHarness(SETTINGS);
  groups = await groupsOf(w);
});

type Customer = Awaited<ReturnType<typeof createCustomer>>;
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
  test("is greeted once by time of day and language, with the menu", async () => {
    const ada = await createCustomer(w, { user: { properties: [{ name: "locale", value: "de-AT" }] } });
    expect(await ada.botTexts()).toEqual(["Hi from Inbox, Monday morning, grüß dich."]);
    expect(await offered(ada)).toEqual(MENU);
    expect((await ada.messages())[1]?.reply_parts?.[0]?.template_content?.type).toBe("carousel");
    await again("onConversationCreate", ada);
    expect(await ada.botTexts()).toHaveLength(1);
    const [created] = await calls("onConversationCreate", ada);
    expect(created?.requests.map(({ template }) => template)).toEqual([
      "getMessages",
      "getUserConversations",
      "sendMessage",
    ]);
  });
  test("is greeted with the topic's own message", async () => {
    expect(await (await createCustomer(w, { topic: "Billing" })).botTexts()).toEqual(["Bills, shop@acme.example!"]);
  });
});

describe("a returning customer", () => {
  test("is welcomed back and offered the group of the last conversation", async () => {
    const first = await createCustomer(w, { topic: "Billing" });
    await first.change({ status: "assigned", assigned_group_id: groups["Billing"] ?? "" });
    const ada = await createCustomer(w, { user_id: first.user_id });
    expect(await ada.botTexts()).toEqual(["Back from Billing, Ada?"]);
    expect(await offered(ada)).toEqual(["Billing again", ...MENU]);
    await ada.write("billing again");
    expect(await ada.conversation()).toMatchObject({ assigned_group_id: groups["Billing"] });
    expect(await ada.botTexts()).toEqual(["Back from Billing, Ada?", "Billing again: Billing, Ada."]);
    await again("onConversationCreate", first);
    expect(await first.botTexts()).toHaveLength(1);
  });
  test("whose last conversation had no group is offered the menu only", async () => {
    const first = await createCustomer(w);
    const ada = await createCustomer(w, { user_id: first.user_id });
    expect(await ada.botTexts()).toEqual(["Back from Inbox, Ada?"]);
    expect(await offered(ada)).toEqual(MENU);
    await ada.write("Inbox again");
    expect((await ada.conversation()).assigned_group_id).toBeUndefined();
  });
});

describe("a menu choice", () => {
  test("is answered once, and the latest choice takes effect", async () => {
    const ada = await createCustomer(w);
    await ada.write("buy");
    await again("onMessageCreate", ada);
    expect(await ada.botTexts()).toEqual([expect.any(String), "Buy: Sales, Ada."]);
    await ada.write("Help");
    expect(await ada.conversation()).toMatchObject({
      assigned_group_id: groups["Support"],
      properties: { priority: "High" },
    });
    expect(await ada.botTexts()).toEqual([expect.any(String), "Buy: Sales, Ada.", "Help: Support, Ada."]);
  });
  test("of a missing group is reported to the agents in a note", async () => {
    const ada = await createCustomer(w);
    await ada.write("Lost");
    const problem = "Line 3 of the menu leads to the group Nowhere, which the account does not have.";
    expect(await ada.notes()).toEqual([`The customer chose "Lost". ${problem}`]);
    expect(await ada.botTexts()).toHaveLength(1);
    expect((await calls("onMessageCreate", ada)).flatMap(({ lines }) => lines)).toContainEqual(
      expect.objectContaining({
        level: "error",
        text: `Menu choice not applied to conversation ${ada.id}. ${problem}`,
      }),
    );
  });
  test("is ignored while an agent is assigned", async () => {
    const ada = await createCustomer(w);
    const { agents } = await w.api.agents.listAgents({});
    await ada.change({ status: "assigned", assigned_agent_id: agents[0]?.id ?? "" });
    await ada.write("Help");
    expect((await ada.conversation()).assigned_group_id).toBeUndefined();
    expect(await ada.botTexts()).toHaveLength(1);
  });
  test("is ignored if the text answers another question", async () => {
    const ada = await createCustomer(w, { text: "I am ada@example.com" });
    await ada.write("No, thanks");
    expect((await ada.conversation()).assigned_group_id).toBeUndefined();
    const ben = await createCustomer(w);
    await ben.write("No, thanks");
    expect(await ben.conversation()).toMatchObject({ assigned_group_id: groups["Sales"] });
  });
});

test("a menu as a list works without a reply and without a returning customers' welcome", async () => {
  await w.install({ ...SETTINGS, menu_style: "List", choice_reply: "", welcome_back: "" });
  const first = await createCustomer(w);
  const ada = await createCustomer(w, { user_id: first.user_id });
  expect(await ada.botTexts()).toEqual(["Hi from Inbox, Monday morning."]);
  expect((await ada.messages())[1]?.reply_parts?.[0]?.template_content?.type).toBe("quick_reply_dropdown");
  await ada.write("Buy");
  expect(await ada.botTexts()).toHaveLength(1);
  expect(await ada.conversation()).toMatchObject({ assigned_group_id: groups["Sales"] });
});
