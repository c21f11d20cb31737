import type { InboxItem } from "@parley/contract";
import { expect, test } from "@jest/globals";
import { type InboxList, listOfPage } from "../../src/inbox/inbox-list.ts";
import { type ItemChange, type ListView, withChange, withoutItem } from "../../src/inbox/list-changes.ts";
import { listPositionOf } from "../../src/inbox/positions.ts";
import { at, itemOf, itemsOf, VIEWER } from "./inbox-fixture.ts";

const VIEW: ListView = { filter: {}, order: "newest_activity", viewer: VIEWER };
const numbersOf = ({ items }: InboxList): number[] => items.map(({ number }) => number);
const list = (): InboxList =>
  listOfPage({ conversations: itemsOf(9, 8, 7, 6), next: "after 6", total: 20 }, VIEW.order);
const change = (after: InboxItem, rest: Partial<ItemChange> = {}): ItemChange => ({
  before: undefined,
  after,
  isCertain: true,
  ...rest,
});

test("a listed conversation with a new message moves to where it belongs", () => {
  const next = withChange(list(), change(itemOf(7, { activity_time: at(30) })), VIEW);
  expect(numbersOf(next)).toEqual([7, 9, 8, 6]);
  expect(next).toMatchObject({ total: 20, isStale: false });
});

test("a listed conversation that no longer matches leaves the list", () => {
  const next = withChange(list(), change(itemOf(8, { status: "resolved" })), VIEW);
  expect(numbersOf(next)).toEqual([9, 7, 6]);
  expect(next.total).toBe(19);
});

test("a new conversation is inserted and counted", () => {
  const next = withChange(list(), change(itemOf(10), { before: null }), VIEW);
  expect(numbersOf(next)).toEqual([10, 9, 8, 7, 6]);
  expect(next).toMatchObject({ total: 21, isStale: false });
});

test("a conversation that was not loaded is inserted, and the total is in doubt", () => {
  const next = withChange(list(), change(itemOf(2, { activity_time: at(30) }), { isCertain: false }), VIEW);
  expect(numbersOf(next)).toEqual([2, 9, 8, 7, 6]);
  expect(next.isStale).toBe(true);
});

test("a conversation whose former state is known is counted exactly", () => {
  const before = itemOf(2, { status: "resolved" });
  const next = withChange(list(), change(itemOf(2), { before }), VIEW);
  expect(numbersOf(next)).toEqual([9, 8, 7, 6]);
  expect(next).toMatchObject({ total: 21, isStale: false });
  const left = withChange(next, change(before, { before: itemOf(2) }), VIEW);
  expect(left.total).toBe(20);
});

test("a conversation after the loaded part is not inserted", () => {
  const next = withChange(list(), change(itemOf(7, { activity_time: at(1) })), VIEW);
  expect(numbersOf(next)).toEqual([9, 8, 6]);
  expect(next.total).toBe(20);
});

test("a conversation before the loaded part is noted, and not inserted", () => {
  const below: InboxList = { ...list(), start: listPositionOf(itemOf(10), VIEW.order), rowsAbove: 5 };
  const next = withChange(below, change(itemOf(7, { activity_time: at(30) })), VIEW);
  expect(numbersOf(next)).toEqual([9, 8, 6]);
  expect(next).toMatchObject({ rowsAbove: 6, newAbove: ["c7"] });
  expect(withChange(next, change(itemOf(7, { activity_time: at(31) })), VIEW).newAbove).toEqual(["c7"]);
});

test("a change that does not concern a list leaves its object", () => {
  const before = list();
  expect(withChange(before, change(itemOf(30, { status: "resolved" })), VIEW)).toBe(before);
  expect(withChange(before, change(before.items[0] ?? itemOf(9)), VIEW)).toBe(before);
});

test("a listed conversation in doubt is noted until it is certain; with many of them the beginning is read", () => {
  const doubted = withChange(list(), change(itemOf(8, { unread: 5 }), { isCertain: false }), VIEW);
  expect(doubted).toMatchObject({ doubts: ["c8"], isStale: false });
  expect(withChange(doubted, change(itemOf(8, { unread: 6 })), VIEW).doubts).toEqual([]);
  const many = [10, 11, 12, 13, 14].reduce(
    (before, number) => withChange(before, change(itemOf(number), { before: null, isCertain: false }), VIEW),
    list(),
  );
  expect(many).toMatchObject({ doubts: ["c10", "c11", "c12", "c13", "c14"], isStale: true });
});

test("in a view of unread conversations the open conversation stays until another conversation is opened", () => {
  const unread: ListView = { ...VIEW, filter: { unread: true }, openId: "c8" };
  const read = itemOf(8, { unread: 0 });
  const kept = withChange(list(), change(read), unread);
  expect(numbersOf(kept)).toEqual([9, 8, 7, 6]);
  expect(numbersOf(withChange(kept, change(itemOf(7, { unread: 0 })), unread))).toEqual([9, 8, 6]);
  expect(numbersOf(withChange(kept, change({ ...read }), { ...unread, openId: undefined }))).toEqual([9, 7, 6]);
});

test("a conversation that does not exist any more leaves the list", () => {
  const next = withoutItem({ ...list(), doubts: ["c8"] }, "c8");
  expect(numbersOf(next)).toEqual([9, 7, 6]);
  expect(next).toMatchObject({ total: 19, doubts: [] });
});
