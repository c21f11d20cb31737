import { describe, expect, test } from "@jest/globals";
import type { Iparam, IparamsConfig, IparamType } from "@parley/contract";
import { iparamFieldsOf } from "../../src/model/iparams/fields.ts";
import { checkIparamValues, type StoredIparams } from "../../src/model/iparams/validate-values.ts";

const SUFFIX = ".parley.localhost";

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
  }: { attributes?: Record<string, unknown>; stored?: StoredIparams; hasCallbacks?: boolean } = {},
) => checkIparamValues(iparamFieldsOf(app(config, hasCallbacks)), { values, attributes }, stored, SUFFIX);

const stored = (values: StoredIparams["values"], ...secure: string[]): StoredIparams => ({
  values,
  secure: new Set(secure),
});

describe("stored values", () => {
  test("have the type of their parameter, with secure values separate", () => {
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
      keptKeys: [],
      secrets: { key: "k", pin: "12" },
    });
  });

  test("fall back to the stored value, then to the default", () => {
    const config = { a: iparam("text", { default_value: "first" }), b: iparam("text", { default_value: "first" }) };
    expect(check(config, {}).values).toEqual({ a: "first", b: "first" });
    expect(check(config, { b: "" }, { stored: stored({ a: "kept", b: "kept" }) }).values).toEqual({ a: "kept", b: "" });
  });

  test("are converted to the parameter's current type", () => {
    const now = { m: iparam("multiselect", { options: [] }), n: iparam("number") };
    const checked = check(now, {}, { stored: stored({ m: "a\nb", n: "5" }) });
    expect(checked.values).toEqual({ m: ["a\nb"], n: 5 });
  });

  test("keep a stored secure value for an empty one, even if required", () => {
    const config = { key: iparam("text", { secure: true, required: true }) };
    expect(check(config, { key: "" }, { stored: stored({}, "key") })).toEqual({
      errors: {},
      values: {},
      secrets: {},
      keptKeys: ["key"],
    });
    expect(check(config, { key: "" }).errors).toEqual({ key: "This field is required!" });
  });
});

describe("rejected values", () => {
  const regex = {
    letters: "^[a-z]*$",
    "letters-error": "Letters only.",
    short: "^.{0,3}$",
    "short-error": "Too long.",
  };

  test("are those that fail any expression or the check of the type", () => {
    const config = { a: iparam("text", { regex }), b: iparam("email", { regex }) };
    expect(check(config, { a: "abc", b: "" }).errors).toEqual({});
    expect(check(config, { a: "abcd", b: "no" }).errors).toEqual({
      a: "Too long.",
      b: "Enter an email address, such as name@example.com.",
    });
    expect(check(config, { a: "a1", b: "a@b.de" }).errors).toEqual({ a: "Letters only.", b: "Letters only." });
  });

  test("are found quickly with an expression that would hang a backtracking engine", () => {
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
      k: `This value is not of the type ${type}.`,
    });
  });

  test("are choices outside the options and undeclared keys, including inherited names", () => {
    const config = { one: iparam("radio", { options: ["a"] }), many: iparam("multiselect", { options: ["a"] }) };
    expect(check(config, { one: "b", many: ["a", "b"], constructor: "x" }).errors).toEqual({
      one: "Choose from the options.",
      many: "Choose from the options.",
      constructor: "No installation parameter matches 'constructor'.",
    });
  });

  test("are missing required parameters, also with a key that every object inherits", () => {
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

  test("by options, requirement, visibility and limits of utils.set", () => {
    const attributes = { pick: { values: ["x"] }, need: { visible: false }, n: { min: 5 } };
    expect(check(config, { pick: "x", need: "", n: "5" }, { attributes }).errors).toEqual({});
    expect(check(config, { pick: "a", need: "", n: "4" }, { attributes }).errors).toEqual({
      pick: "Choose from the options.",
      n: "Enter a number of at least 5.",
    });
  });

  test("and are ignored for attributes of the wrong shape", () => {
    const attributes = { need: { required: "no" }, pick: ["x"], n: { regex: {} } };
    expect(check(config, { pick: "x", need: "" }, { attributes }).errors).toEqual({
      pick: "Choose from the options.",
      need: "This field is required!",
    });
  });

  test("so that a choice from a callback's options stays valid", () => {
    const existing = stored({ pick: "x", need: "a" });
    const fields = iparamFieldsOf(app(config), existing.values);
    expect(checkIparamValues(fields, { values: {} }, existing, SUFFIX).errors).toEqual({});
    expect(
      checkIparamValues(iparamFieldsOf(app(config, false), existing.values), { values: {} }, existing, SUFFIX).errors,
    ).toEqual({
      pick: "Choose from the options.",
    });
  });

  test.each([[[]], [["None"]]])("a dropdown of %j is open if a callback fills it", (options) => {
    const config = { k: iparam("dropdown", { options }) };
    const errors = { k: "Choose from the options." };
    expect(check(config, { k: "x" }).errors).toEqual({});
    expect(check(config, { k: "x" }, { attributes: { k: { values: ["y"] } } }).errors).toEqual(errors);
    expect(check(config, { k: "x" }, { hasCallbacks: false }).errors).toEqual(errors);
  });
});
