import { expect, test } from "@jest/globals";
import { comparePositions, countBefore } from "../../src/inbox/positions.ts";
import { itemsOf, positionAt } from "./inbox-fixture.ts";

test("the first different number of two positions decides", () => {
  const sorted = [
    [1, 2, 3],
    [1, 2, 2],
    [0, 9, 9],
  ].toSorted(comparePositions);
  expect(sorted).toEqual([
    [0, 9, 9],
    [1, 2, 2],
    [1, 2, 3],
  ]);
});

test("countBefore counts the items before a position, and with isInclusive the one at it", () => {
  const listed = itemsOf(9, 7, 5, 3);
  const counts = (seconds: number) => {
    const position = positionAt(seconds);
    return [countBefore(listed, position), countBefore(listed, position, true)];
  };
  expect(counts(10)).toEqual([0, 0]);
  expect(counts(7)).toEqual([1, 2]);
  expect(counts(4)).toEqual([3, 3]);
  expect(counts(1)).toEqual([4, 4]);
});
