import { describe, expect, test } from "@jest/globals";
import { siteConfigOf } from "../../../src/panel/config/site-config.ts";
import { responseTimeText } from "../../../src/panel/home/response-time.ts";
import { inputAttributes, readableText } from "../../../src/panel/parts/readable-text.ts";
import { formatOf } from "../../../src/panel/texts/format.ts";
import { ENGLISH, textsOf } from "../../../src/panel/texts/texts.ts";

test("parts become one readable text, unknown parts too", () => {
  const parts = [
    { text: { content: "Hello" } },
    { image: { url: "/x" } },
    { file: { name: "a\u202eb.pdf" } },
    { collection: { sub_parts: [{ url_button: { url: "javascript:1", label: "Shop" } }] } },
    { hologram: { caption: "Future", depth: 3 } } as object,
    { toString: {} } as object,
  ];
  expect(readableText(parts, ENGLISH)).toBe("Hello Picture ab.pdf Shop Future This message can't be shown here");
});

describe("the attributes of an input", () => {
  test.each([
    [
      { label: "Order number", text: "Eight digits", validation: "NUMBER" },
      ["Order number", "Eight digits", undefined],
    ],
    [{ title: "Returns", url: "https://a.example/", id: 7 }, ["Returns", "", "https://a.example/"]],
    [{ question: "Which size?", href: "javascript:1", other: { a: 1 } }, ["", "Which size?", "javascript:1"]],
    [{ title: 4, label: " \u200b", name: "ok\u202e" }, ["ok", "", undefined]],
    [{}, ["", "", undefined]],
    [null, ["", "", undefined]],
    ["text", ["", "", undefined]],
    [Object.create({ title: "inherited" }), ["", "", undefined]],
  ])("of %j", (content, [title, text, address]) => {
    expect(inputAttributes(content)).toEqual({ title, text, address });
  });
});

describe("the response time", () => {
  const textOf = (response_minutes: number | undefined, config?: unknown, is_open = true) =>
    responseTimeText(
      { is_open, ...(response_minutes !== undefined && { response_minutes }) },
      { texts: textsOf(ENGLISH, config) },
    );

  test.each([
    [1, "Usually answers in about 1 minute"],
    [4, "Usually answers in about 4 minutes"],
    [7, "Usually answers in about 5 minutes"],
    [50, "Usually answers in about 50 minutes"],
    [51, "Usually answers in about 1 hour"],
    [170, "Usually answers in about 3 hours"],
    [510, "Usually answers in about 9 hours"],
    [511, "Usually answers within a day"],
    [1_440, "Usually answers within a day"],
    [1_441, undefined],
    [undefined, undefined],
  ])("of %p minutes is shown as %p", (minutes, text) => {
    expect(textOf(minutes)).toBe(text);
  });

  test("is not shown while the business is closed", () => expect(textOf(5, undefined, false)).toBeUndefined());

  test("has the site's texts, with the number in place of {!time!}", () => {
    const online = { minutes: { one: "A minute!", more: "{!time!} min" }, hours: { more: "{!time!} h ({!time!})" } };
    const config = { content: { headers: { channel_response: { online } } } };
    expect([1, 4, 60, 120].map((minutes) => textOf(minutes, config))).toEqual([
      "A minute!",
      "4 min",
      "Usually answers in about 1 hour",
      "2 h (2)",
    ]);
    const wrong = { content: { headers: { channel_response: { online: { minutes: { more: 4 } } } } } };
    expect(textOf(4, wrong)).toBe("Usually answers in about 4 minutes");
  });
});

describe("the site's config", () => {
  test("replaces texts by its content, and members of another type are ignored", () => {
    const content = {
      headers: { chat: "Chat", csat_question: 4 },
      placeholders: { reply_field: "Ask" },
      actions: null,
    };
    const texts = textsOf(ENGLISH, { content });
    expect([texts.chat, texts.messageField, texts.csatQuestion]).toEqual(["Chat", "Ask", ENGLISH.csatQuestion]);
    expect(texts.message).toBe("Message");
  });

  test.each([
    undefined,
    null,
    3,
    "text",
    [],
    { headerProperty: "x", agent: true },
    { __proto__: { headerProperty: {} } },
  ])("%j gives no setting", (config) => {
    const { isAgentNameHidden, isAgentPictureHidden, hasSound, ...texts } = siteConfigOf(config);
    expect([isAgentNameHidden, isAgentPictureHidden, hasSound]).toEqual([false, false, false]);
    expect(new Set(Object.values(texts))).toEqual(new Set([undefined]));
  });

  const LOOK = { color: "#14532d", text_color: "#ffffff", dark_color: "#bbf7d0", dark_text_color: "#000000" };
  test.each([
    [{}, ["#14532d", "#ffffff", "#bbf7d0", "#000000"]],
    [{ backgroundColor: "red" }, ["red", undefined, undefined, undefined]],
    [{ backgroundColor: "red", foregroundColor: "blue" }, ["red", "blue", undefined, "blue"]],
    [{ foregroundColor: "blue" }, ["#14532d", "blue", "#bbf7d0", "blue"]],
  ])("%j precedes the colours of the account", (headerProperty, colors) => {
    const site = siteConfigOf({ headerProperty }, LOOK);
    expect([site.backgroundColor, site.foregroundColor, site.darkBackgroundColor, site.darkForegroundColor]).toEqual(
      colors,
    );
  });

  test("precedes the picture and the texts of the account, which precede ours", () => {
    const look = { title: "Ask us", help: "We know bicycles.", away: "Back on Monday" };
    const texts = textsOf(ENGLISH, { content: { headers: { chat: "Of the page" } } }, look);
    expect([texts.chat, texts.chatHelp, texts.isClosed, texts.messageField]).toEqual([
      "Of the page",
      "We know bicycles.",
      "Back on Monday",
      ENGLISH.messageField,
    ]);
    const logos = [{}, { headerProperty: { appLogo: "/page.png" } }].map(
      (config) => siteConfigOf(config, { picture_url: "/account.png" }).appLogo,
    );
    expect(logos).toEqual(["/account.png", "/page.png"]);
  });
});

describe("formats", () => {
  test("sizes follow the units of the limits", () => {
    const format = formatOf("en");
    expect([format.size(12), format.size(1_536), format.size(26_214_400)]).toEqual(["12 byte", "1.5 kB", "25 MB"]);
  });

  test("the days beside today have names", () => {
    const now = new Date();
    const day = (days: number) =>
      formatOf("en").day(new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, 12).toISOString());
    expect([day(0), day(-1), day(1)]).toEqual(["today", "yesterday", "tomorrow"]);
  });
});
