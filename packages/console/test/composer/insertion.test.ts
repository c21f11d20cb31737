import { expect, test } from "@jest/globals";
import { slashWordAt, withInsertion } from "../../src/composer/insertion.ts";

const positions = [
  ["cursor", { text: "aXd", start: 2, end: 2 }],
  ["start", { text: "Xabcd", start: 1, end: 1 }],
  ["end", { text: "abcdX", start: 5, end: 5 }],
  ["all", { text: "X", start: 1, end: 1 }],
] as const;
test.each(positions)("a text is inserted at the position %s", (position, after) => {
  expect(withInsertion({ text: "abcd", start: 1, end: 3 }, "X", position, 100)).toEqual(after);
});

test("a text beyond the limit is cut", () => {
  expect(withInsertion({ text: "abcd", start: 4, end: 4 }, "efgh", "cursor", 6).text).toBe("abcdef");
  expect(withInsertion({ text: "abcd", start: 0, end: 0 }, "efgh", "cursor", 4).text).toBe("abcd");
  expect(withInsertion({ text: "abcd", start: 0, end: 0 }, "efghij", "all", 4).text).toBe("efgh");
});

const slashes: readonly (readonly [text: string, word: string | undefined])[] = [
  ["/", ""],
  ["/Hi", "hi"],
  ["Hello /bye-bye", "bye-bye"],
  ["line\n/x", "x"],
  ["and/or", undefined],
  ["https://x", undefined],
  ["/hi there", undefined],
  ["/a.b", undefined],
  ["none", undefined],
];
test.each(slashes)("behind %j, the word with a slash is %j", (text, word) => {
  expect(slashWordAt({ text, start: text.length, end: text.length })?.word).toBe(word);
});

test("the range of the word includes the slash; selected text is not a word", () => {
  expect(slashWordAt({ text: "a /hi b", start: 5, end: 5 })).toEqual({ start: 2, end: 5, word: "hi" });
  expect(slashWordAt({ text: "/hi", start: 0, end: 3 })).toBeUndefined();
});
