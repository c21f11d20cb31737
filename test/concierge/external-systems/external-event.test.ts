import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { EXTERNAL_BODY_CHARACTERS_MAX, parseExternalEvent } from "../../../server/lib/external-event.ts";
import { parseE164 } from "../../../server/lib/outbound-messages.ts";

/** Accepted and refused bodies of another system's webhook. */

const USER = { email: "ada@example.com" };
const read = (body: unknown) => {
  const answer = parseExternalEvent(body);
  return answer.ok ? answer.event : `${answer.status} ${answer.message}`;
};

describe("the body of an external event is accepted:", () => {
  test.each([
    ["the least", { event: "a", user: USER }, { event: "a", user: USER, data: {} }],
    [
      "all of it",
      {
        id: 7,
        event: " order.shipped ",
        time: "2026-01-31T12:00:00.5+01:00",
        user: {
          reference_id: 12,
          email: "ada@example.com",
          phone: "00 1 (202) 555-0101",
          first_name: " Ada ",
          last_name: "Example",
          properties: { plan: "Pro", seats: 3, vip: true, "": "" },
        },
        data: { number: "1001", deep: { list: [1, { a: 1 }] } },
      },
      "400 A name in user.properties must have 1 to 100 characters.",
    ],
    [
      "texts, trimmed; empty texts are absent",
      {
        id: 7,
        event: " order.shipped ",
        time: "2026-01-31T12:00:00.5+01:00",
        user: {
          reference_id: 12,
          email: " ",
          phone: null,
          first_name: " Ada ",
          properties: { plan: "Pro", seats: 3, no: "" },
        },
        data: null,
      },
      {
        id: "7",
        event: "order.shipped",
        time: "2026-01-31T12:00:00.5+01:00",
        user: {
          reference_id: "12",
          first_name: "Ada",
          properties: [
            { name: "plan", value: "Pro" },
            { name: "seats", value: "3" },
          ],
        },
        data: {},
      },
    ],
    [
      "the fields of a form",
      { event: "a", "user.email": "ada@example.com", "user.properties.plan": "Pro", "data.a.b": "1", "data.c": "2" },
      {
        event: "a",
        user: { email: "ada@example.com", properties: [{ name: "plan", value: "Pro" }] },
        data: { a: { b: "1" }, c: "2" },
      },
    ],
    [
      "a phone number with its country",
      { event: "a", user: { phone: "00 1 (202) 555-0101" } },
      { event: "a", user: { phone: "+12025550101" }, data: {} },
    ],
    [
      "a last name",
      { event: "a", user: { ...USER, last_name: "L" } },
      { event: "a", user: { ...USER, last_name: "L" }, data: {} },
    ],
  ])("%s", (_title, body, expected) => expect(read(body)).toEqual(expected));
});

describe("the body of an external event is refused:", () => {
  const MEMBERS = "use id, event, time, user, data.";
  const NEEDS = "400 user needs one of reference_id, email, phone.";
  test.each([
    [undefined, "400 The body must be a JSON object, or a form."],
    [null, "400 The body must be a JSON object, or a form."],
    ["<xml/>", "400 The body must be a JSON object, or a form."],
    [[], "400 The body must be a JSON object, or a form."],
    [{}, "400 event is missing, such as order.shipped."],
    [{ event: "" }, "400 event is missing, such as order.shipped."],
    [{ event: ["a", "b"], user: USER }, "400 event must be one text."],
    [{ event: "a b", user: USER }, "400 event may hold letters, digits and . _ : / - only."],
    [{ event: "a".repeat(101), user: USER }, "400 event has more than 100 characters."],
    [{ event: "a", kind: 1, user: USER }, `400 "kind" isn't known: ${MEMBERS}`],
    [JSON.parse('{"event":"a","__proto__":{"user":1}}'), `400 "__proto__" isn't known: ${MEMBERS}`],
    [{ event: "a" }, NEEDS],
    [{ event: "a", user: "" }, NEEDS],
    [{ event: "a", user: "Ada" }, "400 user must be an object."],
    [{ event: "a", user: USER, "user.phone": "1" }, '400 "user" comes both as a whole and in parts.'],
    [{ event: "a", user: { first_name: "Ada" } }, NEEDS],
    [{ event: "a", user: { email: ["a@example.com", "b@example.com"] } }, "400 user.email must be one text."],
    [{ event: "a", user: { email: "ada" } }, "400 user.email is not an e-mail address."],
    [{ event: "a", user: { email: "ada@example" } }, "400 user.email is not an e-mail address."],
    [{ event: "a", user: { email: "a b@example.com" } }, "400 user.email is not an e-mail address."],
    [
      { event: "a", user: { phone: "202 555 0101" } },
      "400 user.phone must be a number with its country, such as +12025550101.",
    ],
    [
      { event: "a", user: { ...USER, first_name: "a".repeat(1_001) } },
      "400 user.first_name has more than 1000 characters.",
    ],
    [{ event: "a", user: { ...USER, properties: ["a"] } }, "400 user.properties must be an object."],
    [{ event: "a", user: { ...USER, properties: { a: {} } } }, "400 user.properties.a must be one text."],
    [
      { event: "a", user: { ...USER, properties: { ["a".repeat(101)]: 1 } } },
      "400 A name in user.properties must have 1 to 100 characters.",
    ],
    [
      { event: "a", user: { ...USER, properties: Object.fromEntries(Array.from({ length: 51 }, (_, n) => [n, n])) } },
      "400 user.properties has more than 50 members.",
    ],
    [{ event: "a", user: USER, time: "today" }, "400 time must be like 2026-01-31T12:00:00Z."],
    [{ event: "a", user: USER, time: "2026-01-31T12:00:00" }, "400 time must be like 2026-01-31T12:00:00Z."],
    [{ event: "a", user: USER, time: "2026-13-31T12:00:00Z" }, "400 time must be like 2026-01-31T12:00:00Z."],
    [{ event: "a", user: USER, data: [1] }, "400 data must be an object."],
    [{ event: "a", user: USER, data: { a: { b: { c: { d: { e: {} } } } } } }, "400 data is nested more than 5 deep."],
    [JSON.parse(`{"data":${"[".repeat(50_000)}${"]".repeat(50_000)}}`), "400 data is nested more than 5 deep."],
  ])("case %#", (body: unknown, expected) => expect(read(body)).toBe(expected));

  test("the longest allowed body is accepted, a longer one refused", () => {
    const body = (length: number) => ({ event: "a", user: USER, data: { text: "x".repeat(length) } });
    const rest = JSON.stringify(body(0)).length;
    expect(parseExternalEvent(body(EXTERNAL_BODY_CHARACTERS_MAX - rest)).ok).toBe(true);
    expect(parseExternalEvent(body(EXTERNAL_BODY_CHARACTERS_MAX - rest + 1))).toEqual({
      ok: false,
      status: 413,
      message: "The body has more than 30000 characters.",
    });
  });
});

test("any body is accepted or refused without a change of prototypes", () => {
  const anything = fc.oneof(
    fc.jsonValue(),
    fc.record(
      { id: fc.jsonValue(), event: fc.string(), time: fc.jsonValue(), user: fc.jsonValue(), data: fc.jsonValue() },
      { requiredKeys: [] },
    ),
    fc.dictionary(
      fc.constantFrom("event", "user.email", "user", "data.a", "__proto__.x", "user.__proto__"),
      fc.string(),
    ),
  );
  fc.assert(
    fc.property(anything, (body) => {
      const answer = parseExternalEvent(body);
      if (!answer.ok) expect(answer.message.length).toBeLessThan(300);
      expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
    }),
  );
});

test.each([
  ["+12025550101", "+12025550101"],
  [" +1 (202) 555-0101 ", "+12025550101"],
  ["0049/30.123456", "+4930123456"],
  ["+1234567", "+1234567"],
  ["+123456", undefined],
  ["+123456789012345", "+123456789012345"],
  ["+1234567890123456", undefined],
  ["+0123456789", undefined],
  ["12025550101", undefined],
  ["+1202555010x", undefined],
  ["call +12025550101", undefined],
  ["", undefined],
])("the phone number %j in E.164 form is %j", (text, number) => expect(parseE164(text)).toBe(number));
