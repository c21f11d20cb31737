import { describe, expect, test } from "@jest/globals";
import { matchesSchema, MessagePart, type Message } from "@parley/contract";
import fc from "fast-check";
import {
  mayAcceptOffer,
  isOfferAccepted,
  continuationOfferOf,
  previousConversationId,
} from "../../../server/lib/returning-customer.ts";
import {
  CARDS_TITLE,
  labelsOf,
  menuParts,
  GREETING_MARK,
  isSentLater,
  questionMarkOf,
} from "../../../server/lib/quick-replies.ts";
import { MENU_STYLES } from "../../../server/lib/settings.ts";
import { parseTopicWelcomes, unknownTopics, findTopicWelcome } from "../../../server/lib/topic-welcomes.ts";

describe("a line of the topics' welcome messages", () => {
  test.each([
    ["Sales => Hi!", "Sales", "Hi!"],
    ["  Returns & refunds=>Hi {{user.first_name}}  ", "Returns & refunds", "Hi {{user.first_name}}"],
    ["Sales => a => b", "Sales", "a => b"],
  ])("%j is a message", (text, topic, welcome) => {
    expect(parseTopicWelcomes(text)).toEqual({ welcomes: [{ line: 1, topic, welcome }], problems: [] });
  });

  test.each([
    ["Sales", 'write "Topic => message".'],
    ["=> Hi", 'write "Topic => message".'],
    ["Sales =>", 'write "Topic => message".'],
    ["Sales => {{#if user}}Hi", expect.any(String)],
  ])("%j is not a greeting", (text, message) => {
    expect(parseTopicWelcomes(text)).toEqual({ welcomes: [], problems: [{ line: 1, message }] });
  });

  test("is one of several, one per topic", () => {
    const { welcomes, problems } = parseTopicWelcomes("\nSales => Hi\n\n???\n SALES => Ho\nSupport => Hey");
    expect(welcomes.map(({ line, topic }) => [line, topic])).toEqual([
      [2, "Sales"],
      [6, "Support"],
    ]);
    expect(problems).toEqual([
      { line: 4, message: 'write "Topic => message".' },
      { line: 5, message: 'line 2 is of the topic "SALES" already.' },
    ]);
    expect(findTopicWelcome(welcomes, " sales ")?.welcome).toBe("Hi");
    expect(findTopicWelcome(welcomes, "Billing")).toBeUndefined();
  });

  test("with an unknown topic is a problem that lists the account's topics", () => {
    const { welcomes } = parseTopicWelcomes("sales => a\nNope => b");
    expect(unknownTopics(welcomes, ["Sales", "Support"])).toEqual([
      { line: 2, message: 'the account has no topic "Nope". It has Sales, Support.' },
    ]);
  });
});

test("every non-empty line of any text is a welcome message or a problem", () => {
  const pieces = fc.oneof(fc.string(), fc.constantFrom("=>", "\n", "Sales", "{{", "}}", " "));
  fc.assert(
    fc.property(
      fc.array(pieces, { maxLength: 20 }).map((parts) => parts.join("")),
      (setting) => {
        const { welcomes, problems } = parseTopicWelcomes(setting);
        const speaking = setting.split(/\r\n|\r|\n/).flatMap((text, index) => (text.trim() ? [index + 1] : []));
        expect([...welcomes, ...problems].map(({ line }) => line).sort((one, other) => one - other)).toEqual(speaking);
        for (const one of welcomes) expect(findTopicWelcome(welcomes, one.topic)).toBe(one);
      },
    ),
    { numRuns: 300 },
  );
});

describe("the reply parts of the menu", () => {
  test("are buttons", () => {
    expect(menuParts("Buttons", ["Buy", "Help"])).toEqual([
      {
        collection: {
          sub_parts: ["Buy", "Help"].map((label) => ({ quick_reply_button: { label, payload: label } })),
        },
      },
    ]);
  });
  test("are a dropdown list", () => {
    expect(menuParts("List", ["Buy"])).toEqual([
      {
        template_content: {
          type: "quick_reply_dropdown",
          sections: [{ name: "options", parts: [{ quick_reply_button: { label: "Buy", payload: "Buy" } }] }],
        },
      },
    ]);
  });
  test("are cards with the given or a default picture", () => {
    const cardsWith = (url: unknown) => [
      {
        template_content: {
          type: "carousel",
          sections: [
            { name: "carousel_title", parts: [{ text: { content: CARDS_TITLE } }] },
            {
              name: "cards",
              parts: [
                {
                  template_content: {
                    type: "carousel_card_default",
                    sections: [
                      { name: "hero_image", parts: [{ image: { url } }] },
                      { name: "title", parts: [{ text: { content: "Buy" } }] },
                      { name: "callback", parts: [{ callback: { label: "Buy", payload: "Buy" } }] },
                    ],
                  },
                },
              ],
            },
          ],
        },
      },
    ];
    expect(CARDS_TITLE).toBe("Please choose:");
    expect(menuParts("Cards", ["Buy"], "https://a.example/b.png")).toEqual(cardsWith("https://a.example/b.png"));
    expect(menuParts("Cards", ["Buy"])).toEqual(cardsWith(expect.stringMatching(/^data:image\/png;base64,\w/)));
  });
  test.each(MENU_STYLES)("%s: each part is one of the contract's, and offers its labels in their order", (style) => {
    const labels = ["Buy", "Help", "Ask"];
    const parts = menuParts(style, labels);
    expect(labelsOf(parts)).toEqual(labels);
    for (const part of parts ?? []) expect(matchesSchema(MessagePart, part)).toBe(true);
    expect(menuParts(style, [])).toBeUndefined();
  });
  test("a message without reply parts offers no labels", () => {
    expect(labelsOf(undefined)).toEqual([]);
  });
});

describe("the continuation of the last conversation", () => {
  test.each([
    [["now", "before", "first"], "before"],
    [["later", "now", "before"], "before"],
    [["before", "first"], "before"],
    [["later", "now"], undefined],
    [["now"], undefined],
    [[], undefined],
  ])("of %j is %s", (ids, previous) => {
    expect(previousConversationId(ids, "now")).toBe(previous);
  });
  test("is offered if the conversation has a topic and a group", () => {
    expect(continuationOfferOf({ topic: "Sales", group_id: "g" })).toEqual({ label: "Sales again", group_id: "g" });
    expect(continuationOfferOf({ topic: "Sales" })).toBeUndefined();
    expect(continuationOfferOf({ group_id: "g" })).toBeUndefined();
  });
  test("is accepted by the offered label only", () => {
    const offer = { label: "Sales again", group_id: "g" };
    expect(isOfferAccepted(offer, " sales  AGAIN ")).toBe(true);
    expect(isOfferAccepted(offer, "Support again")).toBe(false);
    expect(isOfferAccepted(undefined, "Sales again")).toBe(false);
    expect([" sales  AGAIN ", "Sales again!", "again", "Sales"].map(mayAcceptOffer)).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });
});

describe("the question that a customer's text answers", () => {
  const message = (id: string, more: Partial<Message>): Message => ({
    id,
    created_time: "2026-01-05T09:00:00.000Z",
    app_id: "a",
    channel_id: "c",
    conversation_id: "v",
    interaction_id: "i",
    freshchat_conversation_id: "1",
    freshchat_channel_id: "2",
    actor_type: "bot",
    message_type: "normal",
    message_parts: [{ text: { content: "?" } }],
    ...more,
  });
  const question = (id: string, mark: string, ...labels: string[]) =>
    message(id, { meta_data: { concierge: mark }, reply_parts: menuParts("Buttons", labels) ?? [] });
  const reply = (content: string, to?: string, id = "s") =>
    message(id, {
      actor_type: "user",
      message_parts: [{ text: { content } }],
      ...(to && { in_reply_to: { message_id: to } }),
    });
  const menu = question("m", "greeting", "Buy", "No, thanks");
  const consent = question("q", "lead:x", "Yes", "No, thanks");
  const later = question("z", "later", "Buy");
  const ofAgent = message("o", { actor_type: "agent", reply_parts: menuParts("Cards", ["Yes"]) ?? [] });

  test.each([
    [reply("buy"), "greeting"],
    [reply("no, THANKS"), "lead:x"],
    [reply("No, thanks", "m"), "greeting"],
    [reply("Buy", "q"), "greeting"],
    [reply("Buy", "z"), "greeting"],
    [reply("Yes"), ""],
    [reply("Yes", "q"), "lead:x"],
    [reply("Sell"), undefined],
  ])("%#", (message, mark) => {
    const text = message.message_parts[0]?.text?.content ?? "";
    expect(questionMarkOf([later, message, ofAgent, consent, menu], message, text)).toBe(mark);
    expect(questionMarkOf([later, ofAgent, consent, menu], message, text)).toBeUndefined();
  });

  test("is the latest one that offered the text", () => {
    const message = reply("Buy");
    expect(questionMarkOf([message, menu], message, "Buy")).toBe(GREETING_MARK);
    expect(isSentLater([message, menu], message, () => true)).toBe(false);
  });

  test("later texts are the customer's texts after the message", () => {
    const [first, second] = [reply("Buy", undefined, "a"), reply("Help", undefined, "b")];
    const matches = (text: string) => ["Buy", "Help", "?"].includes(text);
    expect(isSentLater([later, second, first], first, matches)).toBe(true);
    expect(isSentLater([later, second, first], second, matches)).toBe(false);
    expect(isSentLater([second, first], first, (text) => text === "Buy")).toBe(false);
    expect(isSentLater([second], first, matches)).toBe(true);
    expect(isSentLater([later], first, matches)).toBe(false);
  });
});
