import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { parseSyncBody, syncBodyProblems } from "../../../server/lib/sync-body.ts";

/** The admin's form of the posted document. */

const VIEW = { user: { first_name: "Ada" }, event: { name: "user.created" } };
const rendered = (text: string, view: object = VIEW): unknown => {
  const form = parseSyncBody(text);
  return form.ok ? (JSON.parse(form.render(view)) as unknown) : form.problems;
};

test.each([
  ["{}", {}],
  [
    '{"a": "{{user.first_name}}!", "b": [1, true, null, "{{event.name}}"]}',
    { a: "Ada!", b: [1, true, null, "user.created"] },
  ],
  ['["{{user.last_name}}"]', [""]],
  ['{"{{user.first_name}}": 1}', { "{{user.first_name}}": 1 }],
])("the template %s is rendered", (text, body) => expect(rendered(text)).toEqual(body));

const NO_JSON = 'this is not JSON: write { "name": "text", … }, each name and text in double quotes.';
describe("a problem of the body template has its line:", () => {
  test.each([
    ["", 1, NO_JSON],
    ['{\n"a": 1,\n}', 3, NO_JSON],
    ['{\r\n"a"', 2, NO_JSON],
    ["{a: 1}", 1, NO_JSON],
    ['"text"', 1, 'the document must be an object, { "name": "text" }, or a list.'],
    ["null", 1, 'the document must be an object, { "name": "text" }, or a list.'],
    [
      '{\n"a": "x",\n"b": "{{#each x}}{{/each}}"}',
      3,
      "{{#each}} can't be used: use {{#if}}, {{#unless}} or {{#with}}.",
    ],
    ['{\n"b": "\\u007b{"}', 1, "something isn't closed: {{ needs its }}, and {{#if …}} its {{/if}}."],
    [`${"[".repeat(22)}${"]".repeat(22)}`, 1, "the document is nested more than 20 deep."],
    [`{"a": "${"x".repeat(10_000)}"}`, 1, "the document has more than 10000 characters."],
  ])("case %#", (text, line, message) => expect(rendered(text)).toEqual([{ line, message }]));
  test("every invalid text is a problem", () => {
    expect(syncBodyProblems('{"a": "{{",\n"b": "{{x"}')).toHaveLength(2);
  });
  test("an empty and a valid template have no problems", () => {
    expect([syncBodyProblems(" "), syncBodyProblems("{}")]).toEqual([[], []]);
  });
});

test("no value can end its text", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (first_name) => {
      const body = rendered('{"a": "{{user.first_name}}", "b": "x"}', { user: { first_name } });
      expect(body).toEqual({ a: first_name.trim(), b: "x" });
    }),
  );
});
