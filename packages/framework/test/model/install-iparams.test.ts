import { describe, expect, test } from "@jest/globals";
import { matchesSchema, IPARAM_TYPES, IparamsConfig, type IparamType } from "@parley/contract";
import fc from "fast-check";
import { checkIparams } from "../../src/model/iparams/iparams-rules.ts";
import type { Finding } from "../../src/model/finding.ts";

const text = { display_name: "A", type: "text" };
const product = { type_attributes: { product: "chat" } };
const FUNCTIONS = ["checkIt"];
const CALLBACKS = "function checkIt() { utils.set('named', { visible: true }); }";

const messagesFor = (json: unknown, level: Finding["level"] = "error", functions: readonly string[] = FUNCTIONS) =>
  checkIparams(json, { names: functions, code: CALLBACKS })
    .filter((finding) => finding.level === level)
    .map(({ message }) => message);

describe("config/iparams.json is rejected with the documented message for", () => {
  test.each<[string, unknown, string[]]>([
    ["no object", [], ["iparams.json should hold an object of parameters by key."]],
    [
      "reserved keys",
      { options: text, regex: text, fine: text },
      ["Do not use reserved keywords, options, regex, as keys."],
    ],
    [
      "a key that changes what an object is",
      JSON.parse('{"__proto__": {"display_name": "A", "type": "text"}}'),
      ["Do not use reserved keywords, __proto__, as keys."],
    ],
    ["an empty key", { " ": text }, ["The iparam key should be a non-empty string."]],
    ["nothing mandatory", { k: {} }, ["The mandatory key(s), display_name, type, missing for the 'k' field."]],
    ["no object at a key", { k: "text" }, ["The mandatory key(s), display_name, type, missing for the 'k' field."]],
    ["no type", { k: { display_name: "A" } }, ["The mandatory key(s), type, missing for the 'k' field."]],
    ["an unknown type", { k: { ...text, type: "colour" } }, ["Invalid type, colour, found in the 'k' field."]],
    ["an inherited type", { k: { ...text, type: "toString" } }, ["Invalid type, toString, found in the 'k' field."]],
    ["a type that is not a text", { k: { ...text, type: 7 } }, ["Invalid type, 7, found in the 'k' field."]],
    [
      "unknown attributes",
      { k: { ...text, colour: 1, size: 2 } },
      ["Invalid key(s), colour, size, found in the 'k' field."],
    ],
    [
      "a label that is not a text",
      { k: { ...text, display_name: 1 } },
      ["Specify a text for the display_name key in the 'k' field."],
    ],
    [
      "booleans in quotes",
      { k: { ...text, required: "true", visible: "false", secure: 1 } },
      [
        "Specify either true or false for the required key in the 'k' field.",
        "Specify either true or false for the secure key in the 'k' field.",
        "Specify either true or false for the visible key in the 'k' field.",
      ],
    ],
    [
      "a checkbox's default in quotes",
      { k: { display_name: "A", type: "checkbox", default_value: "true" } },
      ["Specify either true or false for the default_value key in the 'k' field."],
    ],
    [
      "options that are missing",
      { k: { display_name: "A", type: "radio" } },
      ["In the 'k' field, specify options for the radio type."],
    ],
    [
      "options that are not texts",
      { k: { display_name: "A", type: "multiselect", options: [1] } },
      ["In the 'k' field, specify options for the multiselect type."],
    ],
    [
      "options where none belong",
      { k: { ...text, options: ["a"] } },
      ["Options must not be specified for text type in the 'k' field."],
    ],
    [
      "a default outside the options",
      { k: { display_name: "A", type: "dropdown", options: ["a"], default_value: "b" } },
      ["The default value specified for the 'k' dropdown type is not listed in the options."],
    ],
    [
      "one of several defaults outside the options",
      { k: { display_name: "A", type: "multiselect", options: ["a", "b"], default_value: ["a", "c"] } },
      ["The default value specified for the 'k' multiselect type is not listed in the options."],
    ],
    [
      "a default of the wrong kind",
      { k: { ...text, default_value: true } },
      ["Specify a text for the default_value key in the 'k' field."],
    ],
    ["an empty regex", { k: { ...text, regex: {} } }, ["For the 'k' field, regex should not be empty."]],
    [
      "a regex without its message",
      { k: { ...text, regex: { short: "^.$" } } },
      ["In the 'k' field, error message is missing for 'short'."],
    ],
    [
      "a message without its regex",
      { k: { ...text, regex: { "short-error": "no" } } },
      ["In the 'k' field, regex is missing for 'short'."],
    ],
    [
      "a broken regex",
      { k: { ...text, regex: { short: "[", "short-error": "no" } } },
      ["Invalid regex entered for 'short' in the 'k' field."],
    ],
    [
      "a regex that looks around",
      { k: { ...text, regex: { safe: "(?=.*\\d).+", "safe-error": "no" } } },
      ["Invalid regex entered for 'safe' in the 'k' field."],
    ],
    [
      "an api_key without type_attributes",
      { k: { display_name: "A", type: "api_key", secure: true } },
      ["type_attributes must be specified for type api_key in iparams.json."],
    ],
    [
      "type_attributes without a product",
      { k: { display_name: "A", type: "domain", type_attributes: {} } },
      ["Mandatory key(s) product missing in type_attributes for k."],
    ],
    [
      "a section without a title",
      { k: { ...text, type_attributes: { section: "" } } },
      ["Specify a text for the section key in the 'k' field."],
    ],
    [
      "a section in place of a product",
      { k: { display_name: "A", type: "domain", type_attributes: { section: "Account" } } },
      ["Mandatory key(s) product missing in type_attributes for k."],
    ],
    [
      "events as an object",
      { k: { ...text, events: { change: "checkIt" } } },
      ["For the 'k' text type, add the Events as an array."],
    ],
    [
      "another event",
      { k: { ...text, events: [{ blur: "checkIt" }] } },
      ["The blur event is not supported in the 'k' field"],
    ],
    [
      "a missing function",
      { k: { ...text, events: [{ change: "other" }] } },
      ["The other function does not exist for the 'k' field."],
    ],
  ])("%s", (_, json, messages) => {
    expect(messagesFor(json)).toEqual(messages);
  });
});

describe("config/iparams.json may contain", () => {
  test.each<[string, unknown]>([
    ["nothing", {}],
    [
      "every type",
      Object.fromEntries(Object.keys(IPARAM_TYPES).map((type) => [`k_${type}`, ofType(type as IparamType)])),
    ],
    ["a callback", { k: { ...text, events: [{ change: "checkIt" }] } }],
    ["empty options that a callback fills", { k: { display_name: "A", type: "dropdown", options: [] } }],
    ["several expressions", { k: { ...text, regex: { a: "^a", "a-error": "no", b: "b$", "b-error": "no" } } }],
    [
      "a number's default as text or number",
      { a: { ...text, type: "number", default_value: "5" }, b: { ...text, type: "number", default_value: 5 } },
    ],
  ])("%s", (_, json) => {
    expect(messagesFor(json)).toEqual([]);
    expect(matchesSchema(IparamsConfig, json)).toBe(true);
  });
});

test("empty options are rejected without a callback that could fill them", () => {
  const json = { k: { display_name: "A", type: "dropdown", options: [] } };
  expect(messagesFor(json, "error", [])).toEqual(["In the 'k' field, specify options for the dropdown type."]);
});

test("function names are accepted while their file can't be read", () => {
  expect(checkIparams({ k: { ...text, events: [{ change: "other" }] } }, { names: undefined, code: "" })).toEqual([]);
});

test.each<[string, readonly string[] | undefined, object, boolean]>([
  ["named", FUNCTIONS, {}, false],
  ["name", FUNCTIONS, {}, true],
  ["amed", FUNCTIONS, {}, true],
  ["named", [], {}, true],
  ["other", undefined, {}, false],
  ["other", FUNCTIONS, { default_value: "x" }, false],
  ["other", FUNCTIONS, { visible: true }, false],
])("required and hidden parameter %s, callbacks %j, %j: a warning is %s", (key, names, more, expected) => {
  const iparams = { [key]: { ...text, required: true, visible: false, ...more } };
  const codes = checkIparams(iparams, { names, code: CALLBACKS }).map(({ code }) => code);
  expect(codes).toEqual(expected ? ["iparams-hidden-required"] : []);
});

test("a key with a secret-sounding name without secure, and a domain without a product, cause a warning", () => {
  const keys = ["Api_Key", "authority", "tokens", "the_secret", "name"];
  const json = Object.fromEntries(keys.map((key) => [key, text]));
  expect(messagesFor(json, "warning")).toEqual(
    keys.slice(0, 4).map((key) => `iparam '${key}' appears to be a secure param but it isn't marked as secure.`),
  );
  expect(messagesFor({ api_key: { ...text, secure: true } }, "warning")).toEqual([]);
  expect(messagesFor({ k: { display_name: "A", type: "domain" } }, "warning")).toEqual([
    "type_attributes must be specified for type domain in iparams.json.",
  ]);
});

function ofType(type: IparamType) {
  const isChoice = IPARAM_TYPES[type].options;
  return { display_name: "A", type, ...(isChoice ? { options: ["a", "b"] } : {}), ...product };
}

test("any content of the file gets findings instead of an exception, and accepted content has the contract's shape", () => {
  const attribute = fc.oneof(fc.jsonValue(), fc.constantFrom(...Object.keys(IPARAM_TYPES), true, "checkIt", ["a"]));
  const iparam = fc.record(
    {
      display_name: fc.oneof(fc.string(), attribute),
      type: fc.constantFrom<unknown>(...Object.keys(IPARAM_TYPES), "x", 1),
      description: attribute,
      options: fc.oneof(fc.array(fc.string()), attribute),
      default_value: attribute,
      required: fc.oneof(fc.boolean(), attribute),
      secure: fc.boolean(),
      regex: fc.oneof(fc.dictionary(fc.string(), fc.string()), attribute),
      type_attributes: fc.oneof(fc.constant({ product: "chat" }), attribute),
      events: fc.oneof(fc.constant([{ change: "checkIt" }]), attribute),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.oneof(iparam, fc.jsonValue())), (json) => {
      const errors = messagesFor(json);
      if (errors.length === 0) expect(matchesSchema(IparamsConfig, json)).toBe(true);
    }),
    { numRuns: 500 },
  );
});
