import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { SERVICE_SCHEMA } from "../../../src/index.ts";
import { serviceHarness, type ServiceHarness } from "../../service-harness.ts";
import { tablesWith } from "./personal-data-search.ts";
import { waitUntil } from "../../../../../test/support/wait-until.ts";

let w: ServiceHarness;
let channel_id: string;
beforeAll(async () => {
  w = await serviceHarness();
  const { channels } = await w.client.channels.listChannels({ query: {} });
  channel_id = channels[0]?.id ?? "";
});
afterAll(() => w.close());

/** Part of every text of a user that must be deleted. */
const CANARY = "canary";
const part = (content: string) => [{ text: { content } }];
const sayer = (conversation_id: string, id: string) => (content: string) =>
  w.client.messages.createMessage({
    params: { conversation_id },
    body: { actor_type: "user", actor_id: id, message_parts: part(content), meta_data: { note: content } },
  });

const person = async (canary: string) => {
  const user = await w.client.users.createUser({
    body: {
      first_name: canary,
      last_name: canary,
      email: `${canary}@example.com`,
      phone: canary,
      reference_id: canary,
    },
  });
  const message = { actor_type: "user" as const, actor_id: user.id, message_parts: part(canary) };
  const { conversation_id } = await w.client.conversations.createConversation({
    body: { channel_id, users: [{ id: user.id }], messages: [message] },
  });
  return { user_id: user.id, conversation_id, say: sayer(conversation_id, user.id) };
};

const statusOf = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => "done",
    (error: { problem?: { status: string } }) => error.problem?.status,
  );

describe("DELETE /users/{user_id}", () => {
  test("DELETE /users/{user_id} answers 202 with a link, and no request finds the user any more", async () => {
    const { user_id, conversation_id } = await person("leaver");
    const params = { user_id };
    const reply = await w.raw("DELETE", `/v2/users/${user_id.toUpperCase()}`);
    expect(reply.status).toBe(202);
    const link = { rel: "user", href: `/v2/users/${user_id}`, type: "GET" };
    expect(await reply.json()).toEqual({ id: user_id, link });
    expect((await w.raw("GET", link.href)).status).toBe(404);
    const { users, conversations } = w.client;
    expect(await statusOf(users.getUser({ params }))).toBe("USER_NOT_FOUND");
    expect(await statusOf(users.updateUser({ params, body: { first_name: "X" } }))).toBe("USER_NOT_FOUND");
    expect(await statusOf(users.listUserConversations({ params }))).toBe("USER_NOT_FOUND");
    expect(await users.fetchUsers({ body: { ids: [user_id] } })).toEqual({ users: [] });
    for (const query of [
      { first_name: "leaver" },
      { email: "leaver@example.com" },
      { created_from: "2020-01-01T00:00:00Z" },
    ])
      expect((await users.listUsers({ query })).users.map(({ id }) => id)).not.toContain(user_id);
    const again = {
      channel_id,
      users: [{ id: user_id }],
      messages: [{ actor_type: "bot" as const, message_parts: part("x") }],
    };
    expect(await statusOf(conversations.createConversation({ body: again }))).toBe("USER_NOT_FOUND");
    expect(await conversations.getConversation({ params: { conversation_id } })).toMatchObject({ user_id });
  });

  test("DELETE /users/{user_id} refuses a deleted user and an unknown one with USER_NOT_FOUND", async () => {
    const { user_id } = await person("twice");
    const gone = (id: string) => statusOf(w.client.users.deleteUser({ params: { user_id: id } }));
    expect(await Promise.all([gone(user_id), gone(user_id)])).toEqual(
      expect.arrayContaining(["done", "USER_NOT_FOUND"]),
    );
    expect(await gone(user_id)).toBe("USER_NOT_FOUND");
    expect(await gone("42")).toBe("USER_NOT_FOUND");
    const { id } = await w.solo.users.createUser({ body: {} });
    expect(await gone(id)).toBe("USER_NOT_FOUND");
  });

  test("DELETE /users/{user_id} leaves nothing of the user's data and texts in any table, and keeps others' texts", async () => {
    const { user_id, conversation_id, say } = await person(CANARY);
    // More than are processed at a time.
    for (let round = 0; round < 11; round += 1)
      await Promise.all(Array.from({ length: 50 }, (_, index) => say(`${CANARY} ${round} ${index}`)));
    await w.client.users.updateUser({ params: { user_id }, body: { first_name: `${CANARY} the second` } });
    const bot = {
      actor_type: "bot" as const,
      message_parts: part("kept"),
      reply_parts: [{ help_text: { content: "kept" } }],
    };
    const stored = await w.client.messages.createMessage({ params: { conversation_id }, body: bot });
    const TABLES_OF_USER = ["idempotency_keys", "messages", "outbox", "search_recent", "user_revisions", "users"];
    const expected = TABLES_OF_USER.map((name) => `${SERVICE_SCHEMA}.${name}`);
    // The index of the search follows the log.
    await waitUntil(async () => (await tablesWith(w.database, CANARY)).length === expected.length);
    expect(await tablesWith(w.database, CANARY)).toEqual(expected);

    await w.client.users.deleteUser({ params: { user_id } });
    expect(await tablesWith(w.database, CANARY)).toEqual([]);
    const { messages } = await w.client.messages.listMessages({ params: { conversation_id }, query: {} });
    expect(messages[0]).toEqual(stored);
    expect(messages.slice(1).every(({ message_parts }) => message_parts[0]?.text?.content === "")).toBe(true);
    expect(messages[1]).toMatchObject({ actor_type: "user", actor_id: user_id, conversation_id });
  });

  test("DELETE /users/{user_id} leaves nothing of messages and conversations that are written concurrently", async () => {
    for (let round = 0; round < 5; round += 1) {
      const canary = `racer${round}x`;
      const { user_id, say } = await person(canary);
      const message = { actor_type: "user" as const, actor_id: user_id, message_parts: part(canary) };
      const body = { channel_id, users: [{ id: user_id }], messages: [message] };
      const writing = Promise.all(
        Array.from({ length: 40 }, async (_, index) => {
          for (let count = 0; count < 3; count += 1)
            await statusOf(index % 4 === 0 ? w.client.conversations.createConversation({ body }) : say(canary));
        }),
      );
      await new Promise((resolve) => setTimeout(resolve, 5 + round * 4));
      await w.client.users.deleteUser({ params: { user_id } });
      await writing;
      expect(await tablesWith(w.database, canary)).toEqual([]);
    }
  });
});
