import { afterAll, beforeAll, expect, test } from "@jest/globals";
import {
  CREATING_ENDPOINTS,
  newKey,
  EVENTS,
  unsigned,
  creationWorld,
  type CreationWorld,
} from "./idempotency-harness.ts";

/** Number of requests with one key at each endpoint; the specified number is 10,000. */
const TIMES = Number(process.env["PARLEY_DUPLICATES"] ?? 250);

let w: CreationWorld;
beforeAll(async () => {
  w = await creationWorld({ callsPerHour: 100_000_000 });
});
afterAll(() => w.close());

test.each(CREATING_ENDPOINTS)(
  `%s ${TIMES} times at once makes one thing, tells of it once, and says the same each time`,
  async (route, code, table) => {
    const [key, maker] = [newKey(), w.maker(route)];
    const [before, events] = [await w.rows(table), await w.rows(EVENTS)];
    const replies = await Promise.all(Array.from({ length: TIMES }, () => w.send(maker, 1, key)));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([code]));
    expect(new Set(replies.map(({ text }) => unsigned(text))).size).toBe(1);
    expect(replies.filter(({ isReplay }) => !isReplay)).toHaveLength(1);
    expect(await w.rows(table)).toBe(before + 1);
    const alone = (await w.rows(EVENTS)) - events;
    await w.send(maker, 2, newKey());
    expect((await w.rows(EVENTS)) - events).toBe(alone * 2);
  },
  600_000,
);
