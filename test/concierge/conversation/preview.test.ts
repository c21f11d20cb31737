import { describe, expect, test } from "@jest/globals";
import { sampleDataFor, templatePreview, templatePreviews } from "../../../server/lib/preview.ts";
import { settingsOf } from "../../../server/lib/settings.ts";

const settings = settingsOf({ bot_name: "Zoe", menu: "Buy => Sales" });
const preview = (template: string) => templatePreview(template, settings);

describe("the preview of a template", () => {
  test.each([
    [
      "a customer with a name and one without",
      "Hi{{#if user.first_name}} {{user.first_name}}{{/if}}!",
      "Preview for Ada: Hi Ada!\nWithout a name: Hi!",
    ],
    ["one text when both read the same", "I'm {{bot.name}}.", "Preview: I'm Zoe."],
    ["that it is empty for someone", "{{user.first_name}}", "Preview for Ada: Ada\nWithout a name: (nothing)"],
    ["what only strangers read", "{{#unless user}}Hi{{/unless}}", "Preview for Ada: (nothing)\nWithout a name: Hi"],
    ["nothing when it says nothing to anyone", "{{usr.first_name}} ", undefined],
    ["nothing of one that can't be read", "Hi\n{{user.", undefined],
    ["the first choice of the menu", "{{choice.label}}: {{choice.group}}", "Preview: Buy: Sales"],
    ["an opening time", "{{opening.day}}, {{opening.time}}", "Preview: Monday 8 March, 09:00"],
    ["a lead and a last topic", "{{lead.value}} {{last.topic}}", "Preview: ada@example.com Support"],
    ["a morning, in every time zone", "{{time.of_day}}", "Preview: morning"],
    ["what comes from outside by its name", "{{data.order.number}}", "Preview: (order.number)"],
  ])("shows %s", (_what, template, text) => {
    expect(preview(template)).toBe(text);
  });

  test("has a sample choice for an empty menu, and tolerates an unknown time zone", () => {
    const settings = settingsOf({ menu: "", time_zone: "Nowhere" });
    expect(templatePreview("{{choice.label}} {{choice.group}}", settings)).toBe("Preview: I need help Support");
  });
});

test.each([
  ["{{data.a}} {{data.b.c}} {{{data.b.d}}}", { a: "(a)", b: { c: "(b.c)", d: "(b.d)" } }],
  ["{{#if data.a}}{{data.a.b}}{{/if}}", { a: { b: "(a.b)" } }],
  ["{{data.a.b}}{{data.a}}", { a: { b: "(a.b)" } }],
  ["{{user.first_name}} data.x", {}],
])("the template %s needs the event data %j", (template, data) => {
  expect(sampleDataFor(template)).toEqual({ data });
});

describe("the preview of several templates", () => {
  const named = (name: string, template = "Hi") => ({ name, template });
  test("has one or two lines for each", () => {
    expect(templatePreviews([named("A"), named("B", "{{user.first_name}}"), named("C", "{{x}}")], settings)).toBe(
      "A: Hi\nB, for Ada: Ada\nB, without a name: (nothing)",
    );
  });
  test("is empty for no templates", () => {
    expect(templatePreviews([], settings)).toBeUndefined();
  });
  test("states the number of omitted templates", () => {
    expect(
      templatePreviews(
        [..."ABCDE"].map((name) => named(name)),
        settings,
      ),
    ).toMatch(/E: Hi$/);
    expect(
      templatePreviews(
        [..."ABCDEFG"].map((name) => named(name)),
        settings,
      ),
    ).toMatch(/E: Hi\n… and 2 more\.$/);
  });
});
