import "../browser-globals.ts";
import { expect, test } from "@jest/globals";
import type { Message } from "@parley/contract";
import type { LiveItem } from "../../src/live/live-messages.ts";
import { messagesIn } from "../../src/thread/apply-events.ts";
import { messageOf } from "./message-fixture.ts";

const eventOf = (
  event: "message_create" | "conversation_update" | "conversation_create",
  conversation_id: string,
  messages?: Message[],
): LiveItem => {
  const conversation = { conversation_id, ...(messages && { messages }) };
  const data = event === "message_create" ? { message: conversation } : { conversation };
  return { id: "1", event, data: { kind: event, data } } as unknown as LiveItem;
};

test("new messages are found by conversation, in the order of the events", () => {
  const found = messagesIn([
    eventOf("message_create", "c1", [messageOf(1)]),
    eventOf("conversation_create", "c2", [messageOf(2), messageOf(3)]),
    eventOf("message_create", "c1", [messageOf(4)]),
  ]);
  expect([...found].map(([id, messages]) => [id, messages.map((message) => message.id)])).toEqual([
    ["c1", ["m1", "m4"]],
    ["c2", ["m2", "m3"]],
  ]);
});

test("other items contain no messages", () => {
  const presence = { id: "1", event: "presence", data: { conversation_id: "c1", agents: [] } } as LiveItem;
  expect(messagesIn([eventOf("conversation_update", "c1"), presence]).size).toBe(0);
});
