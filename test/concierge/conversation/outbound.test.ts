import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import {
  outboundHostOf,
  outboundRequest,
  OUTBOUND_EVENTS_MAX,
  findOutboundEvent,
  parseOutboundEvents,
} from "../../../server/lib/outbound-messages.ts";

/** The list of template messages, and the request for one line. */

const one = (text: string) => {
  const { events, problems } = parseOutboundEvents(text);
  return problems[0]?.message ?? events[0];
};

describe("a line of the template messages is accepted:", () => {
  const base = { line: 1, event: "a", template: "t", language: "en", values: [], buttons: [] };
  test.each([
    ["a => t (en)", base],
    ["a=>t(en)", base],
    ["a => t (en):", base],
    [
      "order.shipped => t (en_US): {{user.first_name}}, {{data.number}}",
      { ...base, event: "order.shipped", language: "en_US", values: ["{{user.first_name}}", "{{data.number}}"] },
    ],
    ["a => t (pt-BR): x", { ...base, language: "pt-BR", values: ["x"] }],
    ["a => t (en): x; Button: b", { ...base, values: ["x"], buttons: ["b"] }],
    ["a => t (en); header: x, y", { ...base, header: { type: "text", values: ["x", "y"] } }],
    [
      "a => t (en); image: https://a.b/{{data.c}}; button: b; button: c",
      { ...base, header: { type: "image", values: ["https://a.b/{{data.c}}"] }, buttons: ["b", "c"] },
    ],
    ["a => t (en); video: v", { ...base, header: { type: "video", values: ["v"] } }],
    ["a => t (en); document: d", { ...base, header: { type: "document", values: ["d"] } }],
  ])("%s", (text, expected) => expect(one(text)).toEqual(expected));
});

const FORM = 'write "event => template (language): value, value".';
const PART = "after a semicolon write header, image, video, document or button, a colon and a value.";
describe("a line of the template messages is a problem:", () => {
  test.each([
    ["a", FORM],
    ["=> t (en)", FORM],
    ["a b => t (en)", FORM],
    ["a => t", FORM],
    ["a => (en)", FORM],
    ["a => t u (en)", FORM],
    ["a => t (english!)", FORM],
    ["a => t (en) x", FORM],
    ["a => t (en): x,", "value 2 of the text is empty."],
    ["a => t (en): ,x", "value 1 of the text is empty."],
    [
      "a => t (en): {{#each x}}",
      "value 1 of the text: something isn't closed: {{ needs its }}, and {{#if …}} its {{/if}}.",
    ],
    [`a => t (en): ${"x,".repeat(20)}x`, "the text takes at most 20 values."],
    ["a => t (en);", PART],
    ["a => t (en); footer: x", PART],
    ["a => t (en); button", PART],
    ["a => t (en); button:", '"button" needs a value.'],
    ["a => t (en); button: ,", 'value 1 of "button" is empty.'],
    ["a => t (en); header: x; image: y", "a template has one header."],
    ["a => t (en); image: x, y", '"image" takes one value, an address.'],
  ])("%s", (text, message) => expect(one(text)).toBe(message));

  test("an event has one message, and the number of lines is limited", () => {
    expect(parseOutboundEvents("a => t (en)\n\nA => u (en)")).toMatchObject({
      events: [{ event: "a", template: "t" }],
      problems: [{ line: 3, message: '"A" is the event of line 1 already.' }],
    });
    const lines = (count: number) => Array.from({ length: count }, (_, n) => `e${n} => t (en)`).join("\n");
    expect(parseOutboundEvents(lines(OUTBOUND_EVENTS_MAX)).problems).toEqual([]);
    expect(parseOutboundEvents(lines(OUTBOUND_EVENTS_MAX + 1)).problems).toEqual([
      { line: 51, message: "at most 50 events can have a message." },
    ]);
  });
});

test("every non-empty line of any text is a template message or a problem", () => {
  const words = fc.constantFrom("a", "=>", "t", "(en)", ":", ",", ";", "button:", "{{x}}", "{{", "\n", " ");
  fc.assert(
    fc.property(fc.array(words, { maxLength: 20 }), (parts) => {
      const text = parts.join(" ");
      const { events, problems } = parseOutboundEvents(text);
      expect(events.length + problems.length).toBe(text.split("\n").filter((line) => line.trim()).length);
    }),
  );
});

test("the message of an event is found regardless of case", () => {
  const { events } = parseOutboundEvents("a => t (en)\nOrder.Shipped => u (en)");
  expect(findOutboundEvent(events, "order.shipped")?.template).toBe("u");
  expect(findOutboundEvent(events, "b")).toBeUndefined();
});

test.each([
  ["acme.parley.localhost", "outbound.parley.localhost"],
  ["https://acme.example.com", "outbound.example.com"],
])("the host of %s is %s", (domain, host) => expect(outboundHostOf(domain)).toBe(host));

describe("the request of an outbound message", () => {
  const FROM = { from: "+1 202 555 0100", namespace: "shop" };
  const MESSAGE = { template: "t", language: "en", values: ["Hi {{user.first_name}}"], buttons: [] };
  const view = { user: { first_name: "Ada" } };
  const made = (more: object = {}, from: object = {}, phone: string | undefined = "+1 202 555 0101") =>
    outboundRequest({ events: "", ...FROM, ...from }, { ...MESSAGE, ...more }, phone, view);

  test("contains the values of text, header and buttons", () => {
    const text = { header: { type: "text", values: ["{{user.first_name}}"] }, buttons: ["x", "y"] } as const;
    expect(made(text)).toEqual({
      ok: true,
      body: {
        from: { phone_number: "+12025550100" },
        provider: "chatapp",
        to: [{ phone_number: "+12025550101" }],
        data: {
          message_template: {
            storage: "conversation",
            template_name: "t",
            namespace: "shop",
            language: { policy: "deterministic", code: "en" },
            rich_template_data: {
              body: { params: [{ data: "Hi Ada" }] },
              header: { type: "text", params: [{ data: "Ada" }] },
              button: [
                { subType: "url", params: [{ data: "x" }] },
                { subType: "url", params: [{ data: "y" }] },
              ],
            },
          },
        },
      },
    });
    const media = made({ header: { type: "image", values: ["https://a.b/c"] } });
    expect(media.ok && media.body.data.message_template.rich_template_data).toEqual({
      body: { params: [{ data: "Hi Ada" }] },
      header: { type: "image", media_url: "https://a.b/c" },
    });
  });

  test.each([
    [made({}, { from: "" }), "the sender's number is missing in the settings, or has no country."],
    [made({}, { from: "202 555" }), "the sender's number is missing in the settings, or has no country."],
    [made({}, { namespace: "" }), "the namespace of the templates is missing in the settings."],
    [made({}, {}, ""), "the customer has no phone number."],
    [made({}, {}, "555 0101"), "the customer's phone number has no country."],
    [made({ values: ["x", "{{data.number}}"] }), "the value {{data.number}} is empty for this customer."],
    [made({ values: ["{{"] }), "the value {{ is empty for this customer."],
  ])("is refused: %#", (request, problem) => expect(request).toEqual({ ok: false, problem }));
});
