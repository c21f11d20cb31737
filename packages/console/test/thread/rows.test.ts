import "../browser-globals.ts";
import { expect, test } from "@jest/globals";
import type { Message } from "@parley/contract";
import { firstUnread, threadRowsOf, type ThreadRow } from "../../src/thread/rows.ts";
import { agentMessage, at, messageOf, messagesOf } from "./message-fixture.ts";

const rows = (
  messages: readonly Message[],
  more: Partial<Parameters<typeof threadRowsOf>[0]> = {},
): readonly ThreadRow[] => threadRowsOf({ messages, pending: [], keys: new Map(), unreadFrom: undefined, ...more });
const groups = (messages: readonly Message[]): boolean[] => rows(messages).map(({ isFirstOfGroup }) => isFirstOfGroup);

test("messages of one author within five minutes form a group", () => {
  expect(groups([messageOf(1), messageOf(2), messageOf(6.5)])).toEqual([true, false, false]);
  expect(groups([messageOf(1), messageOf(7)])).toEqual([true, true]);
});

const changes: readonly (readonly [string, Partial<Message>])[] = [
  ["another author", { actor_id: "other" }],
  ["another kind of author", { actor_type: "bot" }],
  ["a private note", { message_type: "private" }],
  ["another interaction", { interaction_id: "1-2" }],
];
test.each(changes)("%s begins a group", (_, fields) => {
  expect(groups([messageOf(1), messageOf(2, fields)])).toEqual([true, true]);
});

test("a message after a system message begins a group", () => {
  const system = messageOf(2, { actor_type: "system", message_type: "system" });
  expect(groups([messageOf(1), system, messageOf(3)])).toEqual([true, true, true]);
});

test("each day and each interaction is separated", () => {
  const [first, second, third] = rows([messageOf(1), messageOf(2), messageOf(1_440 + 1, { interaction_id: "1-2" })]);
  expect(first?.separators).toEqual({ day: true, interaction: false, unread: false });
  expect(second?.separators).toEqual({ day: false, interaction: false, unread: false });
  expect(third?.separators).toEqual({ day: true, interaction: true, unread: false });
});

test("the first unread message is separated, and begins a group", () => {
  const [, second] = rows(messagesOf(1, 2), { unreadFrom: "m2" });
  expect(second).toMatchObject({ isFirstOfGroup: true, separators: { unread: true } });
});

test("a confirmed message keeps the key that it had while it was pending", () => {
  expect(rows(messagesOf(1, 2), { keys: new Map([["m2", "pending-1"]]) }).map(({ key }) => key)).toEqual([
    "m1",
    "pending-1",
  ]);
});

test("pending messages come last; one whose event arrived is not shown beside it", () => {
  const message = { actor_type: "agent" as const, actor_id: "agent", message_parts: [] };
  const pending = [
    { key: "p1", message, created_time: at(3), confirmedId: "m2" },
    { key: "p2", message, created_time: at(3) },
    { key: "p3", message: { ...message, message_type: "private" as const }, created_time: at(3) },
  ];
  const shown = rows([messageOf(1), agentMessage(2)], { pending });
  expect(shown.map(({ key }) => key)).toEqual(["m1", "m2", "p2", "p3"]);
  expect(shown.map(({ isFirstOfGroup }) => isFirstOfGroup)).toEqual([true, true, false, true]);
});

test("the first unread message is counted from the customer's last message", () => {
  const messages = [messageOf(1), messageOf(2), agentMessage(3), messageOf(4)];
  expect(firstUnread(messages, 0)).toBeUndefined();
  expect(firstUnread(messages, 1)).toBe("m4");
  expect(firstUnread(messages, 2)).toBe("m2");
  expect(firstUnread(messages, 9)).toBeUndefined();
});
