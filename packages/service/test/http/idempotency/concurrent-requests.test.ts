import { expect, test } from "@jest/globals";
import {
  CREATING_ENDPOINTS,
  newIdempotencyKey,
  CREATION_EVENTS,
  withoutSignatures,
  idempotencyHarness,
} from "./idempotency-harness.ts";
import { fileFixture } from "../../../../../test/support/file-fixture.ts";

/** Number of requests with one key at each endpoint; the specified number is 10,000. */
const TIMES = Number(process.env["PARLEY_DUPLICATES"] ?? 250);

const w = fileFixture(() => idempotencyHarness({ callsPerHour: 100_000_000 }));

test.each(CREATING_ENDPOINTS)(
  `%s ${TIMES} times concurrently creates one object and one event, and returns the same response each time`,
  async (route, code, table) => {
    const [key, creating] = [newIdempotencyKey(), w.creatingRequest(route)];
    const [before, events] = [await w.countRows(table), await w.countRows(CREATION_EVENTS)];
    const replies = await Promise.all(Array.from({ length: TIMES }, () => w.sendRequest(creating, 1, key)));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([code]));
    expect(new Set(replies.map(({ text }) => withoutSignatures(text))).size).toBe(1);
    expect(replies.filter(({ isReplay }) => !isReplay)).toHaveLength(1);
    expect(await w.countRows(table)).toBe(before + 1);
    const alone = (await w.countRows(CREATION_EVENTS)) - events;
    await w.sendRequest(creating, 2, newIdempotencyKey());
    expect((await w.countRows(CREATION_EVENTS)) - events).toBe(alone * 2);
  },
  600_000,
);
