import "../browser-globals.ts";
import { describe, expect, test } from "@jest/globals";
import type { Template } from "@parley/contract";
import { pageOfLink } from "../../src/administration/outbound-messages/page-of-link.ts";
import {
  buttonProblem,
  outboundTemplateForm,
  removalName,
} from "../../src/administration/outbound-templates/outbound-form.ts";
import {
  nextPlaceholder,
  piecesOf,
  placeholderProblem,
} from "../../src/administration/outbound-templates/placeholders.ts";
import { formProblemsOf, formValuesOf, recordOf } from "../../src/forms/schema-form.ts";

describe("placeholders", () => {
  test.each(["no placeholder", "{{1}}", "{{2}} and {{1}}", "{{1}} {{1}} {{2}}", "{{ 1 }}", "{1}", "{{"])(
    "of %j are accepted",
    (text) => {
      expect(placeholderProblem(text)).toBeUndefined();
    },
  );
  test.each(["{{2}}", "{{1}} {{3}}", "{{0}}", "{{name}}", "{{}}", "{{01}}"])("of %j are refused", (text) => {
    expect(placeholderProblem(text)).toMatch(/Number the placeholders/);
  });
  test("are apart from the text in the preview", () => {
    expect(piecesOf("Hi {{1}}, {{ 2 }}!")).toEqual([
      { text: "Hi " },
      { placeholder: "1" },
      { text: ", " },
      { placeholder: "2" },
      { text: "!" },
    ]);
    expect(piecesOf("")).toEqual([]);
  });
  test("go on from the numbers of the text", () => {
    expect([nextPlaceholder(""), nextPlaceholder("{{1}} {{1}}")]).toEqual(["{{1}}", "{{2}}"]);
  });
});

const TEMPLATES: readonly Template[] = [
  { namespace: "n", name: "plain", language: "en", status: "pending", body: { text: "Hi" } },
  {
    namespace: "n",
    name: "full",
    language: "en_US",
    status: "approved",
    header: { type: "text", text: "Order {{1}}" },
    body: { text: "Hi {{1}}, {{2}}" },
    buttons: [{ subType: "url", label: "See", url: "https://acme.example/{{1}}" }],
  },
  {
    namespace: "n",
    name: "media",
    language: "de",
    status: "rejected",
    header: { type: "video" },
    body: { text: "Hi" },
  },
];
const form = outboundTemplateForm(undefined, TEMPLATES);
const emptyOutboundTemplate = formValuesOf(form);
test.each(TEMPLATES)("the template $name whose form is saved unchanged stays as it is", (template) => {
  expect(recordOf(form, formValuesOf(form, template))).toEqual(template);
});

describe("a template is refused", () => {
  const valid = { ...emptyOutboundTemplate, namespace: "n", name: "new", language: "en", body: "Hi {{1}}" };
  test.each([
    ["without anything", emptyOutboundTemplate, ["namespace", "name", "language", "body"]],
    ["with the identity of another template", { ...valid, name: " plain " }, ["name"]],
    ["with a gap between placeholders", { ...valid, body: "{{2}}" }, ["body"]],
    ["with a header without its text", { ...valid, header: "text" }, ["headerText"]],
    ["with a text that is too long", { ...valid, body: "x".repeat(65_537) }, ["body"]],
    ["with a button without an address", { ...valid, buttons: [{ key: 0, label: "See", url: "" }] }, ["buttons"]],
  ] as const)("%s", (_name, values, places) => {
    expect(Object.keys(formProblemsOf(form, values))).toEqual(places);
  });
  test("not with the name of another template in another language", () => {
    expect(formProblemsOf(form, { ...valid, name: "plain", language: "fr" })).toEqual({});
  });
  test.each([
    [{ label: "See", url: "https://acme.example/{{1}}?a={{2}}" }, undefined],
    [{ label: " ", url: "https://acme.example" }, /label/],
    [{ label: "See", url: "acme.example" }, /address/],
    [{ label: "See", url: "javascript:alert(1)" }, /address/],
    [{ label: "See", url: "https://acme.example/{{2}}" }, /placeholders/],
  ])("for the button %j: %s", (button, problem) => {
    if (problem === undefined) expect(buttonProblem(button)).toBeUndefined();
    else expect(buttonProblem(button)).toMatch(problem);
  });
});

test("a template is removed by namespace, name and language", () => {
  expect(removalName({ namespace: "n", name: "full", language: "en_US" })).toBe("n/full (en_US)");
});

test.each([
  ["/v2/outbound-messages?page=2&items_per_page=50&until=r1", { page: 2, until: "r1" }],
  ["https://acme.example/v2/outbound-messages?until=r1&page=12", { page: 12, until: "r1" }],
  ["/v2/outbound-messages?page=2", { page: 2, until: undefined }],
  ["/v2/outbound-messages", undefined],
  ["/v2/outbound-messages?page=x", undefined],
  [undefined, undefined],
])("the link %s leads to the page %j", (href, page) => {
  expect(pageOfLink(href)).toEqual(page);
});
