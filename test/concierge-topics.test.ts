import { expect, test } from "@jest/globals";
import { isChosen, unknownTopics } from "../server/topics.ts";

const topic = (name: string, more: { enabled?: boolean; public?: boolean } = {}) => ({ id: name, name, ...more });

test.each([
  ["one that everyone sees", topic("Support", { enabled: true, public: true }), "", true],
  ["one whose state the event does not tell", topic("Support"), " \n", true],
  ["a private one", topic("VIP", { public: false }), "", false],
  ["one that is switched off", topic("Old", { enabled: false }), "", false],
  ["one that is named", topic("Support"), "Sales\nSupport", true],
  ["one that is named in another spelling", topic("Customer  support"), "\n  customer SUPPORT ", true],
  ["a private one that is named", topic("VIP", { public: false }), "vip", true],
  ["one beside those that are named", topic("Billing", { enabled: true, public: true }), "Sales\nSupport", false],
  ["one whose name only begins like it", topic("Sales EU"), "Sales", false],
])("Concierge decides on %s", (_title, channel, topics, chosen) => {
  expect(isChosen(channel, topics)).toBe(chosen);
});

test("a line that names no topic of the account is a problem with its number and the topics that there are", () => {
  expect(unknownTopics("sales\n\nSuport", [{ name: "Sales" }, { name: "Support" }])).toEqual([
    { line: 3, message: 'the account has no topic "Suport". It has Sales, Support.' },
  ]);
});

test("of many topics some are named and the rest are counted", () => {
  const channels = Array.from({ length: 50 }, (_, index) => ({ name: `Topic ${index}` }));
  expect(unknownTopics("x", channels)[0]?.message).toMatch(/Topic 11 and 38 more\.$/);
});
