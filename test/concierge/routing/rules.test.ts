import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { ruleInputOf, customerText, containsWords } from "../../../server/lib/rule-matching.ts";
import {
  hasOpenQuote,
  quotedPieces,
  straightQuotes,
  quotedValues,
  parseRules,
  type RoutingRule,
} from "../../../server/lib/rules.ts";

const ruleOf = (text: string): RoutingRule => {
  const { rules, problems } = parseRules(text);
  expect(problems).toEqual([]);
  return rules[0] as RoutingRule;
};
const problemOf = (text: string): string => {
  const { rules, problems } = parseRules(text);
  expect(rules).toEqual([]);
  expect(problems).toHaveLength(1);
  return problems[0]?.message ?? "";
};
const FORM = 'write "condition => action", such as "keyword refund, money back => group Billing; priority High".';
const NO_CONDITION =
  'is not a condition: write topic Sales, keyword refund, property plan = Pro, domain example.com, language de, or always; a text that has an "and" in it stands in quotes.';
const NO_ACTION = "is not an action: write group Billing, agent ben@example.com, priority High, or cf_reason = Refund.";

describe("a condition of a rule", () => {
  test.each([
    ["always", [{ kind: "always", name: "", values: [""] }]],
    ["topic Sales", [{ kind: "topic", name: "", values: ["Sales"] }]],
    ["TOPIC  Trade   customers", [{ kind: "topic", name: "", values: ["Trade customers"] }]],
    ["keyword refund, money back", [{ kind: "keyword", name: "", values: ["refund", "money back"] }]],
    [
      'keyword "terms and conditions", “a, b”',
      [{ kind: "keyword", name: "", values: ["terms and conditions", "a, b"] }],
    ],
    ["keyword „a => b“", [{ kind: "keyword", name: "", values: ["a => b"] }]],
    ["keyword a=b", [{ kind: "keyword", name: "", values: ["a=b"] }]],
    ["property plan = Pro, Max", [{ kind: "property", name: "plan", values: ["Pro", "Max"] }]],
    ['property my plan="a = b"', [{ kind: "property", name: "my plan", values: ["a = b"] }]],
    [
      "domain @Example.COM, shop.example.org",
      [{ kind: "domain", name: "", values: ["example.com", "shop.example.org"] }],
    ],
    ["language DE, fil", [{ kind: "language", name: "", values: ["de", "fil"] }]],
    [
      "topic Sales AND keyword band and always",
      [
        { kind: "topic", name: "", values: ["Sales"] },
        { kind: "keyword", name: "", values: ["band"] },
        { kind: "always", name: "", values: [""] },
      ],
    ],
  ])("%j is parsed", (text, conditions) => {
    expect(ruleOf(`${text} => group Billing`)).toEqual({ line: 1, conditions, group: "Billing" });
  });

  test.each([
    ["plan = Pro", `"plan = Pro" ${NO_CONDITION}`],
    ["keyword a and b", `"b" ${NO_CONDITION}`],
    ["always and", `"always and" ${NO_CONDITION}`],
    ["always Sales", `"always Sales" ${NO_CONDITION}`],
    ["topic", `"topic" ${NO_CONDITION}`],
    ["constructor x", `"constructor x" ${NO_CONDITION}`],
    ["topic a, ,b", 'a value is missing in "topic a, ,b".'],
    ['topic ""', 'a value is missing in "topic """.'],
    ["property plan", 'write a property like "property plan = Pro".'],
    ["property = Pro", 'write a property like "property plan = Pro".'],
    ["property plan = a = b", 'write a property like "property plan = Pro".'],
    ["property plan =", 'a value is missing in "property plan =".'],
    ["domain example", '"example" is not a domain: write it like example.com.'],
    ["domain a@example.com", '"a@example.com" is not a domain: write it like example.com.'],
    ["domain example.com x", '"example.com x" is not a domain: write it like example.com.'],
    ["domain a..b", '"a..b" is not a domain: write it like example.com.'],
    ["domain example.com, b.", '"b." is not a domain: write it like example.com.'],
    ["language de-AT", '"de-at" is not a language: write its code, such as de.'],
    ["language german", '"german" is not a language: write its code, such as de.'],
    ["language x", '"x" is not a language: write its code, such as de.'],
    ['keyword "a', 'a quote " has no end.'],
  ])("%j is a problem that says what to write", (text, message) => {
    expect(problemOf(`${text} => group Billing`)).toBe(message);
  });
});

describe("an action of a rule", () => {
  test.each([
    ["group Billing", { group: "Billing" }],
    ["Group  Level 2 ; ", { group: "Level 2" }],
    ['group "a; b"', { group: "a; b" }],
    ["agent ben@example.com; group Billing", { agent: "ben@example.com", group: "Billing" }],
    ["priority urgent", { priority: "Urgent" }],
    ["cf_reason = Refund", { fields: { cf_reason: "Refund" } }],
    ['cf_notes="a, b = c"', { fields: { cf_notes: "a, b = c" } }],
    ["cf_a = 1, 2; cf_b = 3", { fields: { cf_a: ["1", "2"], cf_b: "3" } }],
    [
      "group A; priority Low; cf_a = 1; cf___proto__ = 2",
      { group: "A", priority: "Low", fields: { cf_a: "1", cf___proto__: "2" } },
    ],
    ["cf_a = 1; group A", { fields: { cf_a: "1" }, group: "A" }],
  ])("%j is parsed", (text, actions) => {
    expect(ruleOf(`always => ${text}`)).toEqual({
      line: 1,
      conditions: [{ kind: "always", name: "", values: [""] }],
      ...actions,
    });
  });

  test.each([
    ["Billing", `"Billing" ${NO_ACTION}`],
    ["team Billing", `"team Billing" ${NO_ACTION}`],
    ["group", `"group" ${NO_ACTION}`],
    ["group A, B", `"group A, B" ${NO_ACTION}`],
    ["agent Ben", '"Ben" is not an e-mail address: write the e-mail address of an agent.'],
    ["agent b@x y", '"b@x y" is not an e-mail address: write the e-mail address of an agent.'],
    ["agent b@x@y", '"b@x@y" is not an e-mail address: write the e-mail address of an agent.'],
    ["priority hihg", '"hihg" is not a priority: use Low, Medium, High, Urgent.'],
    ["cf_a", 'write a property like "cf_reason = Refund": "cf_a" can\'t be read.'],
    ["cf_a =", 'write a property like "cf_reason = Refund": "cf_a =" can\'t be read.'],
    ["cf_a = 1,", 'write a property like "cf_reason = Refund": "cf_a = 1," can\'t be read.'],
    ["cf_a b = 1", 'write a property like "cf_reason = Refund": "cf_a b = 1" can\'t be read.'],
    ["cf_a = 1 = 2", 'write a property like "cf_reason = Refund": "cf_a = 1 = 2" can\'t be read.'],
    ["group A; group B", '"group" is set twice.'],
    ["cf_a = 1; cf_b = 2; cf_b = 3", '"cf_b" is set twice.'],
    [";", FORM],
    ["", FORM],
    ["group A => group B", FORM],
  ])("%j is a problem that says what to write", (text, message) => {
    expect(problemOf(`always => ${text}`)).toBe(message);
  });
  test.each(["always", "=> group A", "group A"])("%j alone is not a rule", (text) => {
    expect(problemOf(text)).toBe(FORM);
  });
});

test("lines keep their numbers, and lines after a rule that always matches are problems", () => {
  const { rules, problems } = parseRules(
    "\ntopic A => group A\n\nnonsense\nalways and always => group B\ntopic C => group C\nx",
  );
  expect(rules.map(({ line }) => line)).toEqual([2, 5]);
  expect(problems).toEqual([
    { line: 4, message: FORM },
    { line: 6, message: "line 5 fits always: put this line above it." },
    { line: 7, message: FORM },
  ]);
  expect(parseRules(" \n")).toEqual({ rules: [], problems: [] });
});

const pieces = fc.oneof(
  fc.string({ unit: "binary", maxLength: 8 }),
  fc.constantFrom(
    "=>",
    " and ",
    "\n",
    '"',
    ";",
    ",",
    "=",
    "topic ",
    "keyword ",
    "property ",
    "group ",
    "cf_a",
    "always",
    " a",
  ),
);

test("every non-empty line of any text is a rule or a problem", () => {
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 40 }), (parts) => {
      const text = parts.join("");
      const { rules, problems } = parseRules(text);
      const speaking = text.split(/\r\n|\r|\n/).flatMap((line, index) => (line.trim() ? [index + 1] : []));
      expect([...rules, ...problems].map(({ line }) => line).sort((one, other) => one - other)).toEqual(speaking);
      for (const { conditions, ...actions } of rules) {
        expect(conditions.length).toBeGreaterThan(0);
        expect(conditions.every(({ kind, values }) => kind === "always" || !values.includes(""))).toBe(true);
        expect(Object.keys(actions).length).toBeGreaterThan(1);
      }
    }),
    { numRuns: 1_000 },
  );
});

test.each([
  ['a, "b, c" ,d', ["a", "b, c", "d"]],
  ["", [""]],
  ['" a "', ["a"]],
  ['a "b" c', ['a "b" c']],
  ['"a" "b"', ['"a" "b"']],
])("values of %j", (text, values) => {
  expect(quotedValues(text)).toEqual(values);
});
test("quoted separators do not split a text", () => {
  expect(quotedPieces('a;"b;c";d";"', /;/)).toEqual(["a", '"b;c"', 'd";"']);
  expect(quotedPieces("a AND b and c", / and /)).toEqual(["a", "b", "c"]);
  expect(straightQuotes("  “a”\t\n „b“ ")).toBe('"a" "b"');
  expect(['"', '""', 'a"b"c"', ""].map(hasOpenQuote)).toEqual([true, false, true, false]);
});

describe("the search for whole words", () => {
  test.each([
    ["I want a REFUND!", "refund", true],
    ["refund", "refund", true],
    ["refunds", "refund", false],
    ["prerefund", "refund", false],
    ["a refundable refund", "refund", true],
    ["refund-request", "refund", true],
    ["my  money\nBACK", "money back", true],
    ["mymoney back", "money back", false],
    ["ｒｅｆｕｎｄ", "refund", true],
    ["Größe", "größ", false],
    ["e\u0301t", "e", false],
    ["4711", "47", false],
    ["C++ or c++11", "c++", true],
    ["#sale now", "#sale", true],
    ["我要退款。", "退款", true],
    ["返品したい", "返品", true],
    ["ขอคืนเงินหน่อย", "คืนเงิน", true],
    ["refund退款", "refund", true],
    ["𝒳refund", "refund", false],
    ["refund😀", "refund", true],
    ["", "refund", false],
  ])("%j has %j: %j", (text, phrase, has) => {
    expect(containsWords(text, phrase)).toBe(has);
  });
  test("a phrase between spaces is found", () => {
    const word = fc.stringMatching(/^[a-zäß0-9]{1,6}$/);
    fc.assert(
      fc.property(fc.array(word), word, fc.array(word), (before, phrase, after) => {
        expect(containsWords([...before, phrase.toUpperCase(), ...after].join(" "), phrase.toUpperCase())).toBe(true);
        expect(containsWords(`x${phrase}`, phrase)).toBe(`x${phrase}` === phrase);
      }),
    );
  });
});

describe("the input of rules", () => {
  const user = {
    email: " Ada@Shop.Example.com ",
    properties: [
      { name: "plan", value: "Pro" },
      { name: "locale", value: "de-AT" },
    ],
  };
  test("consists of customer, topic and text", () => {
    expect(ruleInputOf({ user, channel: { name: "Sales" } }, "Hi")).toEqual({
      text: "Hi",
      topic: "Sales",
      properties: user.properties,
      domain: "shop.example.com",
      language: "de",
    });
    expect(ruleInputOf({}, undefined)).toEqual({});
    expect(ruleInputOf({ user: { email: "nobody" } }, "").domain).toBeUndefined();
    expect(ruleInputOf({ user: { email: "a@b@c.example" } }, "").domain).toBe("c.example");
  });
  test("contains the customer's texts only", () => {
    const text = (content: string) => ({ text: { content } });
    const messageFrom = (actor_type: "user" | "bot", ...message_parts: object[]) => ({ actor_type, message_parts });
    expect(
      customerText([
        messageFrom("user", text("a"), { image: { url: "https://example.com/a.png" } }, text("b")),
        messageFrom("bot", text("c")),
        messageFrom("user", text("d")),
      ]),
    ).toBe("a\nb\nd");
    expect(customerText([messageFrom("bot", text("c"))])).toBeUndefined();
    expect(customerText([])).toBeUndefined();
  });
});
