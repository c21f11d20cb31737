import { describe, expect, test } from "@jest/globals";
import { contrastOf, readableOn, type Rgb } from "../../../src/panel/appearance/colors.ts";
import { siteConfigOf } from "../../../src/panel/config/site-config.ts";
import { readableText } from "../../../src/panel/parts/readable-text.ts";
import { formatOf } from "../../../src/panel/texts/format.ts";
import { linkPieces, safeLink } from "../../../src/panel/texts/links.ts";
import { textsOf } from "../../../src/panel/texts/texts.ts";
import { visibleName, visibleText } from "../../../src/panel/texts/visible-text.ts";

describe("links in texts", () => {
  test.each([
    ["See https://acme.example/a?b=(c).", ["https://acme.example/a?b=(c)"]],
    ["(see http://acme.example/a)", ["http://acme.example/a"]],
    ["www.acme.example, help@acme.example!", ["https://www.acme.example/", "mailto:help@acme.example"]],
    ["call tel:+4712345678", ["tel:+4712345678"]],
    ["javascript:alert(1) data:text/html,x file:///etc/passwd vbscript:x", []],
    ["JaVaScRiPt://acme.example/%0aalert(1)", []],
    ["1.5 and a@b", []],
  ])("%j has the links %j", (text, links) => {
    const pieces = linkPieces(text);
    expect(pieces.flatMap(({ href }) => href ?? [])).toEqual(links);
    expect(pieces.map((piece) => piece.text).join("")).toBe(text);
  });

  test.each(["javascript:alert(1)", " javascript:alert(1)", "java\nscript:alert(1)", "data:text/html,x", "/path", ""])(
    "the address %j is not opened",
    (address) => expect(safeLink(address)).toBeUndefined(),
  );
});

describe("names and texts of others", () => {
  test.each([
    ["photo\u202egnp.exe", "photognp.exe"],
    ["  Ada\u200b\n\u2066Lovelace\u00ad ", "Ada Lovelace"],
    ["\u200b\u2060\u3164", ""],
    ["نیم\u200cفاصله 👩\u200d🚀", "نیم\u200cفاصله 👩\u200d🚀"],
    [`a${"\u0301".repeat(9)}`, `a${"\u0301".repeat(3)}`],
  ])("the name %j is shown as %j", (name, shown) => expect(visibleName(name)).toBe(shown));

  test("a text keeps its lines and loses what reorders it", () => {
    expect(visibleText("one\n\ttwo\u202e\u0007three")).toBe("one\n\ttwothree");
  });

  test("parts become one readable text, unknown parts too", () => {
    const parts = [
      { text: { content: "Hello" } },
      { image: { url: "/x" } },
      { file: { name: "a\u202eb.pdf" } },
      { collection: { sub_parts: [{ url_button: { url: "javascript:1", label: "Shop" } }] } },
      { hologram: { caption: "Future", depth: 3 } } as object,
      { toString: {} } as object,
    ];
    expect(readableText(parts, textsOf(undefined))).toBe(
      "Hello Picture ab.pdf Shop Future This message can't be shown here",
    );
  });
});

describe("the site's config", () => {
  test("replaces texts by its content, and members of another type are ignored", () => {
    const content = {
      headers: { chat: "Chat", csat_question: 4 },
      placeholders: { reply_field: "Ask" },
      actions: null,
    };
    const texts = textsOf({ content });
    expect([texts.chat, texts.messageField, texts.csatQuestion]).toEqual([
      "Chat",
      "Ask",
      textsOf(undefined).csatQuestion,
    ]);
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
    const { isAgentNameHidden, isAgentPictureHidden, ...texts } = siteConfigOf(config);
    expect([isAgentNameHidden, isAgentPictureHidden]).toEqual([false, false]);
    expect(Object.values(texts)).toEqual([undefined, undefined, undefined, undefined, undefined, undefined]);
  });

  test.each<[Rgb, Rgb | undefined, Rgb]>([
    [
      [0, 0, 0],
      [255, 255, 0],
      [255, 255, 0],
    ],
    [
      [255, 212, 0],
      [255, 255, 255],
      [0, 0, 0],
    ],
    [
      [31, 79, 216],
      [31, 79, 200],
      [255, 255, 255],
    ],
    [[118, 118, 118], undefined, [0, 0, 0]],
  ])("on the background %j the wanted colour %j becomes %j", (background, wanted, shown) => {
    expect(readableOn(background, wanted)).toEqual(shown);
    expect(contrastOf(background, shown)).toBeGreaterThanOrEqual(4.5);
  });
});

describe("formats", () => {
  test.each([
    ["ar", "rtl"],
    ["he-IL", "rtl"],
    ["en", "ltr"],
    ["pt_BR", "ltr"],
    ["not a locale!", "ltr"],
  ])("the locale %j is written %s", (locale, direction) => expect(formatOf(locale).direction).toBe(direction));

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
