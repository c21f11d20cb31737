import { beforeAll, describe, expect, test } from "@jest/globals";
import type { World } from "@parley/framework/testing";
import { CONSENT_ANSWER } from "../../../server/lib/lead-consent.ts";
import type { PanelAction, PanelReply, PanelView } from "../../../server/lib/panel-view.ts";
import { PAST_CONVERSATIONS_MAX } from "../../../server/panel.ts";
import { conciergeHarness, createCustomer, groupsOf } from "./harness.ts";

/** Functions that the agent's panel calls, through the app host and the service. */

const NOW = "2026-01-05T20:00:00.000Z";
const SETTINGS = {
  escalation_group: "Billing",
  sync_in: true,
  outbound_events: [
    "order.update => order_update (en): {{user.first_name}}, 17",
    "order.shipped => order_shipped (en): {{user.first_name}}, {{data.number}}",
  ].join("\n"),
  outbound_from: "+12125550199",
  outbound_namespace: "acme_shop",
  reply_templates: [
    "Thank => Thank you, {{user.first_name}}, from {{agent.first_name}} in {{channel.name}}, good {{time.of_day}}",
    "Sign => {{user.last_name}}",
  ].join("\n"),
};

let w: World;
let groups: Readonly<Record<string, string>>;
let olivia: { readonly id: string; readonly first_name: string; readonly last_name: string };
let diego: typeof olivia;
beforeAll(async () => {
  w = await conciergeHarness(SETTINGS);
  groups = await groupsOf(w);
  const { agents } = await w.api.agents.listAgents({ query: { items_per_page: 100 } });
  const named = (name: string) => {
    const { id = "", first_name = "", last_name = "" } = agents.find((one) => one.first_name === name) ?? {};
    return { id, first_name, last_name };
  };
  [olivia, diego] = [named("Olivia"), named("Diego")];
});

const callPanel = (name: string, args: object) => w.function(name, { agent: olivia, now: NOW, ...args });
const outputOf = async <Result>(name: string, args: object): Promise<Result> =>
  (await callPanel(name, args)).output as Result;
const templates = async (name: string, args: object) =>
  (await callPanel(name, args)).requests.map(({ template }) => template);

describe("the view of the panel", () => {
  test("of a first conversation shows customer, state and decision log, with five calls", async () => {
    const ada = await createCustomer(w, {
      user: {
        last_name: "Lovelace",
        email: "ada@example.com",
        phone: "+15550100",
        properties: [
          { name: "plan", value: "Pro" },
          { name: "Language", value: "de-AT" },
        ],
      },
      topic: "Support",
    });
    await ada.write("I need help with my order");
    const { output, requests, lines } = await callPanel("panelView", { conversation_id: ada.id });
    const { channel_id } = await ada.conversation();
    expect(output).toMatchObject({
      conversation: {
        id: ada.id,
        status: "new",
        topic_id: channel_id,
        group_id: groups["Support"],
        priority: "High",
        began: expect.stringMatching(/^2026-01-05T09/),
      },
      customer: {
        id: ada.user_id,
        name: "Ada Lovelace",
        email: "ada@example.com",
        phone: "+15550100",
        language: "de",
        properties: [{ name: "plan", value: "Pro" }],
        since: expect.stringMatching(/^2026-01-05T09/),
      },
      topics: expect.arrayContaining([{ id: channel_id, name: "Support" }]),
      groups: expect.arrayContaining([{ id: groups["Billing"], name: "Billing" }]),
      past: [],
      earlier: 0,
      leads: [],
      replies: [
        { name: "Thank", text: "Thank you, Ada, from Olivia in Support, good evening" },
        { name: "Sign", text: "Lovelace" },
      ],
      escalation: "Billing",
      syncIn: true,
    });
    expect((output as PanelView).did.map(({ did, why }) => [did, why])).toEqual([
      ["Greeted in the topic Support.", undefined],
      ["Routed to Support, priority High.", 'The customer chose "I need help with my order".'],
    ]);
    expect(requests.map(({ template }) => template).sort()).toEqual([
      "getConversation",
      "getUser",
      "getUserConversations",
      "listChannels",
      "listGroups",
    ]);
    expect(lines).toEqual([]);
  });

  test("lists the newest past conversations with their ratings, and counts earlier conversations", async () => {
    const first = await createCustomer(w, { topic: "Sales" });
    const { user_id } = first;
    const { channel_id } = await first.conversation();
    const messages = [
      { message_parts: [{ text: { content: "Hello" } }], actor_type: "user" as const, actor_id: user_id },
    ];
    const body = { channel_id, users: [{ id: user_id }], messages };
    await Promise.all(
      Array.from({ length: PAST_CONVERSATIONS_MAX }, () => w.api.conversations.createConversation({ body })),
    );
    const rated = await createCustomer(w, { user_id, topic: "Returns" });
    await rated.change({ status: "resolved" });
    await rated.write("4");
    const now = await createCustomer(w, { user_id });
    const view = await outputOf<PanelView>("panelView", { conversation_id: now.id });
    expect(view.past).toHaveLength(PAST_CONVERSATIONS_MAX);
    expect(view.earlier).toBe(2);
    expect(view.past[0]).toMatchObject({ id: rated.id, status: "resolved", rating: 4 });
    expect(view.past.slice(1).map(({ rating }) => rating)).toEqual([undefined, undefined, undefined, undefined]);
    expect(view.past.map(({ id }) => id)).not.toContain(now.id);
  });

  test("shows results of consent questions of this and past conversations", async () => {
    const ada = await createCustomer(w, { text: "Write to ada.leads@example.com" });
    await ada.write(CONSENT_ANSWER);
    const later = await createCustomer(w, { user_id: ada.user_id });
    for (const { id } of [ada, later]) {
      const { leads, customer: shown } = await outputOf<PanelView>("panelView", { conversation_id: id });
      expect(leads.map(({ did }) => did)).toEqual([expect.stringContaining("Kept, as the customer agreed")]);
      expect(shown?.email).toBe("ada.leads@example.com");
    }
  });

  test("of a deleted customer shows the conversation", async () => {
    const ada = await createCustomer(w);
    await w.api.users.deleteUser({ params: { user_id: ada.user_id } });
    const view = await outputOf<PanelView>("panelView", { conversation_id: ada.id });
    expect(view.customer).toBeUndefined();
    expect(view).toMatchObject({ conversation: { id: ada.id }, past: [], replies: [{ name: "Thank" }] });
  });
});

describe("invalid arguments of the page are refused", () => {
  const nobody = "019b8d62-7a80-7400-8000-000000000000";
  test.each([
    ["panelView", { conversation_id: 7 }, 400, "conversation_id must be an id."],
    ["panelView", { conversation_id: "../users" }, 400, "conversation_id must be an id."],
    ["panelView", { conversation_id: nobody, now: "soon" }, 400, expect.stringContaining("now must be a time")],
    ["panelView", { conversation_id: nobody, agent: {} }, 400, "agent.id must be an id."],
    ["panelView", { conversation_id: nobody }, 404, "This conversation isn't there any more."],
    ["panelReply", { conversation_id: nobody, name: "" }, 400, expect.stringContaining("name must be a text")],
    ["panelReply", { conversation_id: nobody, name: "Gone" }, 404, expect.stringContaining("isn't among the settings")],
    ["panelAssign", { conversation_id: nobody, to: "me" }, 404, "This conversation isn't there any more."],
    ["panelAssign", { conversation_id: "", to: "me" }, 400, "conversation_id must be an id."],
  ])("%s %j", async (name, args, status, message) => {
    expect(await outputOf(name, args)).toEqual({ status, message });
  });

  test.each([
    [{ to: "nobody" }, 400, "to must be me, group or escalation."],
    [{}, 400, expect.stringContaining("to must be a text")],
    [{ to: "group" }, 400, "group_id must be an id."],
    [{ to: "group", group_id: nobody }, 404, "This group isn't there any more."],
  ])("panelAssign %j", async (args, status, message) => {
    const ada = await createCustomer(w);
    expect(await outputOf("panelAssign", { conversation_id: ada.id, ...args })).toEqual({ status, message });
  });
});

describe("a reply template", () => {
  test("is rendered with the customer's current data", async () => {
    const ada = await createCustomer(w);
    await w.api.users.updateUser({ params: { user_id: ada.user_id }, body: { first_name: "Augusta" } });
    const reply = await outputOf<PanelReply>("panelReply", { conversation_id: ada.id, name: "thank", agent: diego });
    expect(reply).toEqual({ name: "Thank", text: "Thank you, Augusta, from Diego in Inbox, good evening" });
  });

  test("that renders no text for this customer is not offered, and refused", async () => {
    const ada = await createCustomer(w);
    const { replies } = await outputOf<PanelView>("panelView", { conversation_id: ada.id });
    expect(replies.map(({ name }) => name)).toEqual(["Thank"]);
    expect(await outputOf("panelReply", { conversation_id: ada.id, name: "Sign" })).toEqual({
      status: 409,
      message: "This reply says nothing for this customer.",
    });
  });
});

describe("an assignment by the panel", () => {
  test("to the agent is done once for repeated calls, and the decision log names the agent", async () => {
    const ada = await createCustomer(w);
    const args = { conversation_id: ada.id, to: "me" };
    expect(await outputOf<PanelAction>("panelAssign", args)).toMatchObject({
      message: "The conversation is yours.",
      changed: true,
      conversation: { status: "assigned", agent_id: olivia.id },
    });
    expect(await ada.conversation()).toMatchObject({ status: "assigned", assigned_agent_id: olivia.id });
    expect(await outputOf<PanelAction>("panelAssign", args)).toMatchObject({
      message: "The conversation is yours already.",
      changed: false,
      conversation: { agent_id: olivia.id },
    });
    expect(await templates("panelAssign", args)).toEqual(["getConversation"]);
    const { did } = await outputOf<PanelView>("panelView", { conversation_id: ada.id });
    expect(did.slice(1)).toMatchObject([{ did: "Assigned to Olivia Reyes.", why: "Asked for here by Olivia Reyes." }]);
  });

  test("to an agent outside the conversation's group is refused with a next step", async () => {
    const ada = await createCustomer(w);
    await ada.change({ status: "assigned", assigned_group_id: groups["Billing"] });
    expect(await outputOf("panelAssign", { conversation_id: ada.id, to: "me", agent: diego })).toEqual({
      status: 409,
      message: "You are not a member of the conversation's group: assign it to one of your groups first.",
    });
  });

  test("to a group unassigns the agent, once", async () => {
    const ada = await createCustomer(w);
    await ada.change({ status: "assigned", assigned_agent_id: olivia.id });
    const args = { conversation_id: ada.id, to: "group", group_id: groups["Sales"] };
    expect(await outputOf("panelAssign", args)).toMatchObject({ message: "The conversation is in Sales now." });
    const { assigned_group_id, assigned_agent_id } = await ada.conversation();
    expect([assigned_group_id, assigned_agent_id ?? ""]).toEqual([groups["Sales"], ""]);
    expect(await outputOf("panelAssign", args)).toMatchObject({
      message: "The conversation waits in Sales already.",
      changed: false,
    });
  });

  test("of a resolved conversation escalates it to the escalation group with priority Urgent, once", async () => {
    const ada = await createCustomer(w);
    await ada.change({ status: "resolved" });
    const args = { conversation_id: ada.id, to: "escalation" };
    expect(await outputOf("panelAssign", args)).toMatchObject({ message: "Escalated to Billing.", changed: true });
    expect(await ada.conversation()).toMatchObject({
      status: "new",
      assigned_group_id: groups["Billing"],
      properties: { priority: "Urgent" },
    });
    expect(await outputOf("panelAssign", args)).toMatchObject({ changed: false });
    const { did } = await outputOf<PanelView>("panelView", { conversation_id: ada.id });
    expect(did.map((entry) => entry.did)).toContain("Escalated to Billing, priority Urgent.");
  });
});

describe("a failure of the account is a message for the agent", () => {
  test.each([
    [503 as const, "The messaging service can't be reached at the moment."],
    [429 as const, expect.stringContaining("The account's calls of this hour are used up. It goes on in about")],
  ])("%s", async (status, message) => {
    const ada = await createCustomer(w);
    await w.fault({ target: "app", kind: "status", status, times: 2 });
    expect(await outputOf("panelView", { conversation_id: ada.id })).toEqual({ status, message });
  });
});

describe("a template message from the panel", () => {
  const body = { phone: "+12125550177" };

  test("without event data is offered for a customer with a phone number, and sent once", async () => {
    const ada = await createCustomer(w, { user: body });
    const { outbound } = await outputOf<PanelView>("panelView", { conversation_id: ada.id });
    expect(outbound).toEqual({ ready: [{ event: "order.update", template: "order_update" }] });
    const args = { conversation_id: ada.id, event: "order.update", once: `once-${ada.id.slice(-8)}` };
    const sent = { message: "The template message order_update is on its way." };
    expect(await outputOf("panelOutbound", args)).toEqual(sent);
    expect(await outputOf("panelOutbound", args)).toEqual(sent);
    expect(await templates("panelOutbound", args)).not.toContain("sendOutbound");
    const { did } = await outputOf<PanelView>("panelView", { conversation_id: ada.id });
    expect(did.slice(1)).toEqual([
      { at: NOW, did: "Sent the template message order_update.", why: "Asked for here by Olivia Reyes." },
    ]);
  });

  test("is refused without a phone number, and if it is not in the settings", async () => {
    const ada = await createCustomer(w);
    const { outbound } = await outputOf<PanelView>("panelView", { conversation_id: ada.id });
    expect(outbound).toEqual({ ready: [], problem: "the customer has no phone number." });
    const args = { conversation_id: ada.id, once: "once-more" };
    expect(await outputOf("panelOutbound", { ...args, event: "order.update" })).toEqual({
      status: 409,
      message: "The message can't be sent: the customer has no phone number.",
    });
    expect(await outputOf("panelOutbound", { ...args, event: "order.gone" })).toEqual({
      status: 404,
      message: "This template message isn't among the settings any more.",
    });
  });
});
