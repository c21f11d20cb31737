import { expect, test } from "@jest/globals";
import {
  boundaryBefore,
  type InboxList,
  ITEMS_MAX,
  listFrom,
  listOfPage,
  trimmed,
  withConversations,
  withNextPage,
  withPages,
  withPreviousItems,
} from "../../src/inbox/inbox-list.ts";
import { itemOf, itemsOf, positionAt } from "./inbox-fixture.ts";

const numbersOf = ({ items }: InboxList): number[] => items.map(({ number }) => number);
const downFrom = (first: number, count: number): number[] => Array.from({ length: count }, (_, index) => first - index);

/** A list of which two pages were read. */
const twoPages = (): InboxList =>
  withNextPage(listOfPage({ conversations: itemsOf(9, 8, 7), next: "after 7", total: 9 }), {
    conversations: itemsOf(6, 5, 4),
    next: "after 4",
  });

test("pages are added in their order, and the cursor of each page is remembered", () => {
  const list = twoPages();
  expect(numbersOf(list)).toEqual([9, 8, 7, 6, 5, 4]);
  expect(list.end?.cursor).toBe("after 4");
  expect(list.boundaries.map(({ cursor }) => cursor)).toEqual(["after 7", "after 4"]);
  expect(list.total).toBe(9);
});

test("the last page ends the list", () => {
  const list = withNextPage(twoPages(), { conversations: itemsOf(3, 2) });
  expect(numbersOf(list)).toEqual([9, 8, 7, 6, 5, 4, 3, 2]);
  expect(list.end).toBeUndefined();
});

test("a conversation of the next page that is listed already is listed once, as the later response has it", () => {
  const list = twoPages();
  const moved = { ...list, items: [itemOf(3, { activity: 20 }), ...list.items] };
  const next = withNextPage(moved, { conversations: [itemOf(3), itemOf(2)] });
  expect(numbersOf(next)).toEqual([9, 8, 7, 6, 5, 4, 3, 2]);
});

test("the loaded part is read anew: missing conversations disappear, new conversations appear, unchanged conversations keep their objects", () => {
  const before = twoPages();
  const pages = [
    { conversations: itemsOf(11, 9, 7), next: "after 7 again", total: 10 },
    { conversations: itemsOf(5, 4, 3), next: "after 3" },
  ];
  const list = withPages(before, pages, 10);
  expect(numbersOf(list)).toEqual([11, 9, 7, 5, 4, 3]);
  expect(list).toMatchObject({ total: 10, end: { cursor: "after 3" } });
  expect(list.boundaries.map(({ cursor }) => cursor)).toEqual(["after 7 again", "after 4", "after 3"]);
  expect(list.items[1]).toBe(before.items[0]);
});

test("a loaded part that begins below the top of the list begins there after it was read anew", () => {
  const below: InboxList = { ...twoPages(), start: positionAt(10), rowsAbove: 5 };
  const list = withPages(below, [{ conversations: itemsOf(12, 11, 9, 8) }], 40);
  expect(numbersOf(list)).toEqual([9, 8]);
  expect(list).toMatchObject({ total: 40, start: positionAt(10), rowsAbove: 5, end: undefined });
});

test("a list that has become shorter ends where it was read to", () => {
  const list = withPages(twoPages(), [{ conversations: itemsOf(9), total: 1 }], 1);
  expect(numbersOf(list)).toEqual([9]);
  expect(list.end).toBeUndefined();
});

/** The list after conversations were read again. */
const reread = (
  list: InboxList,
  ids: readonly string[],
  found: readonly ReturnType<typeof itemOf>[],
  { total = list.total, keptId }: { readonly total?: number; readonly keptId?: string } = {},
): InboxList => withConversations(list, { ids: new Set(ids), found, total, keptId });

test("a conversation with a new message moves to its new position, and a new one is inserted", () => {
  const next = reread(twoPages(), ["c7", "c10"], [itemOf(7, { activity: 30 }), itemOf(10)], { total: 10 });
  expect(numbersOf(next)).toEqual([7, 10, 9, 8, 6, 5, 4]);
  expect(next.total).toBe(10);
});

test("a conversation that has left the view leaves the list, unless it is kept", () => {
  const next = reread(twoPages(), ["c8"], [], { total: 8 });
  expect(numbersOf(next)).toEqual([9, 7, 6, 5, 4]);
  expect(next.total).toBe(8);
  const kept = reread(twoPages(), ["c8", "c7"], [], { total: 7, keptId: "c8" });
  expect(numbersOf(kept)).toEqual([9, 8, 6, 5, 4]);
});

test("a conversation after the loaded part is not inserted", () => {
  expect(numbersOf(reread(twoPages(), ["c7", "c2"], [itemOf(7, { activity: 1 }), itemOf(2)]))).toEqual([9, 8, 6, 5, 4]);
});

test("a conversation before the loaded part is noted once, and not inserted", () => {
  const below: InboxList = { ...twoPages(), start: positionAt(10), rowsAbove: 5 };
  const next = reread(below, ["c7"], [itemOf(7, { activity: 30 })]);
  expect(numbersOf(next)).toEqual([9, 8, 6, 5, 4]);
  expect(next).toMatchObject({ rowsAbove: 6, newAbove: ["c7"] });
  expect(reread(next, ["c7"], [itemOf(7, { activity: 31 })])).toMatchObject({ rowsAbove: 6, newAbove: ["c7"] });
});

test("a reading without a change leaves the list's object", () => {
  const before = twoPages();
  expect(reread(before, ["c8", "c30"], [itemOf(8)])).toBe(before);
});

/** A list of 2,000 conversations that was read by pages of 100. */
const longList = (): InboxList => {
  let list = listOfPage({ conversations: itemsOf(...downFrom(5_000, 100)), next: "0", total: 5_000 });
  for (let page = 1; page < 20; page++)
    list = withNextPage(list, { conversations: itemsOf(...downFrom(5_000 - page * 100, 100)), next: String(page) });
  return list;
};

test("a long list keeps conversations near the shown rows", () => {
  const list = trimmed(longList(), 1_000, 1_010);
  const numbers = numbersOf(list);
  expect(list.rowsAbove).toBe(700);
  expect(numbers[0]).toBe(4_300);
  expect(numbers.length).toBeLessThan(ITEMS_MAX);
  expect(numbers).toContain(4_000 - 10 - 50);
  // It continues where the service can continue it.
  expect(list.end?.position).toEqual(positionAt(numbers.at(-1) ?? 0));
  expect(list.boundaries).toContain(list.end);
});

test("conversations that were removed at the beginning are read again from the place before them", () => {
  const list = trimmed(longList(), 1_000, 1_010);
  const from = list.start && boundaryBefore(list, list.start);
  expect(from?.cursor).toBe("5");
  const previous = withPreviousItems(list, itemsOf(...downFrom(4_400, 120)), from);
  expect(numbersOf(previous).slice(0, 102)).toEqual(downFrom(4_400, 102));
  expect(previous).toMatchObject({ rowsAbove: 600, start: from?.position });
});

test("the beginning of the list has no rows above it", () => {
  const list = trimmed(longList(), 350, 360);
  expect(list.rowsAbove).toBe(50);
  const whole = withPreviousItems(list, itemsOf(...downFrom(5_001, 60)), undefined);
  expect(whole).toMatchObject({ rowsAbove: 0, start: undefined, newAbove: [] });
  expect(whole.items[0]?.number).toBe(5_001);
});

test("a list that has no place to be cut at stays until one is known", () => {
  const grown = listOfPage({ conversations: itemsOf(...downFrom(5_000, 2_000)), next: "end", total: 5_000 });
  expect(trimmed(grown, 0, 20)).toBe(grown);
  const pages = Array.from({ length: 20 }, (_, page) => ({
    conversations: itemsOf(...downFrom(5_000 - page * 100, 100)),
    next: String(page + 1),
  }));
  const read = withPages(grown, pages, 5_000);
  expect(trimmed(read, 0, 20)).toMatchObject({ end: { cursor: "1" }, rowsAbove: 0 });
});

test("the loaded part can begin at any known place", () => {
  const list = longList();
  const from = list.boundaries[9];
  if (!from) throw new Error("no place");
  const page = { conversations: itemsOf(...downFrom(4_000, 100)), next: "10" };
  const moved = listFrom(list, from, { page, rowsAbove: 1_000 });
  expect(moved).toMatchObject({ start: from.position, rowsAbove: 1_000, end: { cursor: "10" } });
  expect(moved.boundaries).toHaveLength(20);
});
