import { expect, test } from "@jest/globals";
import { retryAfterHeaderMs } from "../../../src/events/webhooks/post.ts";

const NOW = new Date("2026-01-01T00:00:00Z");
const DAY_MS = 86_400_000;

test.each([
  ["seconds", "120", 120_000],
  ["none", "0", 0],
  ["a date", "Thu, 01 Jan 2026 00:01:00 GMT", 60_000],
  ["a date gone by", "Wed, 31 Dec 2025 00:00:00 GMT", 0],
  ["more than a day", "999999999", DAY_MS],
  ["no header", undefined, undefined],
  ["nothing", "", undefined],
  ["a word", "soon", undefined],
  ["a part of a second", "1.5", undefined],
  ["less than nothing", "-5", undefined],
])("Retry-After is parsed: %s", (_, header, expected) => {
  expect(retryAfterHeaderMs(header, NOW)).toBe(expected);
});
