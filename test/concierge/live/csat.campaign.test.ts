import { beforeAll, expect, test } from "@jest/globals";
import type { World } from "@parley/framework/testing";
import { conciergeHarness, createCustomer, groupsOf } from "./harness.ts";

/** The rating question after a resolution, on the real service. */

const QUESTION = "How did we do? 5 is very good.";
const THANKS = "Thank you for your answer.";
const SORRY = "Thank you for your answer. We will look at this again.";

let w: World;
let agent: string;
beforeAll(async () => {
  w = await conciergeHarness({ escalation_group: "Billing" });
  const { agents } = await w.api.agents.listAgents({ query: { items_per_page: 100 } });
  agent = agents[0]?.id ?? "";
});

type Customer = Awaited<ReturnType<typeof createCustomer>>;

/** Creates a customer whose conversation an agent was assigned to and resolved. */
async function resolved(): Promise<Customer> {
  const ada = await createCustomer(w, { text: "Hello" });
  await ada.change({ assigned_agent_id: agent });
  await ada.change({ status: "resolved" });
  return ada;
}
const replyToQuestion = async (ada: Customer, text: string) => {
  const question = (await ada.messages()).findLast(({ meta_data }) => meta_data?.["concierge"] === "csat");
  await w.api.messages.createMessage({
    params: { conversation_id: ada.id },
    body: {
      message_parts: [{ text: { content: text } }],
      actor_type: "user",
      actor_id: ada.user_id,
      in_reply_to: { message_id: question?.id ?? "" },
    },
  });
  await w.settled();
};
const botTextsAfterGreeting = async (ada: Customer) => (await ada.botTexts()).slice(1);
/** Calls that the handlers of one event made for the conversation. */
const callsOf = async (template: string, { id }: Customer) =>
  (await w.invocations())
    .flatMap(({ requests }) => requests)
    .filter((request) => request.template === template && request.url.includes(id) && request.status < 300).length;
/** Delivers every event of the conversation again, newest first. */
const repeatEvents = async ({ id }: Customer) => {
  const all = (await w.invocations()).filter(({ payload }) => JSON.stringify(payload).includes(id));
  for (const { event, payload } of all.toReversed()) await w.event(event, payload as Record<string, unknown>);
  await w.settled();
};

test("a customer who clicks 5 is thanked, and the conversation stays resolved with its agent", async () => {
  const ada = await resolved();
  expect(await botTextsAfterGreeting(ada)).toEqual([QUESTION]);
  const question = (await ada.messages()).findLast(({ actor_type }) => actor_type === "bot");
  expect(question?.reply_parts).toEqual([
    {
      collection: {
        sub_parts: ["5", "4", "3", "2", "1"].map((label) => ({ quick_reply_button: { label, payload: label } })),
      },
    },
  ]);
  await ada.write("5");
  expect(await ada.conversation()).toMatchObject({ status: "resolved", assigned_agent_id: agent });
  expect(await botTextsAfterGreeting(ada)).toEqual([QUESTION, THANKS]);
  expect(await ada.notes()).toEqual([]);
  expect(await callsOf("createCsat", ada)).toBe(1);
});

test("a direct reply to the rating question leaves the conversation resolved", async () => {
  const ada = await resolved();
  await replyToQuestion(ada, "4 stars");
  expect(await ada.conversation()).toMatchObject({ status: "resolved", assigned_agent_id: agent });
  expect(await botTextsAfterGreeting(ada)).toEqual([QUESTION, THANKS]);
  expect(await callsOf("createCsat", ada)).toBe(1);
  expect(await callsOf("updateConversation", ada)).toBe(0);
});

test.each(["says", "answers"] as const)(
  "a low rating that a customer %s opens the conversation for the group of unhappy customers, urgently",
  async (how) => {
    const ada = await resolved();
    await (how === "says" ? ada.write("2") : replyToQuestion(ada, "2"));
    expect(await ada.conversation()).toMatchObject({
      status: "new",
      assigned_group_id: (await groupsOf(w))["Billing"],
      properties: { priority: "Urgent" },
    });
    expect(await botTextsAfterGreeting(ada)).toEqual([QUESTION, SORRY]);
    expect(await ada.notes()).toEqual([
      "The customer gave 2 of 5 points. Opened again: group Billing, priority Urgent.",
    ]);
    expect(await callsOf("createCsat", ada)).toBe(1);
  },
);

test("repeated rating events, newest first, have no effect", async () => {
  for (const points of ["5", "1"]) {
    const ada = await resolved();
    await ada.write(points);
    const before = [await ada.messages(), await ada.conversation()];
    await repeatEvents(ada);
    expect([await ada.messages(), await ada.conversation()]).toEqual(before);
    expect(await callsOf("createCsat", ada)).toBe(1);
  }
});

test("only the first rating of an interaction is saved", async () => {
  const ada = await resolved();
  await ada.write("5");
  await ada.write("1");
  expect(await callsOf("createCsat", ada)).toBe(1);
  expect(await botTextsAfterGreeting(ada)).toEqual([QUESTION, THANKS]);
  expect(await ada.conversation()).toMatchObject({ status: "new" });
});

test("a text with other words is not a rating, even if it contains a number", async () => {
  const ada = await resolved();
  await ada.write("It still doesn't work");
  await ada.write("5");
  expect(await ada.conversation()).toMatchObject({ status: "new" });
  expect(await callsOf("createCsat", ada)).toBe(0);
  await ada.change({ status: "resolved" });
  expect(await botTextsAfterGreeting(ada)).toEqual([QUESTION, QUESTION]);
  await ada.write("3");
  expect(await callsOf("createCsat", ada)).toBe(1);
  expect(await ada.conversation()).toMatchObject({ status: "resolved" });
});

test("a conversation that is reopened and resolved without a customer message is asked about once", async () => {
  const ada = await resolved();
  await ada.change({ status: "reopened" });
  await ada.change({ status: "resolved" });
  expect(await botTextsAfterGreeting(ada)).toEqual([QUESTION]);
});

test("an outdated rating question is not sent", async () => {
  const ada = await resolved();
  const invocation = (await w.invocations({ event: "onConversationUpdate" })).findLast(({ payload }) =>
    JSON.stringify(payload).includes(ada.id),
  );
  const ben = await createCustomer(w, { text: "Hello" });
  const { data } = invocation?.payload as { data: { conversation: object; changes: object } };
  const conversation = { ...data.conversation, conversation_id: ben.id, interaction_id: "1-1" };
  await w.event("onConversationUpdate", { data: { ...data, associations: {}, conversation } });
  expect(await botTextsAfterGreeting(ben)).toEqual([]);
  expect(await callsOf("sendMessage", ben)).toBe(1);
  expect(await callsOf("getMessages", ben)).toBe(2);
});

test("a rating is retried after a failure of the service", async () => {
  const ada = await resolved();
  await w.fault({ target: "app", kind: "status", status: 503, times: 2 });
  await ada.write("1");
  await w.clock.advance("10m");
  await w.settled();
  expect(await callsOf("createCsat", ada)).toBe(1);
  expect(await botTextsAfterGreeting(ada)).toEqual([QUESTION, SORRY]);
  expect(await ada.conversation()).toMatchObject({ status: "new", properties: { priority: "Urgent" } });
});

test("the private note reports a wrong setting, and the rating is saved", async () => {
  const ada = await resolved();
  await w.install({ escalation_group: "Nowhere", csat_low: "1", csat_question: "{{#if user.email}}?{{/if}}" });
  await ada.write("1");
  expect(await ada.notes()).toEqual([
    expect.stringMatching(/^The customer gave 1 of 5 points\. Opened again: priority Urgent\. Not done: .*Nowhere/),
  ]);
  expect(await callsOf("createCsat", ada)).toBe(1);
  const ben = await resolved();
  expect(await botTextsAfterGreeting(ben)).toEqual([]);
  await w.install({ csat_low: "None", csat_question: QUESTION });
  const cleo = await resolved();
  await cleo.write("1");
  expect(await cleo.conversation()).toMatchObject({ status: "resolved" });
  await w.install({ csat: false });
  expect(await botTextsAfterGreeting(await resolved())).toEqual([]);
});
