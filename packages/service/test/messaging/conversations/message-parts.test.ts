import { describe, expect, test } from "@jest/globals";
import { isRefusal, type MessagePart, type NewMessage } from "@parley/contract";
import fc from "fast-check";
import { checkMessageParts } from "../../../src/messaging/conversations/message-parts.ts";

const text: MessagePart = { text: { content: "Hi" } };
const image: MessagePart = { image: { url: "https://example.org/a.png" } };
const urlButton: MessagePart = { url_button: { url: "https://example.org", label: "Open" } };
const quickReply: MessagePart = { quick_reply_button: { label: "Yes" } };
const callback: MessagePart = { callback: { payload: "p", label: "Choose" } };
const collection = (...sub_parts: MessagePart[]): MessagePart => ({ collection: { sub_parts } });
const template = (type: string, sections: Record<string, MessagePart[]>): MessagePart => ({
  template_content: { type, sections: Object.entries(sections).map(([name, parts]) => ({ name, parts })) },
});
const card = template("carousel_card_default", { hero_image: [image], title: [text], callback: [callback] });
const carousel = template("carousel", { carousel_title: [text], cards: [card] });
const dropdown = template("quick_reply_dropdown", { options: [quickReply] });

const message = (
  message_parts: MessagePart[],
  reply_parts?: MessagePart[],
  actor_type: NewMessage["actor_type"] = "agent",
) => ({ actor_type, message_parts, reply_parts }) satisfies NewMessage;

const finding = (input: NewMessage): string => {
  try {
    checkMessageParts(input);
    return "";
  } catch (error) {
    if (isRefusal(error) && error.problem.status === "INVALID_MESSAGE_PARTS") return error.message;
    throw error;
  }
};

describe("message parts are accepted", () => {
  test.each<[string, NewMessage]>([
    ["a text", message([text])],
    ["an image, a video and a file", message([image, { video: { url: "v" } }, { file: { url: "f" } }])],
    ["a button and a collection of buttons", message([urlButton, collection(urlButton, urlButton)])],
    ["buttons to reply with", message([text], [collection(urlButton, quickReply)])],
    ["a carousel with help", message([text], [carousel, { help_text: { content: "Swipe" } }])],
    [
      "a card with all of its sections",
      message(
        [text],
        [
          template("carousel", {
            carousel_title: [text],
            cards: [
              template("carousel_card_default", {
                hero_image: [image],
                title: [text],
                description: [text],
                callback: [callback],
                view: [urlButton],
              }),
            ],
          }),
        ],
      ),
    ],
    ["a dropdown", message([text], [dropdown], "bot")],
    ["a user's message with an empty list of reply parts", message([text], [], "user")],
  ])("%s", (_title, input) => {
    expect(finding(input)).toBe("");
  });
});

describe("URLs in parts", () => {
  const at = (key: "url_button" | "image" | "video" | "file", url: string): MessagePart =>
    key === "url_button" ? { url_button: { url, label: "Open" } } : { [key]: { url } };
  const KINDS = ["image", "video", "file", "url_button"] as const;
  const SCRIPTS = [
    "javascript:alert(1)",
    "JavaScript:alert(1)",
    " javascript:x",
    "java\nscript:x",
    "\u0001javascript:x",
    "vbscript:x",
  ];
  const OTHERS =
    "data:text/html,<script> file:///etc/passwd blob:https://a.example/1 shop://order/1 ftp://a.example/ search-ms:query=x about:blank".split(
      " ",
    );

  test.each(KINDS.flatMap((key) => [...SCRIPTS, ...OTHERS].map((url) => [key, url] as const)))(
    "%s refuses %j",
    (key, url) => {
      expect(finding(message([at(key, url)]))).toMatch(new RegExp(`^message_parts\\[0\\]\\.${key}\\.url must `));
    },
  );

  test.each(["https://a.example/x", "http://localhost:1/x", "a.png", "/a.png", "//a.example/javascript:x"])(
    "of every kind may be %j",
    (url) => {
      for (const key of KINDS) expect(finding(message([at(key, url)]))).toBe("");
    },
  );

  test.each(["mailto:a@b.example", "tel:+12025550100", "TEL:+12025550100"])("of a button only may be %j", (url) => {
    expect(finding(message([at("url_button", url)]))).toBe("");
    for (const key of ["image", "video", "file"] as const)
      expect(finding(message([at(key, url)]))).toContain("must be an address of https or http");
  });

  test("of an image only may contain a raster image, and no SVG, which may contain a script", () => {
    const png = "data:image/png;base64,AA==";
    expect(finding(message([at("image", png)]))).toBe("");
    for (const key of ["video", "file", "url_button"] as const)
      expect(finding(message([at(key, png)]))).toContain("url must");
    for (const url of ["data:image/svg+xml,<svg/>", "data:text/html,x", "data:image/pngx,", "data:,x"])
      expect(finding(message([at("image", url)]))).toContain("image.url must be");
  });

  test("refuse a script at any depth", () => {
    const button = at("url_button", "javascript:x");
    const hidden = template("carousel_card_default", {
      hero_image: [at("image", "javascript:x")],
      title: [text],
      callback: [callback],
    });
    for (const part of [collection(button), template("carousel", { carousel_title: [text], cards: [hidden] })])
      expect(finding(message([text], [part]))).toContain("url must");
    expect(finding(message([collection(button)]))).toContain("collection.sub_parts[0].url_button.url must be");
  });

  test("refuse anything that a browser would interpret as a script", () => {
    const noise = fc.string({ unit: fc.constantFrom("\t", "\n", "\r"), maxLength: 3 });
    const lead = fc.string({ unit: fc.constantFrom(" ", "\u0000", "\u001f", "\n"), maxLength: 3 });
    const letters = fc.tuple(
      ...[..."javascript"].map((letter) => fc.tuple(fc.constantFrom(letter, letter.toUpperCase()), noise)),
    );
    fc.assert(
      fc.property(lead, letters, fc.string(), (before, name, after) => {
        const url = `${before}${name.flat().join("")}:${after}`;
        expect(finding(message([at("url_button", url)]))).toContain("must be an address of https, http, mailto or tel");
      }),
    );
  });
});

describe("message parts are refused", () => {
  test.each<[string, NewMessage, string]>([
    ["none", message([]), "message_parts must hold at least one part."],
    ["an absent list", { actor_type: "agent", reply_parts: [dropdown] }, "message_parts must hold at least one part."],
    ["a quick reply among them", message([text, quickReply]), "message_parts[1] may not be quick_reply_button here"],
    ["a template among them", message([carousel]), "message_parts[0] may not be template_content here"],
    [
      "a text in a collection",
      message([collection(text)]),
      "message_parts[0].collection.sub_parts[0] may not be text here",
    ],
    [
      "a collection in a collection",
      message([collection(collection(urlButton))]),
      "message_parts[0].collection.sub_parts[0] may not be collection",
    ],
    [
      "a quick reply in a collection of them",
      message([collection(quickReply)]),
      "may not be quick_reply_button here: it may be url_button.",
    ],
    ["a text to reply with", message([text], [text]), "reply_parts[0] may not be text here"],
    ["a user's reply parts", message([text], [dropdown], "user"), "reply_parts may be sent by an agent or a bot only."],
    [
      "the system's reply parts",
      message([text], [dropdown], "system"),
      "reply_parts may be sent by an agent or a bot only.",
    ],
    [
      "an agent's attachment input",
      message([text], [{ attachment_input: {} }]),
      "reply_parts[0] may not be attachment_input: it stands in responses only.",
    ],
    [
      "an agent's reference",
      message([text], [{ reference: {} }]),
      "reply_parts[0] may not be reference: it stands in responses only.",
    ],
    [
      "an agent's text input",
      message([text], [{ text_input: {} }]),
      "reply_parts[0] may not be text_input: it stands in responses only.",
    ],
    [
      "a bot's text input",
      message([text], [{ text_input: {} }], "bot"),
      "reply_parts[0] may not be text_input: it stands in responses only.",
    ],
    [
      "a reference among the message's parts",
      message([{ reference: {} }]),
      "message_parts[0] may not be reference: it stands in responses only.",
    ],
    [
      "an empty collection",
      message([collection()]),
      "message_parts[0].collection.sub_parts must hold at least one part.",
    ],
    [
      "an empty collection to reply with",
      message([text], [collection()]),
      "reply_parts[0].collection.sub_parts must hold at least one part.",
    ],
    [
      "an unknown template",
      message([text], [template("other", {})]),
      "reply_parts[0].template_content.type must be one of carousel, quick_reply_dropdown.",
    ],
    [
      "a template that is named like a member of every object",
      message([text], [template("constructor", {})]),
      "type must be one of",
    ],
    [
      "a card outside a carousel",
      message([text], [card]),
      "reply_parts[0].template_content.type must be one of carousel, quick_reply_dropdown.",
    ],
    [
      "a carousel in a carousel",
      message([text], [template("carousel", { carousel_title: [text], cards: [carousel] })]),
      "reply_parts[0].template_content.sections[1].parts[0].template_content.type must be one of carousel_card_default.",
    ],
    [
      "a dropdown without options",
      message([text], [template("quick_reply_dropdown", {})]),
      "reply_parts[0].template_content.sections must hold the section options with a part.",
    ],
    [
      "a dropdown with an empty list",
      message([text], [template("quick_reply_dropdown", { options: [] })]),
      "must hold the section options with a part.",
    ],
    [
      "a section of another template",
      message([text], [template("quick_reply_dropdown", { cards: [card] })]),
      "reply_parts[0].template_content.sections[0].name must be one of options.",
    ],
    [
      "a section that every object has",
      message([text], [template("carousel", { toString: [text] })]),
      "sections[0].name must be one of",
    ],
    [
      "a section given twice",
      message(
        [text],
        [
          {
            template_content: {
              type: "quick_reply_dropdown",
              sections: [
                { name: "options", parts: [quickReply] },
                { name: "options", parts: [quickReply] },
              ],
            },
          },
        ],
      ),
      "reply_parts[0].template_content.sections[1].name repeats the section options.",
    ],
    [
      "a text in place of a picture",
      message(
        [text],
        [
          template("carousel", {
            carousel_title: [text],
            cards: [template("carousel_card_default", { hero_image: [text] })],
          }),
        ],
      ),
      "sections[1].parts[0].template_content.sections[0].parts[0] may not be text here: it may be image.",
    ],
  ])("%s", (_title, input, reason) => {
    expect(finding(input)).toContain(reason);
  });
});

test("for any nesting the result is a refusal with a path, or acceptance", () => {
  const { part } = fc.letrec<{ part: MessagePart }>((tie) => ({
    part: fc.oneof(
      { maxDepth: 6 },
      fc.constantFrom(text, image, urlButton, quickReply, callback),
      fc.array(tie("part"), { maxLength: 3 }).map((parts) => collection(...parts)),
      fc
        .record({
          type: fc.constantFrom("carousel", "carousel_card_default", "quick_reply_dropdown"),
          parts: fc.array(tie("part"), { maxLength: 3 }),
        })
        .map(({ type, parts }) => template(type, { options: parts, cards: parts, title: parts })),
    ),
  }));
  fc.assert(
    fc.property(fc.array(part, { maxLength: 4 }), fc.array(part, { maxLength: 4 }), (message_parts, reply_parts) => {
      expect(finding(message(message_parts, reply_parts))).toMatch(/^$|^(message_parts|reply_parts)[[\].\w]* /);
    }),
  );
});
