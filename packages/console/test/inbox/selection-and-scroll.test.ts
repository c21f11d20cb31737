import { expect, test } from "@jest/globals";
import { extended, NO_SELECTION, toggled, withAll, withoutItems, type Selection } from "../../src/inbox/selection.ts";
import { rowShift } from "../../src/inbox/scroll-anchor.ts";
import { itemOf, itemsOf } from "./inbox-fixture.ts";

const listed = itemsOf(9, 8, 7, 6, 5);
const idsOf = ({ items }: Selection): string[] => [...items.keys()];

test("a conversation is selected and deselected", () => {
  const one = toggled(NO_SELECTION, itemOf(8));
  expect(idsOf(one)).toEqual(["c8"]);
  expect(idsOf(toggled(one, itemOf(8)))).toEqual([]);
});

test("a range begins at the conversation that was selected last, upwards and downwards", () => {
  const one = toggled(NO_SELECTION, itemOf(7));
  expect(idsOf(extended(one, listed, "c9", "c5"))).toEqual(["c7", "c6", "c5"]);
  expect(idsOf(extended(one, listed, "c9", "c9"))).toEqual(["c7", "c9", "c8"]);
  expect(idsOf(extended(NO_SELECTION, listed, "c6", "c5"))).toEqual(["c6", "c5"]);
});

test("a range whose beginning has left the list is its end only", () => {
  const gone = toggled(NO_SELECTION, itemOf(99));
  expect(idsOf(extended(gone, listed, "c9", "c5"))).toEqual(["c99", "c5"]);
  expect(extended(gone, listed, "c9", "c98")).toBe(gone);
});

test("all loaded conversations are selected, and those that leave the view are removed", () => {
  const all = withAll(NO_SELECTION, listed);
  expect(idsOf(withoutItems(all, ({ number }) => number > 6))).toEqual(["c6", "c5"]);
  expect(withoutItems(all, () => false)).toBe(all);
});

const before = { items: listed, rowsAbove: 0 };

test("conversations that come above the shown rows move them down", () => {
  const after = { items: [...itemsOf(11, 10), ...listed], rowsAbove: 0 };
  expect(rowShift(before, after, 2)).toEqual({ rows: 2, added: ["c11", "c10"] });
});

test("a shown conversation that moves to the top is counted as new there, and does not take the view along", () => {
  const moved = itemOf(7, { activity: 30 });
  const [first, second, , fourth, fifth] = listed;
  const after = { items: [moved, first, second, fourth, fifth].flatMap((item) => item ?? []), rowsAbove: 0 };
  expect(rowShift(before, after, 2)).toEqual({ rows: 0, added: ["c7"] });
});

test("a conversation that leaves the list above the shown rows moves them up", () => {
  expect(rowShift(before, { items: listed.slice(1), rowsAbove: 0 }, 2)).toEqual({ rows: -1, added: [] });
});

test("rows that were dropped or read again above the shown rows move nothing, and are not new", () => {
  expect(rowShift(before, { items: listed.slice(2), rowsAbove: 2 }, 3)).toEqual({ rows: 0, added: [] });
  expect(rowShift({ items: listed.slice(2), rowsAbove: 2 }, before, 3)).toEqual({ rows: 0, added: [] });
});

test("nothing moves if no shown conversation is left, or no conversation was loaded", () => {
  expect(rowShift(before, { items: itemsOf(3, 2), rowsAbove: 0 }, 2)).toEqual({ rows: 0, added: [] });
  expect(rowShift({ items: listed, rowsAbove: 10 }, before, 3)).toEqual({ rows: 0, added: [] });
});
