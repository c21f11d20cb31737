import { describe, expect, test } from "@jest/globals";
import { matchesSchema, MessagePart, type Message } from "@parley/contract";
import fc from "fast-check";
import {
  mayAcceptOffer,
  isOfferAccepted,
  continuationOfferOf,
  previousConversationId,
} from "../server/lib/returning-customer.ts";
import {
  CARDS_TITLE,
  labelsOf,
  menuParts,
  GREETING_MARK,
  isSentLater,
  questionMarkOf,
} from "../server/lib/quick-replies.ts";
import { MENU_STYLES } from "../server/lib/settings.ts";
import { parseTopicWelcomes, unknownTopics, findTopicWelcome } from "../server/lib/topic-welcomes.ts";

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
  ])("%j is none", (text, message) => {
    expect(parseTopicWelcomes(text)).toEqual({ welcomes: [], problems: [{ line: 1, message }] });
  });

  test("is one of several; a topic has one", () => {
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

  test("whose topic the account doesn't have is named with the topics that there are", () => {
    const { welcomes } = parseTopicWelcomes("sales => a\nNope => b");
    expect(unknownTopics(welcomes, ["Sales", "Support"])).toEqual([
      { line: 2, message: 'the account has no topic "Nope". It has Sales, Support.' },
    ]);
  });
});

test("any text is read: every line that says something is a message or a problem, in its place", () => {
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

describe("the menu's look", () => {
  test("buttons", () => {
    expect(menuParts("Buttons", ["Buy", "Help"])).toEqual([
      {
        collection: {
          sub_parts: ["Buy", "Help"].map((label) => ({ quick_reply_button: { label, payload: label } })),
        },
      },
    ]);
  });
  test("a list", () => {
    expect(menuParts("List", ["Buy"])).toEqual([
      {
        template_content: {
          type: "quick_reply_dropdown",
          sections: [{ name: "options", parts: [{ quick_reply_button: { label: "Buy", payload: "Buy" } }] }],
        },
      },
    ]);
  });
  test("cards, with the picture that is given or a plain one", () => {
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
  test("a message without parts offers nothing", () => {
    expect(labelsOf(undefined)).toEqual([]);
  });
});

describe("the last conversation", () => {
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
  test("is offered where it leads somewhere", () => {
    expect(continuationOfferOf({ topic: "Sales", group_id: "g" })).toEqual({ label: "Sales again", group_id: "g" });
    expect(continuationOfferOf({ topic: "Sales" })).toBeUndefined();
    expect(continuationOfferOf({ group_id: "g" })).toBeUndefined();
  });
  test("is taken up in its words only", () => {
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

describe("what a customer's words answer", () => {
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
  const asks = (id: string, mark: string, ...labels: string[]) =>
    message(id, { meta_data: { concierge: mark }, reply_parts: menuParts("Buttons", labels) ?? [] });
  const says = (content: string, to?: string, id = "s") =>
    message(id, {
      actor_type: "user",
      message_parts: [{ text: { content } }],
      ...(to && { in_reply_to: { message_id: to } }),
    });
  const menu = asks("m", "greeting", "Buy", "No, thanks");
  const consent = asks("q", "lead:x", "Yes", "No, thanks");
  const later = asks("z", "later", "Buy");
  const ofAgent = message("o", { actor_type: "agent", reply_parts: menuParts("Cards", ["Yes"]) ?? [] });

  test.each([
    [says("buy"), "greeting"],
    [says("no, THANKS"), "lead:x"],
    [says("No, thanks", "m"), "greeting"],
    [says("Buy", "q"), "greeting"],
    [says("Buy", "z"), "greeting"],
    [says("Yes"), ""],
    [says("Yes", "q"), "lead:x"],
    [says("Sell"), undefined],
  ])("%#", (said, mark) => {
    const words = said.message_parts[0]?.text?.content ?? "";
    expect(questionMarkOf([later, said, ofAgent, consent, menu], said, words)).toBe(mark);
    expect(questionMarkOf([later, ofAgent, consent, menu], said, words)).toBeUndefined();
  });

  test("is the greeting where nothing else was asked, and nothing was said since", () => {
    const said = says("Buy");
    expect(questionMarkOf([said, menu], said, "Buy")).toBe(GREETING_MARK);
    expect(isSentLater([said, menu], said, () => true)).toBe(false);
  });

  test("later words are those of the customer, after it", () => {
    const [first, second] = [says("Buy", undefined, "a"), says("Help", undefined, "b")];
    const isOne = (words: string) => ["Buy", "Help", "?"].includes(words);
    expect(isSentLater([later, second, first], first, isOne)).toBe(true);
    expect(isSentLater([later, second, first], second, isOne)).toBe(false);
    expect(isSentLater([second, first], first, (words) => words === "Buy")).toBe(false);
    expect(isSentLater([second], first, isOne)).toBe(true);
    expect(isSentLater([later], first, isOne)).toBe(false);
  });
});
