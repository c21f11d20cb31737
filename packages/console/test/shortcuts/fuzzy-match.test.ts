import { expect, test } from "@jest/globals";
import { filterMatches, scoreMatch } from "../../src/shortcuts/fuzzy-match.ts";

const matches: readonly { readonly typed: string; readonly text: string }[] = [
  { typed: "inbox", text: "Inbox" },
  { typed: "cafe", text: "Café Müller" },
  { typed: "muller", text: "Café Müller" },
  { typed: "kt", text: "Keyboard shortcuts" },
  { typed: "ks", text: "Keyboard shortcuts" },
  { typed: "keybsh", text: "Keyboard shortcuts" },
  { typed: "shortcuts keyboard", text: "Keyboard shortcuts" },
  { typed: "  inbox ", text: "Inbox" },
  { typed: "", text: "Anything" },
];

test.each(matches)("$typed finds $text", ({ typed, text }) => {
  expect(scoreMatch(typed, text)).toBeDefined();
});

test.each([
  { typed: "x", text: "Keyboard" },
  { typed: "boxin", text: "Inbox" },
  { typed: "inboxes", text: "Inbox" },
])("$typed does not find $text", ({ typed, text }) => {
  expect(scoreMatch(typed, text)).toBeUndefined();
});

test("the whole text comes first, then its beginning, a word, a part of a word, initials, and letters", () => {
  const texts = [
    "Presets on demand",
    "Set every nice date",
    "forsend",
    "Please send it",
    "Send later",
    "send",
    "other",
  ];
  expect(filterMatches("send", texts, (text) => text)).toEqual([
    "send",
    "Send later",
    "Please send it",
    "forsend",
    "Set every nice date",
    "Presets on demand",
  ]);
});

test("without a text the order remains", () => {
  expect(filterMatches(" ", ["b", "a"], (text) => text)).toEqual(["b", "a"]);
});

test("a long text of the same letter is matched without trying all combinations, which would never end", () => {
  expect(scoreMatch("a".repeat(200), "ba".repeat(5_000))).toBe(1);
});
