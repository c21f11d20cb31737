import { describe, expect, test } from "@jest/globals";
import type { Iparam, IparamsConfig, IparamType } from "@parley/contract";
import fc from "fast-check";
import { attributesFault } from "../src/install/attributes.ts";
import { hostOf, labelOf } from "../src/install/domain.ts";
import { fieldsOf } from "../src/install/iparams-fields.ts";
import { checkValues, type Stored } from "../src/install/validate-values.ts";
import { isEmpty, requiredFault, typeFault, type Rule } from "../src/install/validate.ts";

const SUFFIX = ".parley.localhost";
const rule = (type: IparamType, more: Partial<Rule> = {}): Rule => ({ type, required: false, visible: true, ...more });

describe("a type takes", () => {
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

describe("a type refuses", () => {
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

test.each<[string, Partial<Rule>, string | undefined]>([
  ["5", { min: 5, max: 7 }, undefined],
  ["8", { min: 5, max: 7 }, "Enter a number from 5 to 7."],
  ["4", { min: 5 }, "Enter a number of at least 5."],
  ["8", { max: 7 }, "Enter a number of at most 7."],
])("number %s within %j: %s", (entry, limits, fault) => {
  expect(typeFault(entry, rule("number", limits), SUFFIX)).toBe(fault);
});

test("an empty entry passes every type, and fails where it is required and shown", () => {
  expect(["", "  ", false, []].map((entry) => isEmpty(entry))).toEqual([true, true, true, true]);
  expect(typeFault("", rule("email"), SUFFIX)).toBeUndefined();
  expect(requiredFault("", rule("text", { required: true }))).toBe("This field is required!");
  expect(requiredFault(false, rule("checkbox", { required: true }))).toBe("This field is required!");
  expect(requiredFault("", rule("text", { required: true, visible: false }))).toBeUndefined();
});

test("a domain's host and the account name in it lead to each other", () => {
  const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,20}[a-z0-9])?$/);
  fc.assert(
    fc.property(
      label,
      fc.constantFrom("", "https://", "http://"),
      fc.constantFrom("", "/", "/v2?x=1"),
      (name, before, after) => {
        const host = `${name}${SUFFIX}`;
        expect(hostOf(`${before}${host}${after}`, SUFFIX)).toBe(host);
        expect(hostOf(name.toUpperCase(), SUFFIX)).toBe(host);
        expect(labelOf(host, SUFFIX)).toBe(name);
      },
    ),
  );
});

describe("utils.set is told what is wrong", () => {
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
    expect(attributesFault("k", type, attributes)).toBe(fault);
  });
});

const iparam = (type: IparamType, more: Partial<Iparam> = {}): Iparam => ({ display_name: "A", type, ...more });

const app = (iparams: IparamsConfig, hasCallbacks = true) => ({
  iparams,
  requests: {},
  callbacksCode: hasCallbacks ? "globalThis.__callbacks = {};" : "",
});

const check = (
  config: IparamsConfig,
  values: Record<string, unknown>,
  {
    attributes = {},
    stored,
    hasCallbacks = true,
  }: { attributes?: Record<string, unknown>; stored?: Stored; hasCallbacks?: boolean } = {},
) => checkValues(fieldsOf(app(config, hasCallbacks)), { values, attributes }, stored, SUFFIX);

const stored = (values: Stored["values"], ...secure: string[]): Stored => ({ values, secure: new Set(secure) });

describe("what is kept", () => {
  test("each type has its kind of value, and secure values go their own way", () => {
    const config: IparamsConfig = {
      domain: iparam("domain"),
      key: iparam("api_key", { secure: true }),
      pin: iparam("number", { secure: true }),
      text: iparam("text"),
      lines: iparam("paragraph"),
      count: iparam("number"),
      none: iparam("number"),
      tick: iparam("checkbox"),
      days: iparam("multiselect", { options: ["a", "b"] }),
    };
    const values = {
      domain: "https://ACME",
      key: " k ",
      pin: "12",
      text: " t ",
      lines: " a\n",
      count: "7",
      none: "",
      tick: true,
      days: ["b"],
    };
    expect(check(config, values)).toEqual({
      errors: {},
      values: {
        domain: "acme.parley.localhost",
        text: "t",
        lines: " a\n",
        count: 7,
        none: "",
        tick: true,
        days: ["b"],
      },
      kept: [],
      secrets: { key: "k", pin: "12" },
    });
  });

  test("what the caller leaves out is what was stored, else the default", () => {
    const config = { a: iparam("text", { default_value: "first" }), b: iparam("text", { default_value: "first" }) };
    expect(check(config, {}).values).toEqual({ a: "first", b: "first" });
    expect(check(config, { b: "" }, { stored: stored({ a: "kept", b: "kept" }) }).values).toEqual({ a: "kept", b: "" });
  });

  test("what was stored is kept in the kind that its parameter has now", () => {
    const now = { m: iparam("multiselect", { options: [] }), n: iparam("number") };
    const kept = check(now, {}, { stored: stored({ m: "a\nb", n: "5" }) });
    expect(kept.values).toEqual({ m: ["a\nb"], n: 5 });
  });

  test("an empty secure value stands for the stored one, even where it is required", () => {
    const config = { key: iparam("text", { secure: true, required: true }) };
    expect(check(config, { key: "" }, { stored: stored({}, "key") })).toEqual({
      errors: {},
      values: {},
      secrets: {},
      kept: ["key"],
    });
    expect(check(config, { key: "" }).errors).toEqual({ key: "This field is required!" });
  });
});

describe("what is refused", () => {
  const regex = {
    letters: "^[a-z]*$",
    "letters-error": "Letters only.",
    short: "^.{0,3}$",
    "short-error": "Too long.",
  };

  test("every expression must match, in addition to the type's own check", () => {
    const config = { a: iparam("text", { regex }), b: iparam("email", { regex }) };
    expect(check(config, { a: "abc", b: "" }).errors).toEqual({});
    expect(check(config, { a: "abcd", b: "no" }).errors).toEqual({
      a: "Too long.",
      b: "Enter an email address, such as name@example.com.",
    });
    expect(check(config, { a: "a1", b: "a@b.de" }).errors).toEqual({ a: "Letters only.", b: "Letters only." });
  });

  test("an expression that would hang a backtracking engine answers at once", () => {
    const config = { a: iparam("text", { regex: { evil: "^(a+)+$", "evil-error": "no" } }) };
    expect(check(config, { a: `${"a".repeat(50_000)}!` }).errors).toEqual({ a: "no" });
  });

  test.each<[IparamType, unknown]>([
    ["text", 5],
    ["text", ["a"]],
    ["checkbox", "yes"],
    ["multiselect", [1]],
    ["number", true],
    ["dropdown", { a: 1 }],
    ["text", null],
  ])("a %s that is %j", (type, value) => {
    expect(check({ k: iparam(type, { options: [] }) }, { k: value }).errors).toEqual({
      k: `This value has not the kind of a ${type}.`,
    });
  });

  test("choices outside the options, and keys that nobody declared, inherited names too", () => {
    const config = { one: iparam("radio", { options: ["a"] }), many: iparam("multiselect", { options: ["a"] }) };
    expect(check(config, { one: "b", many: ["a", "b"], constructor: "x" }).errors).toEqual({
      one: "Choose from the options.",
      many: "Choose from the options.",
      constructor: "No installation parameter matches 'constructor'.",
    });
  });

  test("a required parameter whose key every object inherits", () => {
    expect(check({ constructor: iparam("text", { required: true }) }, {}).errors).toEqual({
      constructor: "This field is required!",
    });
  });
});

describe("callbacks change the checks", () => {
  const config = {
    pick: iparam("dropdown", { options: ["a", "b"] }),
    need: iparam("text", { required: true }),
    n: iparam("number"),
  };

  test("options, necessity, visibility and limits are those that utils.set left", () => {
    const attributes = { pick: { values: ["x"] }, need: { visible: false }, n: { min: 5 } };
    expect(check(config, { pick: "x", need: "", n: "5" }, { attributes }).errors).toEqual({});
    expect(check(config, { pick: "a", need: "", n: "4" }, { attributes }).errors).toEqual({
      pick: "Choose from the options.",
      n: "Enter a number of at least 5.",
    });
  });

  test("attributes of the wrong shape change nothing", () => {
    const attributes = { need: { required: "no" }, pick: ["x"], n: { regex: {} } };
    expect(check(config, { pick: "x", need: "" }, { attributes }).errors).toEqual({
      pick: "Choose from the options.",
      need: "This field is required!",
    });
  });

  test("what a callback offered and a person chose may stay", () => {
    const kept = stored({ pick: "x", need: "a" });
    const fields = fieldsOf(app(config), kept.values);
    expect(checkValues(fields, { values: {} }, kept, SUFFIX).errors).toEqual({});
    expect(checkValues(fieldsOf(app(config, false), kept.values), { values: {} }, kept, SUFFIX).errors).toEqual({
      pick: "Choose from the options.",
    });
  });

  test.each([[[]], [["None"]]])("a dropdown of %j is open where a callback fills it", (options) => {
    const config = { k: iparam("dropdown", { options }) };
    const errors = { k: "Choose from the options." };
    expect(check(config, { k: "x" }).errors).toEqual({});
    expect(check(config, { k: "x" }, { attributes: { k: { values: ["y"] } } }).errors).toEqual(errors);
    expect(check(config, { k: "x" }, { hasCallbacks: false }).errors).toEqual(errors);
  });
});
