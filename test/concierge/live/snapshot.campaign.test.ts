import { beforeAll, beforeEach, expect, test } from "@jest/globals";
import type { World } from "@parley/framework/testing";
import { conciergeHarness } from "./harness.ts";

/** Concierge on its own instance, with the harness that every app author has. */

let w: World;
beforeAll(async () => {
  w = await conciergeHarness();
});
beforeEach(() => w.reset());

/** Creates a customer's conversation. -> its id, and a function that sends further messages */
async function customer(name: string) {
  const { id } = await w.api.users.createUser({ body: { first_name: name } });
  const { channels } = await w.api.channels.listChannels({});
  const message = (content: string) => ({
    message_parts: [{ text: { content } }],
    actor_type: "user" as const,
    actor_id: id,
  });
  const { conversation_id } = await w.api.conversations.createConversation({
    body: { channel_id: channels[0]?.id ?? "", users: [{ id }], messages: [message("Hello")] },
  });
  const params = { conversation_id };
  await w.settled();
  return {
    conversation: () => w.api.conversations.getConversation({ params }),
    async botTexts() {
      const { messages } = await w.api.messages.listMessages({ params });
      return messages
        .filter(({ actor_type }) => actor_type === "bot")
        .map((one) => one.message_parts[0]?.text?.content)
        .reverse();
    },
    async write(text: string) {
      await w.api.messages.createMessage({ params, body: message(text) });
      await w.settled();
    },
  };
}

const GREETING = "Hi Ada, this is Concierge. What can we do for you today?";

test("a customer is greeted once, and the choice sets group and priority", async () => {
  const ada = await customer("Ada");
  expect(await ada.botTexts()).toEqual([GREETING]);
  await ada.write("I need help with my order");
  const { groups } = await w.api.groups.listGroups({});
  expect(await ada.conversation()).toMatchObject({
    assigned_group_id: groups.find(({ name }) => name === "Support")?.id,
    properties: { priority: "High" },
  });
  expect(await ada.botTexts()).toEqual([GREETING, "Thank you. Support will answer you here."]);
});

test("objects created after a restored snapshot have new ids", async () => {
  const ada = await w.api.users.createUser({ body: { first_name: "Ada" } });
  const back = await w.snapshot("with-ada");
  const lost = await w.api.users.createUser({ body: { first_name: "Ben" } });
  await back();
  const ben = await w.api.users.createUser({ body: { first_name: "Ben" } });
  expect(new Set([ada.id, lost.id, ben.id]).size).toBe(3);
  expect(
    (await w.api.users.listUsers({ query: { created_from: "2026-01-01T00:00:00Z" } })).users.map(
      ({ first_name }) => first_name,
    ),
  ).toEqual(expect.arrayContaining(["Ada", "Ben"]));
  await (await customer("Cleo")).write("I need help with my order");
});

test("a reset removes customers, recorded handler calls and choices", async () => {
  await customer("Ada");
  expect((await w.api.users.listUsers({ query: { first_name: "Ada" } })).users).toHaveLength(1);
  expect(await w.invocations({ event: "onConversationCreate" })).toHaveLength(1);
  await w.clock.advance("1d");
  await w.reset();
  expect((await w.api.users.listUsers({ query: { first_name: "Ada" } })).users).toEqual([]);
  expect(await w.invocations({ event: "onConversationCreate" })).toEqual([]);
  await customer("Ada");
  expect(await w.invocations({ event: "onConversationCreate" })).toMatchObject([
    { ok: true, begun: expect.stringMatching(/^2026-01-05T09:00:00/) },
  ]);
});

test("a greeting is sent after a failure of the service", async () => {
  await w.fault({ target: "app", kind: "status", status: 503, times: 1 });
  expect(await (await customer("Ada")).botTexts()).toEqual([GREETING]);
});
