import { describe, expect, test } from "@jest/globals";
import { createStreamPacing } from "../../../src/events/stream/stream-pacing.ts";

const RULES = { minShare: 0.05, maxShare: 0.9, reduction: 3, sliceMs: 3 };

/**
 * A pacing with a clock and an event loop of the test's own.
 * @shape other: utilization by everything but the streams; turnMs: what each turn takes
 */
const harness = ({ other = 0, turnMs = 1 } = {}) => {
  let now = 0;
  let used = 0;
  let measuredUsed = 0;
  let measuredAt = 0;
  const timers: { readonly due: number; readonly run: () => void }[] = [];
  const pacing = createStreamPacing({
    rules: RULES,
    now: () => now,
    after: (ms, run) => void timers.push({ due: now + ms, run }),
    utilization: () => {
      const busy = (used - measuredUsed) / Math.max(1, now - measuredAt);
      [measuredUsed, measuredAt] = [used, now];
      return Math.min(1, other + busy);
    },
  });
  const started: number[] = [];
  let slice = 0;
  const longestSlices: number[] = [];
  let offered = 0;
  const offer = (): void => {
    const own = offered++;
    void pacing.turn().then(() => {
      started.push(own);
      now += turnMs;
      used += turnMs;
      slice += turnMs;
    });
  };
  return {
    pacing,
    started,
    offer,
    longestSlices,
    /** Passes time outside of the streams until the given time, a millisecond in each round of the event loop. */
    async passUntil(end: number) {
      while (now < end) {
        await new Promise(setImmediate);
        if (slice > 0) longestSlices.push(slice);
        slice = 0;
        now += 1;
        for (const timer of timers.splice(0)) {
          if (timer.due <= now) timer.run();
          else timers.push(timer);
        }
      }
    },
  };
};

describe("turns of streams", () => {
  test("come in order, and all of them, also beside a busy event loop", async () => {
    const paced = harness({ other: 1 });
    for (let index = 0; index < 40; index++) paced.offer();
    await paced.passUntil(5_000);
    expect(paced.started).toEqual(Array.from({ length: 40 }, (_, index) => index));
  });

  test.each([
    ["all that are offered, while the event loop does nothing else", 0, 300, 900],
    ["a twentieth of the time, while requests keep it busy", 0.9, 45, 60],
  ])("get %s", async (_, other, least, most) => {
    const paced = harness({ other });
    for (let index = 0; index < 4_000; index++) paced.offer();
    await paced.passUntil(1_000);
    const before = paced.started.length;
    await paced.passUntil(2_000);
    expect(paced.started.length - before).toBeGreaterThanOrEqual(least);
    expect(paced.started.length - before).toBeLessThanOrEqual(most);
  });

  test("never take longer than a slice without a break, once their duration is known", async () => {
    const paced = harness({ turnMs: 0.5 });
    for (let index = 0; index < 500; index++) paced.offer();
    await paced.passUntil(1_000);
    expect(Math.max(...paced.longestSlices.slice(20))).toBeLessThanOrEqual(RULES.sliceMs);
  });

  test("follow later after other work for the streams, but not without end", async () => {
    const paced = harness({ other: 1 });
    await paced.passUntil(200);
    for (let index = 0; index < 1_000_000; index++) paced.pacing.charge(1);
    paced.offer();
    await paced.passUntil(2_000);
    expect(paced.started).toEqual([0]);
  });
});
