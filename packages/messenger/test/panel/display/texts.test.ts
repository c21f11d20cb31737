import { describe, expect, test } from "@jest/globals";
import { contrastOf, readableOn, type Rgb } from "../../../src/panel/appearance/colors.ts";
import { siteConfigOf } from "../../../src/panel/config/site-config.ts";
import { readableText } from "../../../src/panel/parts/readable-text.ts";
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
