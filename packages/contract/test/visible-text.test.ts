import { expect, test } from "@jest/globals";
import { visibleName, visibleText } from "@parley/contract/display";

test.each([
  ["photo\u202egnp.exe", "photognp.exe"],
  ["  Ada\u200b\n\u2066Lovelace\u00ad ", "Ada Lovelace"],
  ["\u200b\u2060\u3164", ""],
  ["نیم\u200cفاصله 👩\u200d🚀", "نیم\u200cفاصله 👩\u200d🚀"],
  [`a${"\u0301".repeat(9)}`, `a${"\u0301".repeat(3)}`],
])("the name %j is shown as %j", (name, shown) => expect(visibleName(name)).toBe(shown));

test("a text keeps its lines and loses what reorders it", () => {
  expect(visibleText("one\n\ttwo\u202e\u0007three")).toBe("one\n\ttwothree");
});
