import type { InboxItem, InboxOrder } from "@parley/contract";
import { expect, test } from "@jest/globals";
import { comparePositions, countBefore, listPositionOf } from "../../src/inbox/positions.ts";
import { at, itemOf, itemsOf } from "./inbox-fixture.ts";

const items: readonly InboxItem[] = [
  itemOf(1, { activity_time: at(50), properties: { priority: "Low" }, waiting_since: at(45) }),
  itemOf(2, { activity_time: at(20), properties: { priority: "Urgent" } }),
  itemOf(3, { activity_time: at(40), properties: { priority: "High" }, waiting_since: at(10) }),
  itemOf(4, { activity_time: at(40), status: "resolved", waiting_since: at(1) }),
];

const orders: readonly { readonly order: InboxOrder; readonly numbers: readonly number[] }[] = [
  { order: "newest_activity", numbers: [1, 4, 3, 2] },
  { order: "oldest_activity", numbers: [2, 3, 4, 1] },
  { order: "newest", numbers: [4, 3, 2, 1] },
  { order: "oldest", numbers: [1, 2, 3, 4] },
  { order: "priority", numbers: [2, 3, 1, 4] },
  // Nobody waits in a resolved conversation; those without anyone waiting follow by their newest activity.
  { order: "waiting", numbers: [3, 1, 4, 2] },
];

test.each(orders)("conversations in the order $order", ({ order, numbers }) => {
  const sorted = items.toSorted((one, other) =>
    comparePositions(listPositionOf(one, order), listPositionOf(other, order)),
  );
  expect(sorted.map(({ number }) => number)).toEqual(numbers);
});

test("countBefore counts the items before a position, and with isInclusive the one at it", () => {
  const listed = itemsOf(9, 7, 5, 3);
  const counts = (seconds: number) => {
    const position = listPositionOf(itemOf(seconds), "newest_activity");
    return [countBefore(listed, "newest_activity", position), countBefore(listed, "newest_activity", position, true)];
  };
  expect(counts(10)).toEqual([0, 0]);
  expect(counts(7)).toEqual([1, 2]);
  expect(counts(4)).toEqual([3, 3]);
  expect(counts(1)).toEqual([4, 4]);
});
