import { describe, expect, test } from "@jest/globals";
import { iparamTypeOf, type IparamType } from "@parley/contract";
import fc from "fast-check";
import { attributesFault } from "../../src/model/iparams/attributes.ts";
import { domainHostOf, domainLabelOf } from "../../src/model/iparams/domain.ts";
import { isEmpty, requiredFault, typeFault, type IparamRule } from "../../src/model/iparams/validate-value.ts";

const SUFFIX = ".parley.localhost";
const rule = (type: IparamType, more: Partial<IparamRule> = {}): IparamRule => ({
  type,
  control: iparamTypeOf(type).control,
  required: false,
  visible: true,
  ...more,
});

describe("a type accepts valid values:", () => {
  test.each<[IparamType, string[]]>([
    ["text", ["a", "ünï 🌍", "  spaces  ", "tab\there"]],
    ["paragraph", ["one\ntwo\r\nthree"]],
    ["email", ["a@b.co", "first.last+tag@sub.example.com", "o'neil@example.org"]],
    ["number", ["0", "-5", "9999999999", " 7 "]],
    ["phone_number", ["+1 202 555 0147", "(030) 123-4567", "0151.234.5678"]],
    ["date", ["2025-03-31", "2024-02-29", "1970-01-01"]],
    ["url", ["https://example.com", "http://localhost:3000/a?b=c#d", "HTTPS://EXAMPLE.COM"]],
    ["domain", ["acme", "ACME", "acme.parley.localhost", "https://acme.parley.localhost/path?x", "a-b-9"]],
    ["api_key", ["eyJhbGciOi.x_y-z"]],
  ])("%s", (type, entries) => {
    for (const entry of entries) expect([entry, typeFault(entry, rule(type), SUFFIX)]).toEqual([entry, undefined]);
  });
});

describe("a type rejects invalid values:", () => {
  test.each<[IparamType, string[]]>([
    ["text", ["two\nlines", "nul\u0000"]],
    ["email", ["a", "a@", "@b.co", "a@b", "a b@c.de", "a@b..de", `${"a".repeat(250)}@b.de`]],
    ["number", ["1.5", "1e3", "12345678901", "0x10", "--1", "one", "1 2"]],
    ["phone_number", ["123", "phone", "+1-555-CALL-NOW", "1234567890123456"]],
    ["date", ["2025-02-29", "2025-13-01", "31.3.2025", "2025-3-1", "20250301"]],
    ["url", ["example.com", "ftp://example.com", "javascript:alert(1)", "https://", "https://a b"]],
    ["domain", ["acme corp", "-acme", "acme-", "acme.example.com", ".parley.localhost", "a".repeat(64), "a_b"]],
    ["api_key", ["key\nX-Header: 1"]],
  ])("%s", (type, entries) => {
    for (const entry of entries) {
      expect([entry, typeFault(entry, rule(type), SUFFIX)]).toEqual([entry, expect.any(String)]);
    }
  });
});

test.each<[string, Partial<IparamRule>, string | undefined]>([
  ["5", { min: 5, max: 7 }, undefined],
  ["8", { min: 5, max: 7 }, "Enter a number from 5 to 7."],
  ["4", { min: 5 }, "Enter a number of at least 5."],
  ["8", { max: 7 }, "Enter a number of at most 7."],
])("a number %s within %j: %s", (entry, limits, fault) => {
  expect(typeFault(entry, rule("number", limits), SUFFIX)).toBe(fault);
});

test("an empty entry passes every type, and fails if the parameter is required and visible", () => {
  expect(["", "  ", false, []].map((entry) => isEmpty(entry))).toEqual([true, true, true, true]);
  expect(typeFault("", rule("email"), SUFFIX)).toBeUndefined();
  expect(requiredFault("", rule("text", { required: true }))).toBe("This field is required!");
  expect(requiredFault(false, rule("checkbox", { required: true }))).toBe("This field is required!");
  expect(requiredFault("", rule("text", { required: true, visible: false }))).toBeUndefined();
});

test("a domain's host and its account name convert to each other", () => {
  const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,20}[a-z0-9])?$/);
  fc.assert(
    fc.property(
      label,
      fc.constantFrom("", "https://", "http://"),
      fc.constantFrom("", "/", "/v2?x=1"),
      (name, before, after) => {
        const host = `${name}${SUFFIX}`;
        expect(domainHostOf(`${before}${host}${after}`, SUFFIX)).toBe(host);
        expect(domainHostOf(name.toUpperCase(), SUFFIX)).toBe(host);
        expect(domainLabelOf(host, SUFFIX)).toBe(name);
      },
    ),
  );
});

describe("utils.set reports what is wrong:", () => {
  test.each<[IparamType, unknown, string | undefined]>([
    ["text", { value: "a", label: "b", visible: true, disabled: false, required: true, hint: "" }, undefined],
    ["multiselect", { value: ["a"], values: ["a", "b"] }, undefined],
    ["checkbox", { value: true }, undefined],
    ["checkbox", { value: "false" }, undefined],
    ["number", { value: 5, min: 1, max: 9 }, undefined],
    ["text", "value", "utils.set: the attributes of 'k' should be an object."],
    [
      "text",
      { colour: 1 },
      "utils.set: 'colour' is not an attribute; the attributes are value, label, visible, disabled, required, hint, values, min, max.",
    ],
    [
      "text",
      { constructor: 1 },
      "utils.set: 'constructor' is not an attribute; the attributes are value, label, visible, disabled, required, hint, values, min, max.",
    ],
    [
      "text",
      { value: 5 },
      "utils.set: 'value' of 'k' should be a string, an array of strings for a multiselect, true or false for a checkbox.",
    ],
    [
      "multiselect",
      { value: "a" },
      "utils.set: 'value' of 'k' should be a string, an array of strings for a multiselect, true or false for a checkbox.",
    ],
    ["text", { label: 5 }, "utils.set: 'label' of 'k' should be a string."],
    ["text", { visible: "yes" }, "utils.set: 'visible' of 'k' should be true or false."],
    ["text", { values: ["a"] }, "utils.set: 'values' applies to radio, multiselect, dropdown; 'k' is of type text."],
    ["dropdown", { values: ["a", 1] }, "utils.set: 'values' of 'k' should be an array of strings."],
    ["text", { min: 1 }, "utils.set: 'min' applies to number; 'k' is of type text."],
    ["number", { max: Number.NaN }, "utils.set: 'max' of 'k' should be a number."],
  ])("%s %j", (type, attributes, fault) => {
    expect(attributesFault("k", rule(type), attributes)).toBe(fault);
  });
});
