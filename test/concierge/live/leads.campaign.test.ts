import { beforeAll, describe, expect, test } from "@jest/globals";
import type { EventPayload } from "@parley/framework/sdk";
import type { World } from "@parley/framework/testing";
import { conciergeHarness, createCustomer } from "./harness.ts";

let w: World;
beforeAll(async () => {
  w = await conciergeHarness({
    welcome: "{{#if user.last_name}}Hi{{/if}}",
    welcome_back: "",
    business_email: "shop@acme.example",
    rules: "keyword keep => group Billing",
    lead_consent: "Keep {{lead.value}}, {{user.first_name}}?",
  });
});

const YES = "Yes, keep it";
const NO = "No, thanks";
/** The payload of the latest event of a conversation. */
const last = async (event: string, conversation_id: string) => {
  const calls = await w.invocations({ event });
  const found = calls.findLast(({ payload }) => {
    const { data } = payload as EventPayload;
    return (data.message ?? data.conversation)?.conversation_id === conversation_id;
  })?.payload;
  if (!found) throw new Error(`There is no ${event}.`);
  return { ...found };
};

test("an e-mail address in the first message is saved with the customer's consent, and a note says so", async () => {
  const ada = await createCustomer(w, { text: "Hi! Write to ada@example.com please." });
  expect(await ada.botTexts()).toEqual(["Keep ada@example.com, Ada?"]);
  expect((await ada.messages()).at(-1)?.reply_parts).toEqual([
    {
      collection: {
        sub_parts: [YES, NO].map((label) => ({ quick_reply_button: { label, payload: label } })),
      },
    },
  ]);
  expect((await ada.user()).email).toBeUndefined();
  await ada.write(YES);
  expect(await ada.user()).toMatchObject({ email: "ada@example.com" });
  expect(await ada.notes()).toEqual(["Kept, as the customer agreed: e-mail address ada@example.com."]);
  // The answer does not describe the customer's request.
  expect((await ada.conversation()).assigned_group_id).toBeUndefined();
  expect(await ada.botTexts()).toHaveLength(1);
});

test("an address and a number of one message have one question, and the number is saved in international form", async () => {
  const ada = await createCustomer(w);
  await ada.write("(415) 555-2671 or ada2@example.com");
  expect(await ada.botTexts()).toEqual(["Keep ada2@example.com, +1 415 555 2671, Ada?"]);
  await ada.write("yes keep it");
  expect(await ada.user()).toMatchObject({ email: "ada2@example.com", phone: "+14155552671" });
});

test("without consent nothing is saved, and the question is not repeated", async () => {
  const ada = await createCustomer(w, { text: "ada3@example.com" });
  await ada.write(NO);
  await ada.write("as I said: ADA3@example.com");
  expect(await ada.botTexts()).toHaveLength(1);
  expect((await ada.user()).email).toBeUndefined();
  expect(await ada.notes()).toEqual([]);
  const again = await createCustomer(w, { user_id: ada.user_id, text: "ada3@example.com" });
  expect(await again.botTexts()).toEqual([]);
  await again.write("but ben3@example.com");
  expect(await again.botTexts()).toEqual(["Keep ben3@example.com, Ada?"]);
});

describe("no consent question is sent", () => {
  test("about fields that the user has", async () => {
    const ada = await createCustomer(w, { user: { email: "ada@example.org" }, text: "ada4@example.com" });
    expect(await ada.botTexts()).toEqual([]);
  });
  test("about the business's own address", async () => {
    expect(await (await createCustomer(w, { text: "I wrote to Shop@acme.example" })).botTexts()).toEqual([]);
  });
  test("while an agent attends to the conversation", async () => {
    const ada = await createCustomer(w);
    const { agents } = await w.api.agents.listAgents({});
    await ada.change({ status: "assigned", assigned_agent_id: agents[0]?.id ?? "" });
    await ada.write("ada5@example.com");
    expect(await ada.botTexts()).toEqual([]);
  });
  test("while another question is open, for a day", async () => {
    const ada = await createCustomer(w, { text: "ada6@example.com" });
    await ada.write("or +1 415 555 2672");
    expect(await ada.botTexts()).toEqual(["Keep ada6@example.com, Ada?"]);
    await w.clock.advance("1d");
    await ada.write("again: +1 415 555 2672");
    expect(await ada.botTexts()).toEqual(["Keep ada6@example.com, Ada?", "Keep +1 415 555 2672, Ada?"]);
    await ada.write(YES);
    expect(await ada.user()).toMatchObject({ phone: "+14155552672" });
    expect((await ada.user()).email).toBeUndefined();
  });
});

test("a value that was set meanwhile is not overwritten, and a note says so", async () => {
  const ada = await createCustomer(w, { text: "ada7@example.com, +1 415 555 2673" });
  await w.api.users.updateUser({ params: { user_id: ada.user_id }, body: { email: "agent@example.org" } });
  await ada.write(YES);
  expect(await ada.user()).toMatchObject({ email: "agent@example.org", phone: "+14155552673" });
  expect(await ada.notes()).toEqual([
    "Kept, as the customer agreed: phone number +1 415 555 2673.\nNot kept, since the field has another value: e-mail address ada7@example.com.",
  ]);
});

test("an answer is processed after other messages, but not without a question", async () => {
  const ada = await createCustomer(w, { text: "ada8@example.com" });
  await ada.write("I need help with my order");
  expect(await ada.botTexts()).toHaveLength(2);
  await ada.write(YES);
  expect(await ada.user()).toMatchObject({ email: "ada8@example.com" });
  await ada.write(YES);
  expect(await ada.notes()).toHaveLength(1);
});

test("repeated events and answers to an earlier question have no effect", async () => {
  const ada = await createCustomer(w, { text: "ada9@example.com" });
  const begun = await last("onConversationCreate", ada.id);
  await w.event("onConversationCreate", begun);
  await ada.write(NO);
  const refused = await last("onMessageCreate", ada.id);
  await ada.write("rather ben9@example.com");
  await w.event("onMessageCreate", refused);
  await w.event("onConversationCreate", begun);
  const questions = (await ada.messages()).filter(({ actor_type }) => actor_type === "bot");
  expect(questions).toHaveLength(2);
  await w.api.messages.createMessage({
    params: { conversation_id: ada.id },
    body: {
      message_parts: [{ text: { content: YES } }],
      actor_type: "user",
      actor_id: ada.user_id,
      in_reply_to: { message_id: questions[0]?.id ?? "" },
    },
  });
  await w.settled();
  expect((await ada.user()).email).toBeUndefined();
  await ada.write(YES);
  const agreed = await last("onMessageCreate", ada.id);
  await w.event("onMessageCreate", agreed);
  expect((await ada.user()).email).toBe("ben9@example.com");
  expect(await ada.notes()).toHaveLength(1);
  expect(await ada.botTexts()).toHaveLength(2);
});
