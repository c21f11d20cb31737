import { expect, test } from "@jest/globals";
import {
  boundaryBefore,
  type InboxList,
  ITEMS_MAX,
  listFrom,
  listOfPage,
  trimmed,
  withFirstPage,
  withNextPage,
  withPreviousItems,
} from "../../src/inbox/inbox-list.ts";
import { listPositionOf } from "../../src/inbox/positions.ts";
import { at, itemOf, itemsOf } from "./inbox-fixture.ts";

const ORDER = "newest_activity";
const numbersOf = ({ items }: InboxList): number[] => items.map(({ number }) => number);
const downFrom = (first: number, count: number): number[] => Array.from({ length: count }, (_, index) => first - index);

/** A list of which two pages were read. */
const twoPages = (): InboxList =>
  withNextPage(
    listOfPage({ conversations: itemsOf(9, 8, 7), next: "after 7", total: 9 }, ORDER),
    { conversations: itemsOf(6, 5, 4), next: "after 4" },
    ORDER,
  );

test("pages are added in their order, and the cursor of each page is remembered", () => {
  const list = twoPages();
  expect(numbersOf(list)).toEqual([9, 8, 7, 6, 5, 4]);
  expect(list.end?.cursor).toBe("after 4");
  expect(list.boundaries.map(({ cursor }) => cursor)).toEqual(["after 7", "after 4"]);
  expect(list.total).toBe(9);
});

test("the last page ends the list", () => {
  const list = withNextPage(twoPages(), { conversations: itemsOf(3, 2) }, ORDER);
  expect(numbersOf(list)).toEqual([9, 8, 7, 6, 5, 4, 3, 2]);
  expect(list.end).toBeUndefined();
});

test("a conversation of the next page that is listed already is listed once, in its newer state", () => {
  const list = twoPages();
  const moved = { ...list, items: [itemOf(3, { activity_time: at(20) }), ...list.items] };
  const next = withNextPage(moved, { conversations: [itemOf(3), itemOf(2)] }, ORDER);
  expect(numbersOf(next)).toEqual([3, 9, 8, 7, 6, 5, 4, 2]);
  expect(next.items[0]?.activity_time).toBe(at(20));
});

test("the beginning is read anew: missing conversations disappear, new conversations appear, and conversations after it stay", () => {
  const list = withFirstPage(
    { ...twoPages(), isStale: true, doubts: ["c9", "c5"] },
    { conversations: itemsOf(11, 9, 7), next: "after 7 again", total: 10 },
    ORDER,
  );
  expect(numbersOf(list)).toEqual([11, 9, 7, 6, 5, 4]);
  expect(list).toMatchObject({ total: 10, isStale: false, doubts: ["c5"], end: { cursor: "after 4" } });
});

test("a conversation that was read anew without a change keeps its object", () => {
  const before = twoPages();
  const list = withFirstPage(before, { conversations: itemsOf(9, 8, 7), next: "after 7", total: 9 }, ORDER);
  expect(list.items[0]).toBe(before.items[0]);
});

test("a beginning that is the whole list replaces it", () => {
  const list = withFirstPage(twoPages(), { conversations: itemsOf(9), total: 1 }, ORDER);
  expect(numbersOf(list)).toEqual([9]);
  expect(list.end).toBeUndefined();
});

/** A list of 2,000 conversations that was read by pages of 100. */
const longList = (): InboxList => {
  let list = listOfPage({ conversations: itemsOf(...downFrom(5_000, 100)), next: "0", total: 5_000 }, ORDER);
  for (let page = 1; page < 20; page++)
    list = withNextPage(
      list,
      { conversations: itemsOf(...downFrom(5_000 - page * 100, 100)), next: String(page) },
      ORDER,
    );
  return list;
};

test("a long list keeps conversations near the shown rows", () => {
  const list = trimmed(longList(), ORDER, 1_000, 1_010);
  const numbers = numbersOf(list);
  expect(list.rowsAbove).toBe(700);
  expect(numbers[0]).toBe(4_300);
  expect(numbers.length).toBeLessThan(ITEMS_MAX);
  expect(numbers).toContain(4_000 - 10 - 50);
  // It continues where the service can continue it.
  expect(list.end?.position).toEqual(listPositionOf(itemOf(numbers.at(-1) ?? 0), ORDER));
  expect(list.boundaries).toContain(list.end);
});

test("conversations that were removed at the beginning are read again from the place before them", () => {
  const list = trimmed(longList(), ORDER, 1_000, 1_010);
  const from = list.start && boundaryBefore(list, list.start);
  expect(from?.cursor).toBe("5");
  const previous = withPreviousItems(list, itemsOf(...downFrom(4_400, 120)), from, ORDER);
  expect(numbersOf(previous).slice(0, 102)).toEqual(downFrom(4_400, 102));
  expect(previous).toMatchObject({ rowsAbove: 600, start: from?.position });
});

test("the beginning of the list has no rows above it", () => {
  const list = trimmed(longList(), ORDER, 350, 360);
  expect(list.rowsAbove).toBe(50);
  const whole = withPreviousItems(list, itemsOf(...downFrom(5_001, 60)), undefined, ORDER);
  expect(whole).toMatchObject({ rowsAbove: 0, start: undefined, newAbove: [] });
  expect(whole.items[0]?.number).toBe(5_001);
});

test("a list that cannot be cut asks for its beginning, whose end it can be cut at", () => {
  const grown = listOfPage({ conversations: itemsOf(...downFrom(5_000, 2_000)), next: "end", total: 5_000 }, ORDER);
  const asking = trimmed(grown, ORDER, 0, 20);
  expect(asking).toEqual({ ...grown, isStale: true });
  expect(trimmed(asking, ORDER, 0, 20)).toBe(asking);
  const read = withFirstPage(
    asking,
    { conversations: itemsOf(...downFrom(5_000, 100)), next: "100", total: 5_000 },
    ORDER,
  );
  expect(trimmed(read, ORDER, 0, 20)).toMatchObject({ end: { cursor: "100" }, rowsAbove: 0, isStale: false });
});

test("the loaded part can begin at any known place", () => {
  const list = longList();
  const from = list.boundaries[9];
  if (!from) throw new Error("no place");
  const page = { conversations: itemsOf(...downFrom(4_000, 100)), next: "10" };
  const moved = listFrom(list, from, { page, order: ORDER, rowsAbove: 1_000 });
  expect(moved).toMatchObject({ start: from.position, rowsAbove: 1_000, end: { cursor: "10" } });
  expect(moved.boundaries).toHaveLength(20);
});
