import { expect, test } from "@jest/globals";
import { DISPATCH_RULES } from "../../../src/index.ts";
import { afterFailure, type FailedDelivery } from "../../../src/events/dispatch/dispatch-rules.ts";

const FIRST = Date.parse("2026-01-01T00:00:00.000Z");
const SECOND = 1_000;
const HOUR_MS = 3_600 * SECOND;
const at = (seconds: number) => new Date(FIRST + seconds * SECOND);
const plain = { isFinal: false };

/** Seconds since the first attempt: of the failure, of the check, and of the next attempts. */
const CASES: [string, Partial<FailedDelivery>, object, number, [string, number?, number?]][] = [
  ["the first failure waits in its place", { tries: 1 }, plain, 0, ["waiting", 5, 5]],
  ["the second waits to the end of the hold, then for its turn", { tries: 2 }, plain, 6, ["waiting", 300, 306]],
  ["one that fails when the hold is over is set aside", { tries: 2 }, plain, 301, ["aside", 601, 601]],
  ["aside it stays aside", { tries: 3, state: "aside" }, plain, 320, ["aside", 2_120, 2_120]],
  ["the last wait is a day", { tries: 9, state: "aside" }, plain, 0, ["aside", 86_400, 86_400]],
  ["after the last wait it is dead", { tries: 10, state: "aside" }, plain, 0, ["dead"]],
  ["what no try would change is dead", { tries: 1 }, { isFinal: true }, 0, ["dead"]],
  ["Retry-After counts when it is longer", { tries: 1 }, { ...plain, retryAfterMs: 60_000 }, 0, ["waiting", 60, 60]],
  ["Retry-After does not count when it is shorter", { tries: 1 }, { ...plain, retryAfterMs: 1 }, 0, ["waiting", 5, 5]],
  [
    "Retry-After counts up to a day",
    { tries: 1 },
    { ...plain, retryAfterMs: 99 * 24 * HOUR_MS },
    0,
    ["waiting", 300, 86_400],
  ],
  [
    "a subscription that is turned off attempts the event first when it is turned on",
    { tries: 4 },
    { isFinal: true, isOff: true },
    9,
    ["waiting", 9, 9],
  ],
];

test.each(CASES)("%s", (_, present, failure, failed, [state, next, retry]) => {
  const attempt = { state: "waiting" as const, tries: 1, firstTime: at(0), ...present };
  const following = afterFailure(DISPATCH_RULES.webhook, attempt, failure as { isFinal: boolean }, at(failed));
  expect(following).toEqual(
    next === undefined || retry === undefined ? { state } : { state, next: at(next), retry: at(retry) },
  );
});
