import { expect, test } from "@jest/globals";
import { filterMatches, findEntries, scoreMatch } from "../../src/ui/match-text.ts";

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

const AGENTS = [
  "Nobody",
  "Aisha Khan",
  "Diego Santos",
  "Ann-Marie Hansen",
  "Hannah Weber",
  "Annabel Lee",
  "Ann Smith",
  "Öykü Şahin",
];

/** Typed text for the choice of an agent, and the offered agents in this order. */
const choices: readonly (readonly [typed: string, names: readonly string[]])[] = [
  ["han", ["Hannah Weber", "Ann-Marie Hansen", "Aisha Khan"]],
  ["ann", ["Ann-Marie Hansen", "Ann Smith", "Annabel Lee", "Hannah Weber"]],
  ["ann smith", ["Ann Smith"]],
  ["smith ann", ["Ann Smith"]],
  ["h w", ["Hannah Weber"]],
  ["KHAN", ["Aisha Khan"]],
  ["sahin", ["Öykü Şahin"]],
  ["hw", []],
  ["  ", AGENTS],
];
test.each(choices)("%j offers %j", (typed, names) => {
  expect(findEntries(typed, AGENTS, (name) => ({ names: [name] }))).toEqual(names);
});

test.each([
  { typed: "wel", found: ["Farewell /wel", "Welcome /hi", "Most welcome /mw", "Other /x: welcome"] },
  { typed: "/wel", found: ["Farewell /wel"] },
  { typed: "other /x", found: ["Other /x: welcome"] },
])("$typed finds templates by name, shortcut and text in the order $found", ({ typed, found }) => {
  const templates = [
    { label: "Other /x: welcome", names: ["Other", "/x"], text: "welcome" },
    { label: "Most welcome /mw", names: ["Most welcome", "/mw"], text: "" },
    { label: "Welcome /hi", names: ["Welcome", "/hi"], text: "" },
    { label: "Farewell /wel", names: ["Farewell", "/wel"], text: "" },
  ];
  expect(findEntries(typed, templates, (template) => template).map(({ label }) => label)).toEqual(found);
});
