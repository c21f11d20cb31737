import { expect, test } from "@jest/globals";
import { createWeightedSemaphore } from "../../../src/messaging/uploads/image-processing.ts";

/** Lets ready tasks continue. */
const turns = async () => {
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
};

/** Work that ends on command. */
const work = () => {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  let started = false;
  return {
    run: async () => {
      started = true;
      await ended;
    },
    isStarted: () => started,
    end: async () => {
      end();
      await turns();
    },
  };
};

test("work over the limit waits, and later work does not overtake it", async () => {
  const enter = createWeightedSemaphore({ capacity: 10, maxWaiting: 10 });
  const [small, large, late] = [work(), work(), work()];
  const all = [enter(5, small.run), enter(10, large.run), enter(1, late.run)];
  await turns();
  expect([small, large, late].map(({ isStarted }) => isStarted())).toEqual([true, false, false]);
  await small.end();
  expect([large.isStarted(), late.isStarted()]).toEqual([true, false]);
  await large.end();
  expect(late.isStarted()).toBe(true);
  await late.end();
  await Promise.all(all);
});

test("failed work releases its share, and too much waiting work is refused with a retry time", async () => {
  const enter = createWeightedSemaphore({ capacity: 1, maxWaiting: 1 });
  const [first, second] = [work(), work()];
  const one = enter(1, async () => {
    await first.run();
    throw new Error("broken");
  });
  const two = enter(1, second.run);
  await expect(enter(1, second.run)).rejects.toMatchObject({
    problem: { status: "SERVICE_UNAVAILABLE" },
    retryAfter: 5,
  });
  expect(second.isStarted()).toBe(false);
  await first.end();
  await expect(one).rejects.toThrow("broken");
  expect(second.isStarted()).toBe(true);
  await second.end();
  await two;
});
