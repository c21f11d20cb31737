import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { boundedWork } from "../../support/bounded-work.ts";
import { RATING_POINTS, parseRating } from "../../../server/lib/csat-answer.ts";

test.each([
  ["5", 5],
  ["4", 4],
  ["3", 3],
  ["2", 2],
  ["1", 1],
  [" 5 ", 5],
  ["5.", 5],
  ["5!!", 5],
  ["(4)", 4],
  ["５", 5],
  ["5️⃣", 5],
  ["five", 5],
  ["Four", 4],
  ["THREE", 3],
  ["two", 2],
  ["one", 1],
  ["1 star", 1],
  ["five stars", 5],
  ["2 points", 2],
  ["1 point", 1],
  ["4/5", 4],
  ["4 / 5", 4],
  ["3 of 5", 3],
  ["3 out of 5", 3],
  ["three out of five", 3],
  ["4 out of 5 stars", 4],
  ["4 out of 5 points", 4],
  ["5 – very good", 5],
  ["4 - good", 4],
  ["2 — poor", 2],
  ["1: very bad", 1],
  ["1 very poor", 1],
  ["5, great", 5],
  ["5 excellent", 5],
  ["5 (perfect)", 5],
  ["3 ok", 3],
  ["3; okay", 3],
  ["5, thanks!", 5],
  ["5 thank you", 5],
  ["5 thx", 5],
  ["5 stars, very good, thank you", 5],
  ["★★★★★", 5],
  ["★★★☆☆", 3],
  ["⭐⭐", 2],
  ["⭐ ⭐ ⭐ ⭐", 4],
  ["🌟", 1],
])("%j is a rating: %d", (text, points) => expect(parseRating(text)).toBe(points));

test.each([
  "",
  " ",
  "0",
  "6",
  "10",
  "15",
  "51",
  "5 5",
  "4.5",
  "4,5",
  "-",
  "5/10",
  "3 of 10",
  "5 apples",
  "5 very",
  "very good",
  "thanks",
  "stars",
  "not 5",
  "I give 5",
  "5, but my printer still doesn't work",
  "2, because nobody answered",
  "thanks 5",
  "fives",
  "someone",
  "5 thanks for nothing",
  "★★★★★★",
  "★★★☆",
  "☆☆☆☆☆",
  "★ great",
  "Hello",
])("%j is not a rating", (words) => expect(parseRating(words)).toBeUndefined());

test("the label of each button is its rating", () => {
  expect(RATING_POINTS.map(parseRating)).toEqual([5, 4, 3, 2, 1]);
});

test("a rating is 1 to 5 for any text, regardless of spaces and case", () => {
  const piece = fc.constantFrom("5", "1", "two", "stars", "of", "/", "thanks", "★", "☆", " ", "-", ".", "very", "good");
  const words = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.array(piece).map((pieces) => pieces.join(" ")),
  );
  fc.assert(
    fc.property(words, (text) => {
      const rating = parseRating(text);
      expect([undefined, 1, 2, 3, 4, 5]).toContain(rating);
      expect(parseRating(`  ${text} `)).toBe(rating);
    }),
  );
});

test.each(["5 ", "★", "five stars ", "- ", "5 thanks "])(
  "a long text, for which a search that backtracks takes minutes, is not a rating: %j",
  (piece) => {
    expect(boundedWork(() => parseRating(piece.repeat(20_000)))).toBeUndefined();
  },
);
