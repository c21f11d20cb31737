import type { Message, MessagePart } from "@parley/contract";
import { expect, test } from "@jest/globals";
import type { LiveItem } from "../../src/live/live-messages.ts";
import { replyOffers } from "../../src/test-customer/reply-choices.ts";
import { concernsConversation, isRestricted } from "../../src/test-customer/test-customer-events.ts";

const offersOf = (...reply_parts: readonly MessagePart[]) => replyOffers({ reply_parts: [...reply_parts] });

test("a quick reply sends its own text, or its label", () => {
  const parts = [
    { quick_reply_button: { label: "Order", custom_reply_text: "My order" } },
    { quick_reply_button: { label: "Invoice" } },
    { url_button: { url: "https://example.com", label: "Help" } },
  ];
  expect(offersOf({ collection: { sub_parts: parts } })).toEqual([
    { kind: "choice", label: "Order", text: "My order" },
    { kind: "choice", label: "Invoice", text: "Invoice" },
    { kind: "link", label: "Help", url: "https://example.com" },
  ]);
});

test("a dropdown offers its options", () => {
  const options = [{ quick_reply_button: { label: "Small" } }, { quick_reply_button: { label: "Large" } }];
  expect(
    offersOf({ template_content: { type: "quick_reply_dropdown", sections: [{ name: "options", parts: options }] } }),
  ).toEqual([
    {
      kind: "dropdown",
      choices: [
        { label: "Small", text: "Small" },
        { label: "Large", text: "Large" },
      ],
    },
  ]);
});

const card = (title: string): MessagePart => ({
  template_content: {
    type: "carousel_card_default",
    sections: [
      { name: "hero_image", parts: [{ image: { url: "https://example.com/a.png" } }] },
      { name: "title", parts: [{ text: { content: title } }] },
      { name: "callback", parts: [{ callback: { label: "Choose", payload: title } }] },
    ],
  },
});

test("cards of a carousel with the same label are different choices", () => {
  const sections = [
    { name: "carousel_title", parts: [{ text: { content: "Products" } }] },
    { name: "cards", parts: [card("Chair"), card("Table")] },
  ];
  const [carousel] = offersOf({ template_content: { type: "carousel", sections } });
  expect(carousel).toMatchObject({
    kind: "carousel",
    title: "Products",
    cards: [
      { title: "Chair", imageUrl: "https://example.com/a.png", choice: { label: "Choose", text: "Choose" } },
      { title: "Table", choice: { label: "Choose", text: "Choose" } },
    ],
  });
});

test("choices of a template of an unknown type are offered", () => {
  const sections = [{ name: "any", parts: [{ quick_reply_button: { label: "Yes" } }] }];
  expect(offersOf({ template_content: { type: "new_type", sections } })).toEqual([
    { kind: "choice", label: "Yes", text: "Yes" },
  ]);
});

test("a message without reply parts offers nothing", () => {
  expect(replyOffers({})).toEqual([]);
});

const created = (conversation_id: string, message_type: Message["message_type"]): LiveItem =>
  ({
    id: "1",
    event: "message_create",
    data: { data: { message: { conversation_id, messages: [{ message_type }] } } },
  }) as unknown as LiveItem;
const updated = (conversation_id: string): LiveItem =>
  ({
    id: "1",
    event: "conversation_update",
    data: { data: { conversation: { conversation_id } } },
  }) as unknown as LiveItem;

test.each([
  { what: "a message", item: created("c", "normal"), concerns: true },
  { what: "a private note", item: created("c", "private"), concerns: false },
  { what: "a message elsewhere", item: created("other", "normal"), concerns: false },
  { what: "a new state", item: updated("c"), concerns: true },
  { what: "a new state elsewhere", item: updated("other"), concerns: false },
])("$what is read again by the customer's side: $concerns", ({ item, concerns }) => {
  expect(concernsConversation(item, "c")).toBe(concerns);
});

test("the customer can't answer after the last message of a bot that ended the conversation", () => {
  const message = (members: Partial<Message>): Message => ({ message_type: "normal", ...members }) as Message;
  const ended = message({ actor_type: "bot", restrictResponse: true });
  expect(isRestricted({ messages: [ended] })).toBe(true);
  expect(isRestricted({ messages: [ended, message({ message_type: "system" })] })).toBe(true);
  expect(isRestricted({ messages: [ended, message({ actor_type: "agent" })] })).toBe(false);
  expect(isRestricted({ messages: [] })).toBe(false);
});
