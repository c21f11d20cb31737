import type { Message } from "@parley/contract";
import { expect, test } from "@jest/globals";
import type { LiveItem } from "../../src/live/live-messages.ts";
import { groupNotices, noticeOf, type MessageNotification } from "../../src/preferences/notice.ts";
import { NOTICE_LEVELS, type NoticeLevel } from "../../src/preferences/notification-choice.ts";

const AGENT = "agent-1";

const itemOf = (message: Partial<Message>, assigned?: string): LiveItem =>
  ({
    id: "1",
    event: "message_create",
    data: {
      data: {
        actor: { type: "user", id: "user-1" },
        associations: { user: { id: "user-1", first_name: "Mia", email: "mia@example.com" } },
        message: {
          conversation_id: "conversation-1",
          freshchat_conversation_id: "17",
          ...(assigned !== undefined && { assigned_agent_id: assigned }),
          messages: [
            {
              id: "message-1",
              actor_type: "user",
              message_type: "normal",
              message_parts: [{ text: { content: "Where is\n my order?" } }],
              ...message,
            },
          ],
        },
      },
    },
  }) as unknown as LiveItem;

test("a message of a customer notifies with the customer's name and the beginning of the text", () => {
  expect(noticeOf(itemOf({}), "all", AGENT)).toEqual({
    messageId: "message-1",
    conversationId: "conversation-1",
    number: "17",
    customer: { first_name: "Mia", last_name: undefined, email: "mia@example.com", phone: undefined },
    text: "Where is my order?",
  });
});

const chosen: readonly { readonly assigned: string | undefined; readonly levels: readonly NoticeLevel[] }[] = [
  { assigned: AGENT, levels: ["mine", "unassigned", "all"] },
  { assigned: undefined, levels: ["unassigned", "all"] },
  { assigned: "", levels: ["unassigned", "all"] },
  { assigned: "agent-2", levels: ["all"] },
];

test.each(chosen)("a conversation assigned to $assigned notifies with the choices $levels", ({ assigned, levels }) => {
  const notifying = NOTICE_LEVELS.filter((level) => noticeOf(itemOf({}, assigned), level, AGENT) !== undefined);
  expect(notifying).toEqual(levels);
});

const silent: readonly { readonly what: string; readonly item: LiveItem }[] = [
  { what: "a private note", item: itemOf({ actor_type: "agent", message_type: "private" }) },
  { what: "a private message of a customer's side", item: itemOf({ message_type: "private" }) },
  { what: "a message of an agent", item: itemOf({ actor_type: "agent" }) },
  { what: "a message of a bot", item: itemOf({ actor_type: "bot" }) },
  { what: "a message of the system", item: itemOf({ actor_type: "system", message_type: "system" }) },
  { what: "a presence", item: { id: "1", event: "presence", data: { conversation_id: "c", agents: [] } } },
];

test.each(silent)("$what never notifies", ({ item }) => {
  expect(noticeOf(item, "all", AGENT)).toBeUndefined();
});

test("a message without text notifies with an empty text, and a long one is shortened", () => {
  const image = itemOf({ message_parts: [{ image: { url: "https://example.com/a.png" } }] });
  expect(noticeOf(image, "all", AGENT)?.text).toBe("");
  const long = itemOf({ message_parts: [{ text: { content: "a".repeat(1_000) } }] });
  expect(noticeOf(long, "all", AGENT)?.text).toHaveLength(140);
});

test("notices of a conversation are one group with the newest notice; groups are in the order of their newest notices", () => {
  const notice = (messageId: string, conversationId: string): MessageNotification => ({
    messageId,
    conversationId,
    number: "1",
    customer: {},
    text: "",
  });
  const groups = groupNotices([notice("1", "a"), notice("2", "b"), notice("3", "a")]);
  expect(groups.map(({ latest, count }) => [latest.messageId, count])).toEqual([
    ["2", 1],
    ["3", 2],
  ]);
});
