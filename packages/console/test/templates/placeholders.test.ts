import { expect, test } from "@jest/globals";
import { filledTemplate, placeholderValues, unknownPlaceholders } from "../../src/templates/placeholders.ts";
import { matchingTemplates } from "../../src/templates/matching.ts";

const values = placeholderValues(
  { customer: { id: "u", first_name: "Ann" }, channel_id: "t" },
  { first_name: "Olivia", last_name: "Reyes" },
  [{ id: "t", name: "Support" }] as unknown as Parameters<typeof placeholderValues>[2],
);

const cases: readonly (readonly [template: string, text: string])[] = [
  ["Hello {{customer.first_name}}, this is {{agent.first_name}}.", "Hello Ann, this is Olivia."],
  ["Hello {{ customer.first_name }}!", "Hello Ann!"],
  ["Dear {{customer.last_name}}, hello", "Dear, hello"],
  ["{{customer.last_name}}Hello", "Hello"],
  ["About {{topic}}", "About Support"],
  ["{{unknown}} stays", "{{unknown}} stays"],
  ["{{constructor}} stays", "{{constructor}} stays"],
  ["a\n{{customer.email}}\nb", "a\n\nb"],
];
test.each(cases)("the template %j becomes %j", (template, text) => {
  expect(filledTemplate(template, values)).toBe(text);
});

test("a value with braces is not replaced again", () => {
  expect(filledTemplate("{{customer.first_name}}", { ...values, "customer.first_name": "{{topic}}" })).toBe(
    "{{topic}}",
  );
});

test("names in braces that are not placeholders are found once each", () => {
  expect(unknownPlaceholders("{{topic}} {{x}} {{ x }} {{first name}}", ["topic"])).toEqual(["x", "first name"]);
});

const template = (name: string, shortcut?: string, text = "") => ({
  name,
  text,
  ...(shortcut !== undefined && { shortcut }),
});

test("the best match of a word comes first: shortcut, beginning of it, name, text", () => {
  const all = [
    template("Text", "x", "about hi"),
    template("Say hi", "say"),
    template("Hiking"),
    template("Greeting", "hi-all"),
    template("Short", "hi"),
    template("None"),
  ];
  expect(matchingTemplates(all, " HI ").map(({ name }) => name)).toEqual([
    "Short",
    "Greeting",
    "Hiking",
    "Say hi",
    "Text",
  ]);
});

test("without a word all templates match, in their order", () => {
  expect(matchingTemplates([template("B"), template("A")], "").map(({ name }) => name)).toEqual(["B", "A"]);
});
