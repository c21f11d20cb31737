import { expect, test } from "@jest/globals";
import {
  WINDOW_MAX,
  windowOf,
  withArrived,
  withNewer,
  withOlder,
  type ThreadWindow,
} from "../../src/thread/thread-window.ts";
import { at, messageOf, messagesOf } from "./message-fixture.ts";

const idsOf = ({ messages }: ThreadWindow): string[] => messages.map(({ id }) => id);
const range = (first: number, last: number, ends: Partial<ThreadWindow> = {}): ThreadWindow => ({
  messages: messagesOf(first, last),
  hasOlder: true,
  hasNewer: false,
  ...ends,
});
const page = (first: number, last: number, has_older: boolean, has_newer: boolean) => ({
  messages: messagesOf(first, last),
  has_older,
  has_newer,
});

test("the first page is the window", () => {
  expect(windowOf(page(5, 7, true, false))).toEqual(range(5, 7));
});

test("an older page comes before, and says whether there are more", () => {
  const window = withOlder(range(5, 7), page(3, 4, false, true));
  expect(idsOf(window)).toEqual(["m3", "m4", "m5", "m6", "m7"]);
  expect(window).toMatchObject({ hasOlder: false, hasNewer: false });
});

test("messages of a page that are known already are not added again", () => {
  expect(idsOf(withOlder(range(4, 5), page(3, 4, false, true)))).toEqual(["m3", "m4", "m5"]);
  expect(idsOf(withNewer(range(4, 5, { hasNewer: true }), page(5, 6, true, false)))).toEqual(["m4", "m5", "m6"]);
});

test("a full window loses its newest messages to an older page", () => {
  const window = withOlder(range(101, 100 + WINDOW_MAX), page(1, 100, false, true));
  expect(window.messages).toHaveLength(WINDOW_MAX);
  expect(idsOf(window).at(0)).toBe("m1");
  expect(idsOf(window).at(-1)).toBe(`m${WINDOW_MAX}`);
  expect(window.hasNewer).toBe(true);
});

test("a full window loses its oldest messages to a newer page", () => {
  const window = withNewer(
    range(1, WINDOW_MAX, { hasOlder: false, hasNewer: true }),
    page(WINDOW_MAX + 1, WINDOW_MAX + 50, true, false),
  );
  expect(window.messages).toHaveLength(WINDOW_MAX);
  expect(idsOf(window).at(0)).toBe("m51");
  expect(window).toMatchObject({ hasOlder: true, hasNewer: false });
});

test("a message that arrives is the last message; a known message is not added again", () => {
  const window = withArrived(range(1, 2), [messageOf(3)], true);
  expect(idsOf(window)).toEqual(["m1", "m2", "m3"]);
  expect(withArrived(window, [messageOf(3)], true)).toBe(window);
});

test("a message that arrives after a newer one takes its place before it", () => {
  const window = withArrived(range(1, 4), [messageOf(9, { created_time: at(2.5) })], true);
  expect(idsOf(window)).toEqual(["m1", "m2", "m9", "m3", "m4"]);
});

test("messages of the same time keep the order of their arrival", () => {
  const window = withArrived(
    range(1, 1),
    [messageOf(8, { created_time: at(2) }), messageOf(7, { created_time: at(2) })],
    true,
  );
  expect(idsOf(window)).toEqual(["m1", "m8", "m7"]);
});

test("a window that ends before the newest message takes no arriving message", () => {
  const window = range(1, 2, { hasNewer: true });
  expect(withArrived(window, [messageOf(9)], true)).toBe(window);
});

test("at the end, a full window drops its oldest messages", () => {
  const window = withArrived(
    range(1, WINDOW_MAX, { hasOlder: false }),
    messagesOf(WINDOW_MAX + 1, WINDOW_MAX + 3),
    true,
  );
  expect(window.messages).toHaveLength(WINDOW_MAX);
  expect(idsOf(window).at(-1)).toBe(`m${WINDOW_MAX + 3}`);
  expect(window.hasOlder).toBe(true);
});

test("while older messages are read, a full window stays and records that there are newer messages", () => {
  const window = withArrived(range(1, WINDOW_MAX), [messageOf(WINDOW_MAX + 1)], false);
  expect(idsOf(window).at(-1)).toBe(`m${WINDOW_MAX}`);
  expect(window.hasNewer).toBe(true);
});
