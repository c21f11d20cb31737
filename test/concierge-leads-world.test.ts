import { beforeAll, describe, expect, jest, test } from "@jest/globals";
import type { EventPayload } from "@parley/framework/sdk";
import type { World } from "@parley/framework/testing";
import { conciergeWorld, customer } from "./concierge-shared.ts";

jest.setTimeout(60_000);

let w: World;
beforeAll(async () => {
  w = await conciergeWorld({
    welcome: "{{#if user.last_name}}Hi{{/if}}",
    welcome_back: "",
    business_email: "shop@acme.example",
    rules: "keyword keep => group Billing",
    lead_consent: "Keep {{lead.value}}, {{user.first_name}}?",
  });
}, 90_000);

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

test("an address in the first message is kept when the customer agrees, and the agent reads so", async () => {
  const ada = await customer(w, { says: "Hi! Write to ada@example.com please." });
  expect(await ada.hears()).toEqual(["Keep ada@example.com, Ada?"]);
  expect((await ada.messages()).at(-1)?.reply_parts).toEqual([
    {
      collection: {
        sub_parts: [YES, NO].map((label) => ({ quick_reply_button: { label, payload: label } })),
      },
    },
  ]);
  expect((await ada.user()).email).toBeUndefined();
  await ada.says(YES);
  expect(await ada.user()).toMatchObject({ email: "ada@example.com" });
  expect(await ada.notes()).toEqual(["Kept, as the customer agreed: e-mail address ada@example.com."]);
  // The answer does not describe the customer's request.
  expect((await ada.conversation()).assigned_group_id).toBeUndefined();
  expect(await ada.hears()).toHaveLength(1);
});

test("address and number of one message are asked about together; the number is kept with its country", async () => {
  const ada = await customer(w);
  await ada.says("(415) 555-2671 or ada2@example.com");
  expect(await ada.hears()).toEqual(["Keep ada2@example.com, +1 415 555 2671, Ada?"]);
  await ada.says("yes keep it");
  expect(await ada.user()).toMatchObject({ email: "ada2@example.com", phone: "+14155552671" });
});

test("who doesn't agree has nothing kept, and isn't asked again for it", async () => {
  const ada = await customer(w, { says: "ada3@example.com" });
  await ada.says(NO);
  await ada.says("as I said: ADA3@example.com");
  expect(await ada.hears()).toHaveLength(1);
  expect((await ada.user()).email).toBeUndefined();
  expect(await ada.notes()).toEqual([]);
  const again = await customer(w, { user_id: ada.user_id, says: "ada3@example.com" });
  expect(await again.hears()).toEqual([]);
  await again.says("but ben3@example.com");
  expect(await again.hears()).toEqual(["Keep ben3@example.com, Ada?"]);
});

describe("nothing is asked", () => {
  test("about what the user has, whatever it is", async () => {
    const ada = await customer(w, { user: { email: "ada@example.org" }, says: "ada4@example.com" });
    expect(await ada.hears()).toEqual([]);
  });
  test("about an address of the business's own", async () => {
    expect(await (await customer(w, { says: "I wrote to Shop@acme.example" })).hears()).toEqual([]);
  });
  test("while an agent attends to the conversation", async () => {
    const ada = await customer(w);
    const { agents } = await w.api.agents.listAgents({});
    await ada.change({ status: "assigned", assigned_agent_id: agents[0]?.id ?? "" });
    await ada.says("ada5@example.com");
    expect(await ada.hears()).toEqual([]);
  });
  test("while another question is open; a day later it is", async () => {
    const ada = await customer(w, { says: "ada6@example.com" });
    await ada.says("or +1 415 555 2672");
    expect(await ada.hears()).toEqual(["Keep ada6@example.com, Ada?"]);
    await w.clock.advance("1d");
    await ada.says("again: +1 415 555 2672");
    expect(await ada.hears()).toEqual(["Keep ada6@example.com, Ada?", "Keep +1 415 555 2672, Ada?"]);
    await ada.says(YES);
    expect(await ada.user()).toMatchObject({ phone: "+14155552672" });
    expect((await ada.user()).email).toBeUndefined();
  });
});

test("a value that came in the meantime is not overwritten, and the agent reads what was not kept", async () => {
  const ada = await customer(w, { says: "ada7@example.com, +1 415 555 2673" });
  await w.api.users.updateUser({ params: { user_id: ada.user_id }, body: { email: "agent@example.org" } });
  await ada.says(YES);
  expect(await ada.user()).toMatchObject({ email: "agent@example.org", phone: "+14155552673" });
  expect(await ada.notes()).toEqual([
    "Kept, as the customer agreed: phone number +1 415 555 2673.\nNot kept, since another one stands there: e-mail address ada7@example.com.",
  ]);
});

test("an answer counts though something was said in between, but not without a question", async () => {
  const ada = await customer(w, { says: "ada8@example.com" });
  await ada.says("I need help with my order");
  expect(await ada.hears()).toHaveLength(2);
  await ada.says(YES);
  expect(await ada.user()).toMatchObject({ email: "ada8@example.com" });
  await ada.says(YES);
  expect(await ada.notes()).toHaveLength(1);
});

test("events that come again change nothing, nor does an answer to an earlier question", async () => {
  const ada = await customer(w, { says: "ada9@example.com" });
  const begun = await last("onConversationCreate", ada.id);
  await w.event("onConversationCreate", begun);
  await ada.says(NO);
  const refused = await last("onMessageCreate", ada.id);
  await ada.says("rather ben9@example.com");
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
  await ada.says(YES);
  const agreed = await last("onMessageCreate", ada.id);
  await w.event("onMessageCreate", agreed);
  expect((await ada.user()).email).toBe("ben9@example.com");
  expect(await ada.notes()).toHaveLength(1);
  expect(await ada.hears()).toHaveLength(2);
});
