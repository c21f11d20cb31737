import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { getCountries } from "libphonenumber-js";
import {
  parseConsent,
  REFUSAL_ANSWER,
  isConsentAnswer,
  CONSENT_ANSWER,
  outcomeLogEntry,
  outcomeText,
} from "../../../server/lib/lead-consent.ts";
import { boundedWork } from "../../support/bounded-work.ts";
import { isSameLead, findLeads, missingLeads, leadsText, type LeadField } from "../../../server/lib/lead-detection.ts";

const valuesIn = (text: string, country = "US") => findLeads(text, country).map(({ value }) => value);

describe("e-mail addresses are found", () => {
  test.each([
    ["ada@example.com", ["ada@example.com"]],
    ["Write to ada@example.com.", ["ada@example.com"]],
    ["(Ada.B+x_1%y-z@Mail-2.example.co.uk)", ["Ada.B+x_1%y-z@Mail-2.example.co.uk"]],
    ["mailto:ada@example.com, <ben@example.com>", ["ada@example.com", "ben@example.com"]],
    ["'ada@example.com' o'neil@example.ie", ["ada@example.com", "o'neil@example.ie"]],
    ["müller@straße.de", ["müller@straße.de"]],
    ["2.ada@9.example.com", ["2.ada@9.example.com"]],
    ["ADA@EXAMPLE.COM ada@example.com", ["ADA@EXAMPLE.COM"]],
    [`${"a".repeat(64)}@example.com`, [`${"a".repeat(64)}@example.com`]],
    [`ada@${"a".repeat(63)}.com`, [`ada@${"a".repeat(63)}.com`]],
    [`ada@${"a".repeat(64)}.com`, []],
    ["see https://example.com/a then ada@example.com", ["ada@example.com"]],
    ["https://ada:secret@example.com/x", []],
    ["https://example.com/@ada", []],
    ["logo@2x.png photo@3x.JPEG photo@3x.jpg ada@file.pdf", []],
    ["ada@file.pdf.example", ["ada@file.pdf.example"]],
    [`ada@example.com ${"x ".repeat(300)}`, ["ada@example.com"]],
    ["a@b", []],
    ["ada@example.c", []],
    ["ada@@example.com", []],
    ["ada@example.com@example.org", []],
    ["ada..b@example.com", []],
    ["ada.@example.com", []],
    ["@ada on example.com", []],
    ["ada @example.com", []],
    ["ada@ example.com", []],
    ["ada@-example.com", []],
    ["ada@example-.com", []],
    ["ada@example..com", []],
    ["ada@192.168.0.1", []],
    ["ada@example.com-", []],
    ["ada@example.com1", []],
  ])("in %j", (text, found) => {
    expect(findLeads(text, "US")).toEqual(found.map((value) => ({ field: "email", value, shown: value })));
  });
});

describe("phone numbers are found", () => {
  test.each([
    ["call 4155552671", "US", "+14155552671"],
    ["4155552671 2 times", "US", "+14155552671"],
    ["call 415-555-2671.", "us ", "+14155552671"],
    ["415.555.2671", "US", "+14155552671"],
    ["1 415 555 2671", "US", "+14155552671"],
    ["011 49 30 1234567", "US", "+49301234567"],
    ["Phone number: 4155552671", "US", "+14155552671"],
    ["No. 4155552671", "US", "+14155552671"],
    ["in disorder 4155552671", "US", "+14155552671"],
    ["order me a taxi, 4155552671", "US", "+14155552671"],
    ["order +14155552671", "US", "+14155552671"],
    ["Tel:+14155552671.", "US", "+14155552671"],
    ["＋1 415 555 2671", "DE", "+14155552671"],
    ["+1 415-555-2671", "nowhere", "+14155552671"],
    ["+49 30 1234567", "US", "+49301234567"],
    ["0049 30 1234567", "DE", "+49301234567"],
    ["0301234567", "DE", "+49301234567"],
    ["０３０ 1234567", "DE", "+49301234567"],
    ["020 7946 0958", "GB", "+442079460958"],
    ["0612345678", "FR", "+33612345678"],
    ["(11) 98765-4321", "BR", "+5511987654321"],
    ["www.example.com 4155552671", "US", "+14155552671"],
    ["4155552671, or 5 EUR", "US", "+14155552671"],
    ["$5? call 4155552671", "US", "+14155552671"],
  ])("%j in %s is %s", (text, country, value) => {
    expect(valuesIn(text, country)).toEqual([value]);
  });

  test.each([
    ["415-555-2671", "nowhere"],
    ["order 4155552671", "US"],
    ["my order number is 4155552671", "US"],
    ["Invoice no. 4155552671", "US"],
    ["Order-No: 4155552671", "US"],
    ["ORDERS #4155552671", "US"],
    ["#4155552671", "US"],
    ["№ 4155552671", "US"],
    ["tracking - 415-555-2671", "US"],
    ["Bestellnummer 0301234567", "DE"],
    ["Order-Nr.: 0301234567", "DE"],
    ["Rechnung 0301234567", "DE"],
    ["Meine Kundennr. ist 0301234567", "DE"],
    ["$4155552671", "US"],
    ["€ 4155552671", "US"],
    ["4155552671 EUR", "US"],
    ["4155552671$", "US"],
    ["AB4155552671", "US"],
    ["AB-4155552671", "US"],
    ["id_4155552671", "US"],
    ["4155552671-XYZ", "US"],
    ["12345-4155552671", "US"],
    ["4155552671 4155552672", "US"],
    ["4111 1111 1111 1111", "US"],
    ["4111 1111 1111 1111", "DE"],
    ["DE89370400440532013000", "DE"],
    ["550e8400-e29b-41d4-a716-446655440000", "US"],
    ["1Z999AA10123456784", "US"],
    ["2026-11-22 10:11:12", "DE"],
    ["I paid 200 and 300 on 12.12.2026", "DE"],
    ["192.168.100.200", "US"],
    ["1763650800000", "DE"],
    ["ich habe 1234567 bestellt", "DE"],
    ["ich habe 12345678 bestellt", "DE"],
    ["20 7946 0958", "GB"],
    ["555-0100", "US"],
    ["+1 555 0100", "US"],
    ["https://example.com/4155552671", "US"],
    ["www.example.com/4155552671", "US"],
    ["4155552671@example", "US"],
    ["0301234567@example", "DE"],
    ["https://example.com/?q=0301234567", "DE"],
    ["www.example.com/?q=0301234567", "DE"],
  ])("%j in %s is not a phone number", (text, country) => {
    expect(valuesIn(text, country)).toEqual([]);
  });

  test("in international form for display, and in E.164 form for storage", () => {
    expect(findLeads("(415) 555-2671 ext. 12", "US")).toEqual([
      { field: "phone", value: "+14155552671", shown: "+1 415 555 2671 ext. 12" },
    ]);
  });
});

test("addresses precede numbers, each once, within the first characters of a text", () => {
  expect(valuesIn("415-555-2671, ada@example.com, +1 415 555 2671, +1 415 555 2672, ben@example.com")).toEqual([
    "ada@example.com",
    "ben@example.com",
    "+14155552671",
    "+14155552672",
  ]);
  expect(valuesIn(`${" ".repeat(3_985)}ada@example.com`)).toEqual(["ada@example.com"]);
  expect(valuesIn(`${" ".repeat(3_990)}ada@example.com`)).toEqual([]);
});

const anyText = fc
  .array(
    fc.oneof(
      fc.string({ unit: "binary", maxLength: 8 }),
      fc.constantFrom("@", ".", "+1", "415", " 555-2671", "ada@example.com", "://", "order ", "(", "\n", "a.b"),
      fc.nat().map(String),
    ),
    { maxLength: 30 },
  )
  .map((parts) => parts.join(""));

test("contact data found in any text occurs there, is found again alone, and is unique", () => {
  fc.assert(
    fc.property(anyText, fc.constantFrom("US", "DE", "", "nowhere"), (text, country) => {
      const found = findLeads(text, country);
      for (const [index, lead] of found.entries()) {
        expect(found.slice(0, index).some((other) => isSameLead(other, lead))).toBe(false);
        expect(findLeads(lead.shown, country)).toEqual([lead]);
        if (lead.field === "email") expect(text).toContain(lead.value);
        else expect(lead.value).toMatch(/^\+\d{5,17}$/);
      }
    }),
    { numRuns: 300 },
  );
});

test("an address or a number among plain words is found for every country", () => {
  const words = fc.array(fc.constantFrom("please", "call", "or", "write,", "thanks."), { maxLength: 4 });
  const name = fc.stringMatching(/^[a-z][a-z0-9]{0,10}$/);
  fc.assert(
    fc.property(words, words, name, name, fc.constantFrom(...getCountries()), (before, after, local, host, country) => {
      const found = [`${local}@${host}.com`, "+14155552671"];
      for (const value of found) expect(valuesIn([...before, value, ...after].join(" "), country)).toEqual([value]);
    }),
    { numRuns: 200 },
  );
});

test.each([
  ["1 ".repeat(2_000)],
  ["+1".repeat(2_000)],
  ["a.".repeat(2_000)],
  ["a@a.".repeat(1_000)],
  ["order ".repeat(700)],
  ["4155552671 ".repeat(400)],
  ["://".repeat(30_000)],
])("a text for which a search that backtracks takes minutes is searched: %#", (text) => {
  expect(boundedWork(() => findLeads(text, "DE"))).toBeDefined();
});

const email: LeadField = { field: "email", value: "ada@example.com", shown: "ada@example.com" };
const other: LeadField = { ...email, value: "ben@example.com" };
const phone: LeadField = { field: "phone", value: "+14155552671", shown: "+1 415 555 2671" };

test("the first value of each field that the user lacks is missing", () => {
  expect(missingLeads([email, other, phone], {})).toEqual([email, phone]);
  expect(missingLeads([email, other, phone], { email: " ", phone: "" })).toEqual([email, phone]);
  expect(missingLeads([email, other, phone], { email: "x" })).toEqual([phone]);
  expect(missingLeads([email, phone], { phone: "x" })).toEqual([email]);
});

test("equal values of different fields are different leads", () => {
  expect(isSameLead(email, { field: "email", value: "ADA@example.com" })).toBe(true);
  expect(isSameLead(email, { field: "phone", value: "ada@example.com" })).toBe(false);
  expect(isSameLead(email, other)).toBe(false);
});

describe("an answer to the consent question", () => {
  test.each([
    [CONSENT_ANSWER, true],
    ["  yes KEEP it. ", true],
    ["yes,keep it", true],
    [REFUSAL_ANSWER, false],
    ["no thanks!", false],
    ["yes", undefined],
    ["No", undefined],
    ["Yes, keep it going", undefined],
    ["", undefined],
  ])("%j means %j", (text, agrees) => {
    expect(parseConsent(text)).toBe(agrees);
    expect(isConsentAnswer(text)).toBe(agrees !== undefined);
  });

  test("is described to the agent line by line", () => {
    expect(leadsText([email, phone])).toBe("e-mail address ada@example.com, phone number +1 415 555 2671");
    const outcome = { agrees: true, saved: [email], skipped: [phone], failed: [other] };
    expect(outcomeText(outcome)).toBe(
      "Kept, as the customer agreed: e-mail address ada@example.com.\n" +
        "Not kept, since the field has another value: phone number +1 415 555 2671.\n" +
        "The customer agreed, but it could not be kept: e-mail address ada@example.com.",
    );
    expect(outcomeLogEntry({ ...outcome, saved: [], failed: [] }, "2026-01-05T09:00:00.000Z")).toEqual({
      at: "2026-01-05T09:00:00.000Z",
      did: "Not kept, since the field has another value: phone number +1 415 555 2671.",
      why: 'The customer answered "Yes, keep it".',
    });
    expect(outcomeLogEntry({ agrees: false, saved: [], skipped: [], failed: [] }, "")).toEqual({
      at: "",
      did: "Kept none of the details that were found.",
      why: 'The customer answered "No, thanks".',
    });
  });
});
