import { expect, test } from "@jest/globals";
import { interactionIdFrom } from "../../../src/messaging/conversations/conversation.ts";
import { createNumberAllocator } from "../../../src/messaging/conversations/create.ts";

const time = new Date(1_700_000_000_000);

test("an interaction's id consists of the number and the epoch milliseconds", () => {
  expect(interactionIdFrom(65, time)).toBe("65-1700000000000");
});

test.each([
  ["a later one by its own time", "65-1600000000000", "65-1700000000000"],
  ["one of the same millisecond by the next", "65-1700000000000", "65-1700000000001"],
  ["one of a clock that was set back by the next", "65-1800000000000", "65-1800000000001"],
])("the next interaction's id differs: %s", (_title, before, expected) => {
  expect(interactionIdFrom(65, time, before)).toBe(expected);
});

test("numbers are unique, and concurrent callers share a block", async () => {
  let blocks = 0;
  const next = createNumberAllocator(() => Promise.resolve(1 + 64 * blocks++), 64);
  const numbers = await Promise.all(Array.from({ length: 130 }, () => next()));
  expect(new Set(numbers).size).toBe(130);
  expect(numbers).toEqual(Array.from({ length: 130 }, (_, index) => index + 1));
  expect(blocks).toBe(3);
});
