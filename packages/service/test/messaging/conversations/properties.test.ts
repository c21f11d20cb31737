import { describe, expect, test } from "@jest/globals";
import { type Field, isRefusal, type Properties } from "@parley/contract";
import { checkRequired, defaultProperties, withProperties } from "../../../src/messaging/conversations/properties.ts";

const field = (name: string, type: Field["type"], more: Partial<Field> = {}): Field => ({
  id: `id-${name}`,
  name,
  label: name,
  type,
  custom: name !== "priority",
  editable: true,
  position: 1,
  required: false,
  choices: [],
  ...more,
});
const choices = ["Low", "Medium", "High", "Urgent"].map((value) => ({ id: `choice-${value}`, value }));
const fields = [
  field("priority", "DROPDOWN", { choices, required: true, default_value: "choice-Low" }),
  field("cf_text", "TEXT"),
  field("cf_paragraph", "PARAGRAPH"),
  field("cf_checkbox", "CHECKBOX"),
  field("cf_number", "NUMBER"),
  field("cf_decimal", "DECIMAL"),
  field("cf_date", "DATE"),
  field("cf_multi", "MULTI_SELECT_DROPDOWN", { choices }),
  field("cf_fixed", "TEXT", { editable: false }),
];

const outcome = (input: Properties, present?: Properties): Properties | string => {
  try {
    return withProperties(fields, input, present);
  } catch (error) {
    if (isRefusal(error)) return error.message;
    throw error;
  }
};

describe("a property", () => {
  test.each<[string, Properties, Properties | string]>([
    ["of a dropdown is one of its choices", { priority: "High" }, { priority: "High" }],
    [
      "of a dropdown is nothing else",
      { priority: "high" },
      "properties.priority must be one of Low, Medium, High, Urgent.",
    ],
    ["of a dropdown is not a list", { priority: ["High"] }, "properties.priority takes one value, not a list."],
    ["is a text", { cf_text: "x", cf_paragraph: "a\nb" }, { cf_text: "x", cf_paragraph: "a\nb" }],
    ["of a checkbox is true or false", { cf_checkbox: "true" }, { cf_checkbox: "true" }],
    ["of a checkbox is nothing else", { cf_checkbox: "yes" }, "properties.cf_checkbox must be true or false."],
    ["is a number", { cf_number: "-12", cf_decimal: "1.5" }, { cf_number: "-12", cf_decimal: "1.5" }],
    ["of numbers has no fraction", { cf_number: "1.5" }, "properties.cf_number must be an integer."],
    ["of decimals is written with digits", { cf_decimal: "1e3" }, "properties.cf_decimal must be a decimal number."],
    ["is a date", { cf_date: "2024-02-29" }, { cf_date: "2024-02-29" }],
    ["is a time", { cf_date: "2024-02-29T10:00:00.000Z" }, { cf_date: "2024-02-29T10:00:00.000Z" }],
    ["is no 30th of February", { cf_date: "2026-02-30" }, "properties.cf_date must be a date (YYYY-MM-DD)."],
    [
      "is no time of the 31st of April",
      { cf_date: "2026-04-31T10:00:00.000Z" },
      "properties.cf_date must be a date (YYYY-MM-DD).",
    ],
    ["is no date of the 13th month", { cf_date: "2024-13-01" }, "properties.cf_date must be a date (YYYY-MM-DD)."],
    [
      "of several choices is a list without doubles",
      { cf_multi: ["Low", "High", "Low"] },
      { cf_multi: ["Low", "High"] },
    ],
    ["of several choices may be one text", { cf_multi: "Low" }, { cf_multi: ["Low"] }],
    [
      "of several choices is nothing else",
      { cf_multi: ["Low", "x"] },
      "properties.cf_multi must be one of Low, Medium, High, Urgent.",
    ],
    ["must be known", { cf_other: "x" }, "properties.cf_other is not a conversation property of this account."],
    [
      "must be a field's own",
      { constructor: "x" },
      "properties.constructor is not a conversation property of this account.",
    ],
    ["that can't be edited is given on create", { cf_fixed: "x" }, { cf_fixed: "x" }],
  ])("%s", (_title, input, expected) => {
    expect(outcome(input)).toEqual(expected);
  });

  test("that is not editable keeps its value", () => {
    expect(outcome({ cf_fixed: "x", cf_text: "y" }, { cf_fixed: "x" })).toEqual({ cf_fixed: "x", cf_text: "y" });
    expect(outcome({ cf_fixed: "y" }, { cf_fixed: "x" })).toBe("properties.cf_fixed can't be changed.");
  });

  test("is removed by an empty text or list, and omitted ones are kept", () => {
    const present = { priority: "Low", cf_text: "x", cf_multi: ["Low"], cf_number: "1" };
    expect(outcome({ cf_text: "", cf_multi: [] }, present)).toEqual({ priority: "Low", cf_number: "1" });
  });
});

test("a new conversation has the default values", () => {
  expect(defaultProperties(fields)).toEqual({ priority: "Low" });
});

test("a missing required property is named by the error", () => {
  expect(() => checkRequired(fields, { priority: "Low" })).not.toThrow();
  expect(() => checkRequired(fields, { cf_text: "x" })).toThrow("properties.priority needs a value");
});
