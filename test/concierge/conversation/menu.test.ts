import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { problemsText } from "../../../server/lib/setting-lines.ts";
import { findChoice, MENU_CHOICES_MAX, parseMenu, PRIORITIES, unknownGroups } from "../../../server/lib/menu.ts";

describe("a line of the menu", () => {
  test.each([
    ["Buy => Sales", { label: "Buy", group: "Sales" }],
    ["Buy=>Sales=>High", { label: "Buy", group: "Sales", priority: "High" }],
    [
      "  Get help  =>  Level 2 Support  =>  urgent ",
      { label: "Get help", group: "Level 2 Support", priority: "Urgent" },
    ],
    ["Größe = 3? => Verkauf", { label: "Größe = 3?", group: "Verkauf" }],
    ["-> Buy => Sales => LOW", { label: "-> Buy", group: "Sales", priority: "Low" }],
  ])("%j is a choice", (text, choice) => {
    expect(parseMenu(text)).toEqual({ choices: [{ line: 1, ...choice }], problems: [] });
  });

  test.each([
    ["Buy", "Label => group"],
    ["=> Sales", "Label => group"],
    ["Buy =>", "Label => group"],
    ["Buy => Sales =>", "Label => group"],
    ["Buy => Sales => High => now", "Label => group"],
    ["=>", "Label => group"],
    ["Buy => Sales => Hihg", "Low, Medium, High, Urgent"],
    ["Buy => Sales => __proto__", "Low, Medium, High, Urgent"],
    [`${"x".repeat(81)} => Sales`, "80 characters"],
  ])("%j is not a choice, and the problem says what to write", (text, hint) => {
    const { choices, problems } = parseMenu(text);
    expect(choices).toEqual([]);
    expect(problems).toEqual([{ line: 1, message: expect.stringContaining(hint) }]);
  });
});

test("blank lines are ignored but counted", () => {
  const { choices, problems } = parseMenu("\n  \r\nBuy => Sales\n\n???\r\nHelp => Support");
  expect(choices.map(({ line, label }) => [line, label])).toEqual([
    [3, "Buy"],
    [6, "Help"],
  ]);
  expect(problemsText(problems)).toMatch(/^Line 5: /);
});

test("an empty menu has no choices and no problems", () => {
  expect(parseMenu(" \n ")).toEqual({ choices: [], problems: [] });
  expect(problemsText([])).toBeUndefined();
});

test("a duplicate label, regardless of spelling, is a problem that names the first line", () => {
  const { choices, problems } = parseMenu("Get help => Support\nget  HELP => Sales");
  expect(choices).toHaveLength(1);
  expect(problems).toEqual([{ line: 2, message: expect.stringContaining("line 1") }]);
});

test("lines beyond the maximum are problems", () => {
  const { choices, problems } = parseMenu(
    Array.from({ length: MENU_CHOICES_MAX + 2 }, (_, index) => `Choice ${index} => Sales`).join("\n"),
  );
  expect(choices).toHaveLength(MENU_CHOICES_MAX);
  expect(problems.map(({ line }) => line)).toEqual([MENU_CHOICES_MAX + 1, MENU_CHOICES_MAX + 2]);
});

test("an unknown group is a problem that lists the account's groups", () => {
  const { choices } = parseMenu("a => sales\nb => Nope\nc => SUPPORT ");
  expect(unknownGroups(choices, ["Sales", "Support"])).toEqual([
    { line: 2, message: 'the account has no group "Nope". It has Sales, Support.' },
  ]);
});

describe("the customer's text", () => {
  const { choices } = parseMenu("Get help => Support\nBuy => Sales");
  test.each([
    ["Get help", "Get help"],
    ["  gET   help\n", "Get help"],
    ["buy", "Buy"],
    ["ｂｕｙ", "Buy"],
    ["I want to buy", undefined],
    ["", undefined],
    ["constructor", undefined],
  ])("%j choose %j", (words, label) => {
    expect(findChoice(choices, words)?.label).toBe(label);
  });
});

const pieces = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom("=>", " => ", "\n", "\r\n", "\r", "Sales", "High", "", "  "),
);
const anyMenu = fc.array(pieces, { maxLength: 40 }).map((parts) => parts.join(""));

test("every non-empty line of any text is a choice or a problem", () => {
  fc.assert(
    fc.property(anyMenu, (menu) => {
      const { choices, problems } = parseMenu(menu);
      const lines = menu.split(/\r\n|\r|\n/);
      const speaking = lines.flatMap((text, index) => (text.trim() ? [index + 1] : []));
      const named = [...choices, ...problems].map(({ line }) => line).sort((one, other) => one - other);
      expect(named).toEqual(speaking);
      for (const { label, group, priority } of choices) {
        expect(label && group).toBeTruthy();
        expect([undefined, ...PRIORITIES]).toContain(priority);
        expect(findChoice(choices, label)?.label).toBe(label);
      }
    }),
    { numRuns: 1_000 },
  );
});
