import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { MessageTemplate, Template } from "@parley/contract";
import fc from "fast-check";
import { fillPlaceholders, placeholderCount } from "../../../src/messaging/outbound/rendering.ts";
import { serviceHarness, type ServiceHarness } from "../../service-harness.ts";
import {
  GREETING_TEMPLATE,
  messageTemplate,
  templateParams,
  saveTemplate,
  outboundRequest,
  sendOutbound,
} from "./outbound-fixture.ts";

const PLAIN: Template = { ...GREETING_TEMPLATE, name: "plain", body: { text: "No words needed." } };
const TITLED: Template = {
  ...GREETING_TEMPLATE,
  name: "titled",
  header: { type: "text", text: "See {{1}}" },
  body: PLAIN.body,
};
const FIXED: Template = {
  ...GREETING_TEMPLATE,
  name: "fixed",
  header: { type: "text", text: "News" },
  body: PLAIN.body,
};
const WITH_IMAGE: Template = { ...GREETING_TEMPLATE, name: "pictured", header: { type: "image" }, body: PLAIN.body };
const LINKED: Template = {
  ...GREETING_TEMPLATE,
  name: "linked",
  body: PLAIN.body,
  buttons: [
    { subType: "url", label: "Shop", url: "https://acme.example/" },
    { subType: "url", label: "Order", url: "https://acme.example/orders/{{1}}" },
    { subType: "url", label: "Invoice", url: "https://acme.example{{1}}" },
  ],
};
const TEMPLATES = [GREETING_TEMPLATE, PLAIN, TITLED, FIXED, WITH_IMAGE, LINKED];

let w: ServiceHarness;
beforeAll(async () => {
  w = await serviceHarness();
  for (const template of TEMPLATES) await saveTemplate(w, template);
});
afterAll(() => w.close());

type Rich = NonNullable<MessageTemplate["rich_template_data"]>;

/** -> "202", or the refusal's token and message */
const outcome = async (template: Template, rich: Rich, more: Partial<MessageTemplate> = {}): Promise<string> => {
  const body = outboundRequest(messageTemplate(template, { rich_template_data: rich, ...more }));
  return sendOutbound(w, body).then(
    () => "202",
    (error: { problem?: { status: string }; message: string }) => `${error.problem?.status} ${error.message}`,
  );
};

const RICH = "data.message_template.rich_template_data";
const url = (...texts: string[]) => ({ subType: "url", params: templateParams(...texts) });
const image = (media_url?: string) => ({ header: { type: "image" as const, ...(media_url && { media_url }) } });

describe("POST /outbound-messages/{provider} 400 TEMPLATE_MISMATCH: names the location and the numbers", () => {
  test.each<[string, Template, Rich, string]>([
    [
      "too few",
      GREETING_TEMPLATE,
      { body: { params: templateParams("Ada") } },
      `${RICH}.body.params must hold 2, not 1.`,
    ],
    [
      "too many",
      GREETING_TEMPLATE,
      { body: { params: templateParams("a", "b", "c") } },
      `${RICH}.body.params must hold 2, not 3.`,
    ],
    ["none", GREETING_TEMPLATE, {}, `${RICH}.body.params must hold 2, not 0.`],
    [
      "some where none are taken",
      PLAIN,
      { body: { params: templateParams("a") } },
      `${RICH}.body.params must hold 0, not 1.`,
    ],
    ["a header where none is", PLAIN, image("https://acme.example/a.png"), "but the template has no header"],
    ["no text header", TITLED, {}, `${RICH}.header.params must hold 1, not 0.`],
    ["a header of another type", TITLED, image("https://a.example/a"), `${RICH}.header.type must be text, not image.`],
    [
      "too many in the header",
      TITLED,
      { header: { type: "text", params: templateParams("a", "b") } },
      "must hold 1, not 2.",
    ],
    ["a picture's text", WITH_IMAGE, { header: { type: "text" } }, `${RICH}.header.type must be image, not text.`],
    [
      "a video for a picture",
      WITH_IMAGE,
      { header: { type: "video", media_url: "https://a.example/a" } },
      "not video.",
    ],
    ["no media_url", WITH_IMAGE, image(), `${RICH}.header.media_url is missing`],
    ["no header at all", WITH_IMAGE, {}, `${RICH}.header.media_url is missing`],
    [
      "media in a text",
      FIXED,
      { header: { type: "text", media_url: "https://a.example/a" } },
      `${RICH}.header.media_url is given`,
    ],
    [
      "parameters of a picture",
      WITH_IMAGE,
      { header: { ...image("https://a.example/a").header, params: templateParams("a") } },
      `${RICH}.header.params must hold 0, not 1.`,
    ],
    [
      "no button",
      LINKED,
      {},
      `${RICH}.button must hold 2 buttons, one for each of the template's that takes a parameter, and holds 0 buttons.`,
    ],
    [
      "a button for two",
      LINKED,
      { button: url("7") },
      `${RICH}.button must hold 2 buttons, one for each of the template's that takes a parameter, and holds 1 button.`,
    ],
    ["a button of two words", LINKED, { button: [url("7", "8"), url("9")] }, `${RICH}.button[0].params must hold 1`],
    ["a button without", LINKED, { button: [url("7"), url()] }, `${RICH}.button[1].params must hold 1, not 0.`],
    ["words for a fixed button", LINKED, { button: [url("1"), url("7"), url("/9")] }, "button[0].params must hold 0"],
    ["a button of another kind", LINKED, { button: [{ subType: "quick_reply" }, url("9")] }, "must be url, not quick"],
    [
      "a button where none is",
      PLAIN,
      { button: url("7") },
      `${RICH}.button may not be given: no button of the template takes a parameter.`,
    ],
  ])("%s", async (_, template, rich, words) => {
    const result = await outcome(template, rich);
    expect(result).toMatch(/^TEMPLATE_MISMATCH /);
    expect(result).toContain(words);
  });

  test("the deprecated template_data fills the text only", async () => {
    const old = { rich_template_data: undefined, template_data: templateParams("a") };
    expect(await outcome(GREETING_TEMPLATE, {}, old)).toContain(
      "data.message_template.template_data must hold 2, not 1.",
    );
    expect(await outcome(WITH_IMAGE, {}, { ...old, template_data: [] })).toContain(
      `${RICH}.header.media_url is missing`,
    );
  });
});

describe("POST /outbound-messages/{provider} 202: matching parameters", () => {
  test.each<[string, Template, Rich]>([
    ["a text without placeholders", PLAIN, {}],
    ["empty lists", PLAIN, { body: { params: [] }, button: [] }],
    ["a text header", TITLED, { header: { type: "text", params: templateParams("you") } }],
    ["a fixed header that is named", FIXED, { header: { type: "text" } }],
    ["a fixed header that is not", FIXED, {}],
    ["a picture", WITH_IMAGE, image("https://acme.example/a%20b.png?x=1#y")],
    ["the buttons that take a word", LINKED, { button: [url("7"), { params: templateParams("/9") }] }],
    ["all buttons in their places", LINKED, { button: [url(), url("7"), url("/9")] }],
  ])("%s", async (_, template, rich) => {
    expect(await outcome(template, rich)).toBe("202");
  });
});

describe("POST /outbound-messages/{provider} 400 INVALID_VALUE: URLs", () => {
  test.each(["http://acme.example/a.png", "https://", "a.png", "javascript:alert(1)", "https://me:pw@acme.example/a"])(
    "media at %s",
    async (media_url) => {
      expect(await outcome(WITH_IMAGE, image(media_url))).toContain(
        `${RICH}.header.media_url must be an https address`,
      );
    },
  );

  test.each([".evil.example", "@evil.example/", ":8443/", "\t.evil.example"])(
    "a button whose parameter %j would lead to another site",
    async (word) => {
      const result = await outcome(LINKED, { button: [url("7"), url(word)] });
      expect(result).toMatch(/^INVALID_VALUE .*button\[1\]\.params must not change the site/);
    },
  );
});

test("parameters are inserted in one pass, whatever they contain", () => {
  const word = fc.string().filter((text) => !text.includes("|"));
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 12 }), (words) => {
      const text = words.map((_, index) => `{{${index + 1}}}`).join("|");
      expect(placeholderCount(text)).toBe(words.length);
      expect(fillPlaceholders(text, words)).toBe(words.join("|"));
    }),
  );
  expect(fillPlaceholders("{{2}} {{ 1 }} {{2}}", ["{{2}}", "$&"])).toBe("$& {{2}} $&");
});
