import { expect, test } from "@jest/globals";
import { messageRefusalToken, conversationsHarness, textParts } from "./conversations-harness.ts";
import { fileFixture } from "../../../../../test/support/file-fixture.ts";

/** Two services on one database, like two processes: one changes what the other one caches. */
const one = fileFixture(conversationsHarness);
const other = fileFixture(() => conversationsHarness({ database: one.database }));

const byUser = (actor_id: string, content = "Hi") => ({
  actor_type: "user" as const,
  actor_id,
  message_parts: textParts(content),
});

test("a user's message reopens a conversation that another process resolved", async () => {
  const { conversation_id: id, user_id, messages } = await one.createConversation();
  await one.createMessage(id, byUser(user_id));
  await other.updateConversation(id, { status: "resolved" });
  const sent = await one.createMessage(id, byUser(user_id));
  expect(sent.interaction_id).not.toBe(messages[0]?.interaction_id);
  expect(await other.getConversation(id)).toMatchObject({ status: "new" });
});

test("a user whom a bot restricted through another process is refused", async () => {
  const { conversation_id: id, user_id } = await one.createConversation();
  await one.createMessage(id, byUser(user_id));
  await other.createMessage(id, { restrictResponse: true });
  expect(await messageRefusalToken(one.createMessage(id, byUser(user_id)))).toBe("RESPONSE_RESTRICTED");
});

test("the latest conversation is determined by time, regardless of the process and the number", async () => {
  const { conversation_id: first, user_id } = await one.createConversation();
  const again = { users: [{ id: user_id }], messages: [byUser(user_id)] };
  const { conversation_id: second } = await other.createConversation(again);
  await one.createMessage(second, byUser(user_id));
  expect(await messageRefusalToken(one.createMessage(first, byUser(user_id)))).toBe("NOT_LATEST_CONVERSATION");
  const { conversation_id: third } = await one.createConversation(again);
  expect(await messageRefusalToken(other.createMessage(second, byUser(user_id)))).toBe("NOT_LATEST_CONVERSATION");
  expect(await other.createMessage(third, byUser(user_id))).toMatchObject({ conversation_id: third });
});

test("a user whom another process deleted is refused", async () => {
  const { conversation_id: id, user_id } = await one.createConversation();
  await one.createMessage(id, byUser(user_id));
  await other.client.users.deleteUser({ params: { user_id } });
  expect(await messageRefusalToken(one.createMessage(id, byUser(user_id)))).toBe("USER_NOT_FOUND");
});

test("concurrent messages and updates of two processes are all kept in one order", async () => {
  const conversations = await Promise.all(Array.from({ length: 6 }, () => one.createConversation()));
  const olivia = one.agentNamed("Olivia").id;
  const work = conversations.flatMap(({ conversation_id: id, user_id }) =>
    Array.from({ length: 30 }, async (_, index) => {
      const s = index % 2 ? one : other;
      if (index % 5 === 0) {
        const status = index % 3 ? "resolved" : "assigned";
        await s
          .updateConversation(id, { status, ...(status === "assigned" && { assigned_agent_id: olivia }) })
          .catch(() => undefined);
        return [];
      }
      // Repeated conflicts may end with 409, after which a client retries.
      for (;;) {
        const sent = await s.createMessage(id, byUser(user_id, `${index}`)).catch((error: Error) => {
          if (!error.message.includes("CONFLICT")) throw error;
          return undefined;
        });
        if (sent) return [sent];
      }
    }),
  );
  const sent = (await Promise.all(work)).flat();
  for (const { conversation_id: id } of conversations) {
    const stored = await one.listMessages(id);
    const own = sent.filter((message) => message.conversation_id === id);
    for (const message of own) expect(stored.filter((each) => each.id === message.id)).toEqual([message]);
    const events = await one.loggedEvents(id);
    const eventMessageIds = events.flatMap(({ kind, message_id }) => (kind === "message_create" ? [message_id] : []));
    expect(eventMessageIds).toEqual(stored.map((message) => message.id));
    const revisions = events.map(({ conversation_revision }) => conversation_revision);
    expect(revisions).toEqual(revisions.toSorted((a, b) => a - b));
    expect(stored.length).toBe(1 + own.length + stored.filter(({ actor_type }) => actor_type === "system").length);
  }
});
