import { expect, test } from "@jest/globals";
import { isRefusal, MESSENGER_LIMITS } from "@parley/contract";
import { createVisitorThrottle } from "../../../src/messenger/visitors/throttle.ts";

const MINUTE_MS = 60_000;
const throttleAt = () => {
  const clock = { time: Date.parse("2026-07-06T13:00:00.000Z") };
  return { clock, throttle: createVisitorThrottle({ now: () => new Date(clock.time) }) };
};
/** -> undefined, or the seconds of Retry-After of a refusal */
const refusalOf = (work: () => void): number | undefined => {
  try {
    work();
  } catch (error) {
    if (isRefusal(error)) return error.retryAfter;
    throw error;
  }
  return undefined;
};
const times = (count: number, work: (index: number) => void) => {
  for (let index = 0; index < count; index += 1) work(index);
};

test("new sessions of one address are limited in an hour, those of another address are not", () => {
  const { clock, throttle } = throttleAt();
  times(MESSENGER_LIMITS.sessions_per_address_hour, () => throttle.countSession("10.0.0.1", 1));
  expect(refusalOf(() => throttle.countSession("10.0.0.1", 1))).toBe(3_600);
  expect(refusalOf(() => throttle.countSession("10.0.0.1", 2))).toBe(3_600);
  expect(refusalOf(() => throttle.countSession("10.0.0.2", 1))).toBeUndefined();
  clock.time += 60 * MINUTE_MS;
  expect(refusalOf(() => throttle.countSession("10.0.0.1", 1))).toBeUndefined();
});

test("new sessions of one account are limited in a minute, whatever their address, those of another account are not", () => {
  const { clock, throttle } = throttleAt();
  times(MESSENGER_LIMITS.sessions_per_account_minute, (index) => throttle.countSession(`10.0.1.${index}`, 1));
  expect(refusalOf(() => throttle.countSession("10.0.0.1", 1))).toBe(60);
  expect(refusalOf(() => throttle.countSession("10.0.0.1", 2))).toBeUndefined();
  clock.time += MINUTE_MS;
  expect(refusalOf(() => throttle.countSession("10.0.0.1", 1))).toBeUndefined();
});

test("restores are refused after too many wrong restore ids of one address", () => {
  const { throttle } = throttleAt();
  times(MESSENGER_LIMITS.restores_per_address_hour, () => {
    throttle.checkRestore("10.0.0.1");
    throttle.countWrongRestore("10.0.0.1");
  });
  expect(refusalOf(() => throttle.checkRestore("10.0.0.1"))).toBe(3_600);
  expect(refusalOf(() => throttle.checkRestore("10.0.0.2"))).toBeUndefined();
});
