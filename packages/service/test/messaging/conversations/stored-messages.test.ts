import { expect, test } from "@jest/globals";
import type { NewMessage } from "@parley/contract";
import { conversationsHarness, textParts } from "./conversations-harness.ts";
import { fileFixture } from "../../../../../test/support/file-fixture.ts";

const s = fileFixture(conversationsHarness);

const byUser = (actor_id: string, more: Partial<NewMessage> = {}): Partial<NewMessage> => ({
  actor_type: "user",
  actor_id,
  ...more,
});

test("concurrent messages in many conversations are all stored, once, in the order of the log", async () => {
  const conversations = await Promise.all(Array.from({ length: 8 }, () => s.createConversation()));
  const sent = await Promise.all(
    Array.from({ length: 8 * 49 }, (_, index) => {
      const { conversation_id: id = "", user_id = "" } = conversations[index % 8] ?? {};
      return s.createMessage(
        id,
        index % 3
          ? byUser(user_id, { message_parts: textParts(`${index}`) })
          : { message_parts: textParts(`${index}`) },
      );
    }),
  );
  for (const { conversation_id } of conversations) {
    const messages = await s.listMessages(conversation_id);
    const ids = messages.map(({ id }) => id);
    expect(ids.slice(1).toSorted()).toEqual(
      sent
        .filter((message) => message.conversation_id === conversation_id)
        .map(({ id }) => id)
        .toSorted(),
    );
    const events = await s.loggedEvents(conversation_id);
    expect(events.flatMap(({ kind, message_id }) => (kind === "message_create" ? [message_id] : []))).toEqual(ids);
    const times = messages.map(({ created_time }) => created_time);
    expect(times).toEqual(times.toSorted());
  }
});

test("a message is listed exactly as it was sent", async () => {
  const { conversation_id: id } = await s.createConversation();
  const contents = [
    'a\nb\tc\\d"e"',
    '{"x": [1, null]}',
    "'; drop table messages; --",
    "日本語 🎉 \u2028",
    "{a,b}",
    "\\x00 \\N NULL",
  ];
  for (const content of contents) await s.createMessage(id, { message_parts: textParts(content) });
  const messages = await s.listMessages(id);
  expect(messages.slice(1).map(({ message_parts }) => message_parts[0]?.text?.content)).toEqual(contents);
});
