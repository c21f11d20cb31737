import { describe, expect, test } from "@jest/globals";
import type { Conversation } from "@parley/contract";
import { type RuleInput, dryRun, firstMatchingRule, actionsText } from "../../../server/lib/rule-matching.ts";
import { isAssignable } from "../../../server/lib/assignment.ts";
import { unknownNames, type AccountNames } from "../../../server/lib/rule-check.ts";
import { parseRules } from "../../../server/lib/rules.ts";

const whyOf = (text: string, facts: RuleInput): string | undefined =>
  firstMatchingRule(parseRules(text).rules, facts)?.why;

const ADA: RuleInput = {
  text: "I want my money back",
  topic: "Trade customers",
  properties: [
    { name: "Plan", value: "pro" },
    { name: "plan", value: "Max" },
  ],
  domain: "shop.example.com",
  language: "de",
};

describe("a rule matches", () => {
  test.each([
    ["always", "Line 1: this rule fits always."],
    ["topic sales, TRADE  customers", "Line 1: the topic is TRADE customers."],
    ["topic Trade", undefined],
    ["keyword refund, money back", 'Line 1: the message has "money back".'],
    ["keyword mone", undefined],
    ["property PLAN = Pro", "Line 1: the customer's PLAN is Pro."],
    ["property plan = x, max", "Line 1: the customer's plan is max."],
    ["property plan = x", undefined],
    ["property pla = Pro", undefined],
    ["domain example.com", "Line 1: the customer's e-mail address is at example.com."],
    ["domain shop.example.com", "Line 1: the customer's e-mail address is at shop.example.com."],
    ["domain hop.example.com", undefined],
    ["domain my.shop.example.com", undefined],
    ["language fr, de", "Line 1: the customer's language is de."],
    ["language fr", undefined],
    ["keyword money and language de", 'Line 1: the message has "money" and the customer\'s language is de.'],
    ["keyword money and language fr", undefined],
  ])("%j: %j", (condition, why) => {
    expect(whyOf(`${condition} => group A`, ADA)).toBe(why);
  });
  test.each(["topic x", "keyword x", "property x = y", "domain x.y", "language xx"])(
    "%j not, where nothing is known",
    (condition) => {
      expect(whyOf(`${condition} => group A`, {})).toBeUndefined();
    },
  );
  test("before later rules", () => {
    const rules = "keyword refund => group A\nlanguage de => group B\nalways => group C";
    expect(whyOf(rules, ADA)).toBe("Line 2: the customer's language is de.");
    expect(firstMatchingRule(parseRules(rules).rules, {})?.rule).toMatchObject({ line: 3, group: "C" });
  });
});

test("the actions of a rule are described in the order in which they are applied", () => {
  const fields = { cf_a: "1", cf_b: ["2", "3"] };
  expect(actionsText({ fields, priority: "High", agent: "ben@example.com", group: "A" })).toBe(
    "group A, agent ben@example.com, priority High, cf_a = 1, cf_b = 2, 3",
  );
  expect(actionsText({})).toBe("");
});

describe("a dry run states", () => {
  const RULES = `topic Returns, Repairs => group Returns
keyword refund and language de => group Verkauf
keyword refund => group Billing; priority High
keyword thanks => priority Low
language fr => agent ben@example.com`;
  test.each([
    [
      "Refund please",
      'This message would go to the group Billing, priority High. Line 3: the message has "refund". Line 1 comes first when the topic is Returns or Repairs. Line 2 comes first when the customer\'s language is de.',
    ],
    [
      "thanks",
      'This message would get the priority Low. Line 4: the message has "thanks". Line 1 comes first when the topic is Returns or Repairs.',
    ],
    [
      "Hello",
      "No rule fits: the conversation stays where it is. Line 1 comes first when the topic is Returns or Repairs. Line 5 comes first when the customer's language is fr.",
    ],
  ])("%j: %j", (text, answer) => {
    expect(dryRun(RULES, { text })).toBe(answer);
  });
  test("the result with known data of the customer", () => {
    expect(dryRun(RULES, { text: "Hi", topic: "Sales", language: "fr" })).toBe(
      "This message would go to the agent ben@example.com. Line 5: the customer's language is fr.",
    );
    expect(dryRun("keyword a, b and topic X => group A", { topic: "X" })).toBe(
      'No rule fits: the conversation stays where it is. Line 1 comes first when the message has "a" or "b".',
    );
    for (const condition of ["property a = b", "domain a.b"])
      expect(dryRun(`${condition} => group A`, { text: "Hi", properties: [], domain: "c.d" })).toBe(
        "No rule fits: the conversation stays where it is.",
      );
  });
  test("that there are no rules", () => {
    expect(dryRun("\nnonsense", { text: "Hi" })).toBe("There are no rules: no message is routed.");
  });
});

describe("a name that the account lacks", () => {
  const choices = ["Return", "Order"].map((value) => ({ id: value, value }));
  const field = { custom: true, editable: true, choices: [] };
  const accountNames: AccountNames = {
    groups: [
      { id: "1", name: "Billing" },
      { id: "2", name: "Level 2" },
    ],
    agents: [
      { id: "a", email: "Ben@example.com", groups: ["1"], is_deactivated: false },
      { id: "b", email: "tom@example.com", groups: ["1"], is_deactivated: true },
    ],
    topics: [{ name: "Sales" }],
    fields: [
      { ...field, name: "priority", type: "DROPDOWN", custom: false },
      { ...field, name: "cf_reason", type: "DROPDOWN", choices },
      { ...field, name: "cf_all", type: "MULTI_SELECT_DROPDOWN", choices },
      { ...field, name: "cf_text", type: "TEXT" },
      { ...field, name: "cf_fixed", type: "TEXT", editable: false },
    ],
  };
  test.each([
    ["always => group billing; agent BEN@example.com", []],
    ["always => agent ben@example.com", []],
    ["always => group Bill", ['the account has no group "Bill". It has Billing, Level 2.']],
    ["topic sales, Buy => group Billing", ['the account has no topic "Buy". It has Sales.']],
    ["keyword Buy => group Billing", []],
    ["always => agent x@y", ['the account has no agent "x@y". It has Ben@example.com, tom@example.com.']],
    ["always => agent tom@example.com", ["the agent tom@example.com is deactivated."]],
    [
      "always => group level 2; agent ben@example.com",
      ["the agent ben@example.com doesn't belong to the group level 2."],
    ],
    ["always => group Nope; agent ben@example.com", ['the account has no group "Nope". It has Billing, Level 2.']],
    ["always => cf_reason = Return; cf_all = Return, Order; cf_text = a", []],
    ["always => cf_all = Return", []],
    ["always => cf_none = a", ['the account has no property "cf_none". It has cf_reason, cf_all, cf_text, cf_fixed.']],
    ["always => cf_fixed = a", ["the property cf_fixed can't be changed."]],
    ["always => cf_text = a, b", ["the property cf_text takes one value."]],
    ["always => cf_reason = Return, Order", ["the property cf_reason takes one value."]],
    ["always => cf_reason = return", ['the property cf_reason has no choice "return". It has Return, Order.']],
    ["always => cf_all = Order, Odd", ['the property cf_all has no choice "Odd". It has Return, Order.']],
  ])("%j: %j", (text, messages) => {
    const { rules } = parseRules(text);
    expect(rules).toHaveLength(1);
    expect(unknownNames(rules, accountNames)).toEqual(messages.map((message) => ({ line: 1, message })));
  });
  test("is a problem with its line, unless the account's names are unknown", () => {
    const { rules } = parseRules("topic X => group Y; agent z@z; cf_a = 1\ntopic X => group Y");
    expect(unknownNames(rules, {})).toEqual([]);
    expect(unknownNames(rules, accountNames).map(({ line }) => line)).toEqual([1, 1, 1, 1, 2, 2]);
  });
});

describe("a conversation can be assigned by the rule", () => {
  const parts = [{ change: { assigned_group_id: "g" } }, { change: { assigned_agent_id: "a" } }];
  test.each([
    [{ status: "new" }, true],
    [{ status: "resolved" }, false],
    [{ status: "new", assigned_group_id: "g" }, true],
    [{ status: "new", assigned_group_id: "other" }, false],
    [{ status: "assigned", assigned_group_id: "g", assigned_agent_id: "a" }, true],
    [{ status: "assigned", assigned_agent_id: "other" }, false],
  ] as const)("%j: %j", (conversation, free) => {
    expect(isAssignable(conversation as Conversation, parts)).toBe(free);
  });
});
