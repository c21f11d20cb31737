import { describe, expect, test } from "@jest/globals";
import { isProblemError } from "@parley/client";
import type { MessagePart, NewMessage } from "@parley/contract";
import { conversationsHarness, textParts } from "./conversations-harness.ts";
import { fileFixture } from "../../../../../test/support/file-fixture.ts";

const s = fileFixture(conversationsHarness);

const UNKNOWN_ID = "00000000-0000-0000-0000-000000000000";
const MESSAGES = `/v2/conversations/${UNKNOWN_ID}/messages`;
const bot = { actor_type: "bot", message_parts: [{ text: { content: "Hi" } }] };
const CASES: [why: string, path: string, body: string, token: string | undefined, code: number, category: string][] = [
  ["the conversation is unknown", MESSAGES, JSON.stringify(bot), undefined, 404, "COMMON"],
  ["a member is missing", MESSAGES, "{}", undefined, 400, "COMMON"],
  ["the body is not JSON", MESSAGES, "{", undefined, 400, "COMMON"],
  ["the token is unknown", MESSAGES, JSON.stringify(bot), "nobody's", 401, "ACCOUNT"],
  ["one of a new conversation's members is missing", "/v2/conversations", "{}", undefined, 400, "COMMON"],
];

describe("a message that can't be added is refused with its own members beside the common ones", () => {
  test.each(CASES)("because %s", async (_, path, body, token, code, category) => {
    const headers = { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) };
    const response = await s.raw("POST", path, { headers, body });
    const messages = (await response.json()) as { message: string };
    expect(messages).toEqual({
      code,
      status: expect.any(String),
      message: expect.any(String),
      error_code: code,
      error_message: messages.message,
      error_category: category,
    });
  });

  test("a refusal without own members omits them", async () => {
    const response = await s.raw("GET", `/v2/conversations/${UNKNOWN_ID}`);
    expect(Object.keys((await response.json()) as object)).toEqual(["code", "status", "message"]);
  });
});

describe("POST /conversations/{conversation_id}/messages 400 INVALID_MESSAGE_PARTS for a blank text, which has no visible character", () => {
  const text = textParts("Hi");
  const template = (type: string, name: string, part: MessagePart): MessagePart => ({
    template_content: { type, sections: [{ name, parts: [part] }] },
  });
  const refusalOf = async (message: Partial<NewMessage>): Promise<unknown> => {
    const { conversation_id } = await s.createConversation();
    const { conversations, messages } = s.client;
    const before = await s.listMessages(conversation_id);
    const body: NewMessage = { actor_type: "bot", ...message };
    const sent = messages.createMessage({ params: { conversation_id }, body });
    const error: unknown = await sent.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    const id = (await conversations.getConversation({ params: { conversation_id } })).user_id;
    const first = { channel_id: s.channel.id, users: [{ id }], messages: [body] };
    if (error !== undefined) await expect(conversations.createConversation({ body: first })).rejects.toThrow();
    expect((await s.listMessages(conversation_id)).length - before.length).toBe(error === undefined ? 1 : 0);
    return isProblemError(error) && `${error.problem.status}: ${error.problem.message}`;
  };

  test.each([
    ["no character", ""],
    ["spaces", "   "],
    ["line breaks and tabs", "\n\t\r"],
    ["a no-break space", "\u00a0"],
    ["a zero-width space", "\u200b"],
    ["joiners, a direction mark and a byte order mark", "\u200c\u200d\u2060\u200f\ufeff"],
    ["a soft hyphen", "\u00ad"],
    ["a control character", "\u0007"],
    ["a variation selector", "\ufe0f"],
    ["fillers of Hangul", "\u3164\u115f"],
    ["an ideographic space", "\u3000"],
    ["Braille without dots", "\u2800"],
    ["tag characters", "\u{e0041}"],
  ])("%s", async (_title, content) => {
    expect(await refusalOf({ message_parts: [...text, ...textParts(content)] })).toBe(
      "INVALID_MESSAGE_PARTS: message_parts[1].text.content must not be blank: it needs a visible character.",
    );
  });

  const [blank, url] = ["\u200b ", "https://shop.example"];
  test.each<[place: string, message: Partial<NewMessage>]>([
    ["message_parts[0].url_button.label", { message_parts: [{ url_button: { label: blank, url } }] }],
    [
      "reply_parts[0].collection.sub_parts[0].quick_reply_button.label",
      { reply_parts: [{ collection: { sub_parts: [{ quick_reply_button: { label: blank } }] } }] },
    ],
    ["reply_parts[0].help_text.content", { reply_parts: [{ help_text: { content: blank } }] }],
    [
      "reply_parts[0].template_content.sections[0].parts[0].quick_reply_button.label",
      { reply_parts: [template("quick_reply_dropdown", "options", { quick_reply_button: { label: blank } })] },
    ],
    [
      "reply_parts[0].template_content.sections[0].parts[0].text.content",
      { reply_parts: [template("carousel", "carousel_title", { text: { content: blank } })] },
    ],
  ])("%s", async (place, message) => {
    expect(await refusalOf({ message_parts: text, ...message })).toBe(
      `INVALID_MESSAGE_PARTS: ${place} must not be blank: it needs a visible character.`,
    );
  });

  test.each(["\u200bHi", "👩\u200d👩", "️1️⃣", "ك", "·"])("and not for %j", async (content) => {
    expect(await refusalOf({ message_parts: textParts(content) })).toBe(false);
  });
});
