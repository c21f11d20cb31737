import { beforeAll, expect, jest, test } from "@jest/globals";
import type { World } from "@parley/framework/testing";
import { conciergeWorld, customer, groupsOf } from "./concierge-shared.ts";

/** The rating question after a resolution, on the real service. */

jest.setTimeout(60_000);

const QUESTION = "How did we do? 5 is very good.";
const THANKS = "Thank you for your answer.";
const SORRY = "Thank you for your answer. We will look at this again.";

let w: World;
let agent: string;
beforeAll(async () => {
  w = await conciergeWorld({ escalation_group: "Billing" });
  const { agents } = await w.api.agents.listAgents({ query: { items_per_page: 100 } });
  agent = agents[0]?.id ?? "";
}, 90_000);

type Customer = Awaited<ReturnType<typeof customer>>;

/** Creates a customer whose conversation an agent was assigned to and resolved. */
async function resolved(): Promise<Customer> {
  const ada = await customer(w, { says: "Hello" });
  await ada.change({ assigned_agent_id: agent });
  await ada.change({ status: "resolved" });
  return ada;
}
const answers = async (ada: Customer, text: string) => {
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
const heard = async (ada: Customer) => (await ada.hears()).slice(1);
/** Calls that the handlers of one event made for the conversation. */
const callsOf = async (template: string, { id }: Customer) =>
  (await w.invocations())
    .flatMap(({ requests }) => requests)
    .filter((request) => request.template === template && request.url.includes(id) && request.status < 300).length;
/** Delivers every event of the conversation again, newest first. */
const comeAgain = async ({ id }: Customer) => {
  const all = (await w.invocations()).filter(({ payload }) => JSON.stringify(payload).includes(id));
  for (const { event, payload } of all.toReversed()) await w.event(event, payload as Record<string, unknown>);
  await w.settled();
};

test("a customer who clicks 5 is thanked, and the conversation stays resolved with its agent", async () => {
  const ada = await resolved();
  expect(await heard(ada)).toEqual([QUESTION]);
  const question = (await ada.messages()).findLast(({ actor_type }) => actor_type === "bot");
  expect(question?.reply_parts).toEqual([
    {
      collection: {
        sub_parts: ["5", "4", "3", "2", "1"].map((label) => ({ quick_reply_button: { label, payload: label } })),
      },
    },
  ]);
  await ada.says("5");
  expect(await ada.conversation()).toMatchObject({ status: "resolved", assigned_agent_id: agent });
  expect(await heard(ada)).toEqual([QUESTION, THANKS]);
  expect(await ada.notes()).toEqual([]);
  expect(await callsOf("createCsat", ada)).toBe(1);
});

test("an answer to the question itself leaves the conversation resolved", async () => {
  const ada = await resolved();
  await answers(ada, "4 stars");
  expect(await ada.conversation()).toMatchObject({ status: "resolved", assigned_agent_id: agent });
  expect(await heard(ada)).toEqual([QUESTION, THANKS]);
  expect(await callsOf("createCsat", ada)).toBe(1);
  expect(await callsOf("updateConversation", ada)).toBe(0);
});

test.each(["says", "answers"] as const)(
  "a low rating that a customer %s opens the conversation for the group of unhappy customers, urgently",
  async (how) => {
    const ada = await resolved();
    await (how === "says" ? ada.says("2") : answers(ada, "2"));
    expect(await ada.conversation()).toMatchObject({
      status: "new",
      assigned_group_id: (await groupsOf(w))["Billing"],
      properties: { priority: "Urgent" },
    });
    expect(await heard(ada)).toEqual([QUESTION, SORRY]);
    expect(await ada.notes()).toEqual([
      "The customer gave 2 of 5 points. Opened again: group Billing, priority Urgent.",
    ]);
    expect(await callsOf("createCsat", ada)).toBe(1);
  },
);

test("events that come again, the newest first, change nothing", async () => {
  for (const points of ["5", "1"]) {
    const ada = await resolved();
    await ada.says(points);
    const before = [await ada.messages(), await ada.conversation()];
    await comeAgain(ada);
    expect([await ada.messages(), await ada.conversation()]).toEqual(before);
    expect(await callsOf("createCsat", ada)).toBe(1);
  }
});

test("only the first rating counts", async () => {
  const ada = await resolved();
  await ada.says("5");
  await ada.says("1");
  expect(await callsOf("createCsat", ada)).toBe(1);
  expect(await heard(ada)).toEqual([QUESTION, THANKS]);
  expect(await ada.conversation()).toMatchObject({ status: "new" });
});

test("other words are for people, and a number among them is no rating", async () => {
  const ada = await resolved();
  await ada.says("It still doesn't work");
  await ada.says("5");
  expect(await ada.conversation()).toMatchObject({ status: "new" });
  expect(await callsOf("createCsat", ada)).toBe(0);
  await ada.change({ status: "resolved" });
  expect(await heard(ada)).toEqual([QUESTION, QUESTION]);
  await ada.says("3");
  expect(await callsOf("createCsat", ada)).toBe(1);
  expect(await ada.conversation()).toMatchObject({ status: "resolved" });
});

test("a conversation that is opened and resolved again without a word of its customer asks once", async () => {
  const ada = await resolved();
  await ada.change({ status: "reopened" });
  await ada.change({ status: "resolved" });
  expect(await heard(ada)).toEqual([QUESTION]);
});

test("a question that comes too late is not asked", async () => {
  const ada = await resolved();
  const told = (await w.invocations({ event: "onConversationUpdate" })).findLast(({ payload }) =>
    JSON.stringify(payload).includes(ada.id),
  );
  const ben = await customer(w, { says: "Hello" });
  const { data } = told?.payload as { data: { conversation: object; changes: object } };
  const conversation = { ...data.conversation, conversation_id: ben.id, interaction_id: "1-1" };
  await w.event("onConversationUpdate", { data: { ...data, associations: {}, conversation } });
  expect(await heard(ben)).toEqual([]);
  expect(await callsOf("sendMessage", ben)).toBe(1);
  expect(await callsOf("getMessages", ben)).toBe(2);
});

test("a service that fails while a rating is carried out is asked again", async () => {
  const ada = await resolved();
  await w.fault({ target: "app", kind: "status", status: 503, times: 2 });
  await ada.says("1");
  await w.clock.advance("10m");
  await w.settled();
  expect(await callsOf("createCsat", ada)).toBe(1);
  expect(await heard(ada)).toEqual([QUESTION, SORRY]);
  expect(await ada.conversation()).toMatchObject({ status: "new", properties: { priority: "Urgent" } });
});

test("what the admin has set wrong is told in the note, and the rating counts all the same", async () => {
  const ada = await resolved();
  await w.install({ escalation_group: "Nowhere", csat_low: "1", csat_question: "{{#if user.email}}?{{/if}}" });
  await ada.says("1");
  expect(await ada.notes()).toEqual([
    expect.stringMatching(/^The customer gave 1 of 5 points\. Opened again: priority Urgent\. Not done: .*Nowhere/),
  ]);
  expect(await callsOf("createCsat", ada)).toBe(1);
  const ben = await resolved();
  expect(await heard(ben)).toEqual([]);
  await w.install({ csat_low: "None", csat_question: QUESTION });
  const cleo = await resolved();
  await cleo.says("1");
  expect(await cleo.conversation()).toMatchObject({ status: "resolved" });
  await w.install({ csat: false });
  expect(await heard(await resolved())).toEqual([]);
});
