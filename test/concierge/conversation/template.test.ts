import { describe, expect, jest, test } from "@jest/globals";
import fc from "fast-check";
import { settingsOf } from "../../../server/lib/settings.ts";
import { parseMessageTemplate, MESSAGE_CHARACTERS_MAX } from "../../../server/lib/template.ts";
import { templateViewOf, type TemplateSubject } from "../../../server/lib/template-view.ts";

const DATA = {
  user: {
    first_name: "Ada",
    last_name: "{{bot.name}} <b>&",
    properties: [
      { name: "plan", value: "Pro" },
      { name: "__proto__", value: "odd" },
    ],
  },
  channel: { name: "Support" },
  conversation: { status: "new", properties: { priority: "Low", cf_colours: ["red", "blue"] } },
} as const satisfies TemplateSubject;
const NOW = new Date("2027-03-02T09:00:00Z");
const view = (subject: TemplateSubject) => templateViewOf(settingsOf({}), subject, NOW);

const rendered = (template: string, data: TemplateSubject = DATA): string => {
  const welcome = parseMessageTemplate(template);
  if (!welcome.ok) throw new Error(welcome.problem.message);
  return welcome.render(view(data));
};

describe("a welcome message renders", () => {
  test.each([
    ["Hi {{user.first_name}}!", "Hi Ada!"],
    ["{{bot.name}} in {{channel.name}}, {{conversation.status}}", "Concierge in Support, new"],
    ["{{user.properties.plan}} {{conversation.properties.priority}}", "Pro Low"],
    ["{{conversation.properties.cf_colours}}", "red,blue"],
    ["{{#if user.first_name}}Hi {{user.first_name}}{{else}}Hello{{/if}}", "Hi Ada"],
    ["{{#unless user.email}}Leave us your e-mail.{{/unless}}", "Leave us your e-mail."],
    ["{{#with user}}{{first_name}} of {{../bot.name}}{{/with}}", "Ada of Concierge"],
    ["{{! for the team }}Hi", "Hi"],
    ["a & b {{{user.first_name}}} }}", "a & b Ada }}"],
    ["Hi\n{{#if user}}\nthere\n{{/if}}\nyou", "Hi\nthere\nyou"],
  ])("%j → %j", (template, text) => {
    expect(rendered(template)).toBe(text);
  });
});

test("a property of the customer is found by any name", () => {
  expect(rendered("{{user.properties.__proto__}}")).toBe("odd");
});

test("a customer's value is plain text: neither parsed as a template nor escaped", () => {
  expect(rendered("{{user.last_name}}")).toBe("{{bot.name}} <b>&");
});

describe("an unknown value renders nothing", () => {
  test.each(["{{user.first_name}}", "{{user.nickname}}", "{{usr.x.y.z}}", "{{conversation.properties.cf_size}}"])(
    "%s",
    (template) => {
      expect(rendered(`<${template}>`, {})).toBe("<>");
    },
  );
  test("a whole record renders nothing", () => {
    expect(rendered("<{{user}}{{this}}{{user.properties}}{{#with channel}}{{this}}{{/with}}>")).toBe("<>");
  });
});

describe("a template reaches nothing outside its data and logs nothing", () => {
  test.each([
    "{{constructor}}",
    "{{user.constructor.name}}",
    "{{user.__proto__.toString}}",
    "{{user.toString}}{{toString}}",
    "{{user.first_name.constructor}}",
    "{{user.__proto__}}{{__proto__}}{{bot.__proto__.toString}}",
    "{{user.__defineGetter__}}{{user.valueOf}}{{user.hasOwnProperty}}",
    "{{helperMissing}}{{blockHelperMissing}}{{log}}{{lookup}}{{each}}",
    "{{@root.constructor}}{{@root.user.constructor}}",
    "{{#with user.constructor}}in{{name}}{{/with}}",
  ])("%s", (template) => {
    const consoleError = jest.spyOn(console, "error").mockImplementation(() => undefined);
    expect(rendered(`<${template}>`)).toBe("<>");
    expect(consoleError).not.toHaveBeenCalled();
    consoleError.mockRestore();
  });
});

describe("an unusable template is refused with its line", () => {
  test.each([
    ["Hi {{user.first_name", 1, "can't be read"],
    ["Hi\n{{user.}}", 2, "write one name"],
    ["\n\n{{}}", 3, "can't be read"],
    ["{{#if user}}\nHi", 2, "isn't closed"],
    ["\n{{#if user}}Hi{{/unless}}", 2, "{{#if}} is closed by {{/unless}}"],
    ["Hi\n{{#each user}}{{this}}{{/each}}", 2, "{{#each}} can't be used"],
    ["{{#user}}Hi{{/user}}", 1, "{{#user}} can't be used"],
    ["{{{{raw}}}} {{{{/raw}}}}", 1, "{{#raw}} can't be used"],
    ["\n{{> footer}}", 2, "can't be used"],
    ["{{#> layout}}x{{/layout}}", 1, "can't be used"],
    ["{{#*inline 'a'}}{{> a}}{{/inline}}{{> a}}", 1, "can't be used"],
    ["{{#if user}}\n{{#with user}}\n{{> a}}\n{{/with}}\n{{/if}}", 3, "can't be used"],
    ["{{#if user}}a{{else}}\n{{> a}}\n{{/if}}", 2, "can't be used"],
    ["{{* decorate}}", 1, "can't be used"],
    ["{{lookup user 'first_name'}}", 1, "write one name"],
    ["{{user.first_name upper=true}}", 1, "write one name"],
    ["{{if}}", 1, "write one name"],
    ["{{'text'}}", 1, "write one name"],
    ["{{#if}}a{{/if}}", 1, "takes one name"],
    ["{{#if user bot}}a{{/if}}", 1, "takes one name"],
    ["{{#if (eq user bot)}}a{{/if}}", 1, "takes one name"],
    ["x".repeat(4_001), 1, "4000 characters"],
  ])("%j", (template, line, hint) => {
    expect(parseMessageTemplate(template)).toEqual({
      ok: false,
      problem: { line, message: expect.stringContaining(hint) },
    });
  });
});

test("a greeting is cut at its maximum length, between characters", () => {
  const text = rendered("{{user.first_name}}".repeat(200), { user: { first_name: "😀".repeat(1_000) } });
  expect([...text]).toHaveLength(MESSAGE_CHARACTERS_MAX);
  expect(text).toMatch(/^(?:😀)+…$/u);
});

const pieces = fc.oneof(
  fc.string(),
  fc.constantFrom(
    "{{",
    "}}",
    "{{#if user}}",
    "{{/if}}",
    "{{else}}",
    "{{user.first_name}}",
    "{{{",
    "{{>",
    "\n",
    "#",
    "\\",
  ),
);

test("any template renders a text within the limit, or is a problem on one of its lines", () => {
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 30 }), (parts) => {
      const template = parts.join("");
      const welcome = parseMessageTemplate(template);
      if (welcome.ok) return expect([...welcome.render(DATA)].length).toBeLessThanOrEqual(MESSAGE_CHARACTERS_MAX);
      expect(welcome.problem.message).toMatch(/\.$/);
      expect(welcome.problem.line).toBeGreaterThanOrEqual(1);
      expect(welcome.problem.line).toBeLessThanOrEqual(template.split("\n").length);
    }),
    { numRuns: 1_000 },
  );
});
