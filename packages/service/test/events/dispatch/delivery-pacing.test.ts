import { describe, expect, test } from "@jest/globals";
import { createStopController } from "../../../src/base/concurrency/wake-signal.ts";
import { createDeliveryPacing, type PacingRules } from "../../../src/events/dispatch/delivery-pacing.ts";
import { DISPATCH_RULES } from "../../../src/events/dispatch/dispatch-rules.ts";

const RULES = { busyUtilization: 0.7, minPerSecond: 100, maxPerSecond: 1_000 };

/** A pacing with a clock and an event loop of the test's own. */
const harness = (rules: PacingRules = RULES) => {
  let utilization = 0;
  let now = 0;
  let tick: { readonly run: () => void; readonly everyMs: number } | undefined;
  const pacing = createDeliveryPacing({
    rules,
    utilization: () => utilization,
    now: () => now,
    repeat: (run, everyMs) => {
      tick = { run, everyMs };
      return () => {
        tick = undefined;
      };
    },
  });
  const never = createStopController().signal;
  const started: number[] = [];
  let number = 0;
  const start = (signal = never): void => {
    const own = number++;
    void pacing.turn(signal).then(() => started.push(own));
  };
  const settled = () => new Promise(setImmediate);
  const advance = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed++) {
      now += 1;
      if (tick && now % tick.everyMs === 0) tick.run();
    }
    await settled();
  };
  return {
    pacing,
    started,
    start,
    settled,
    advance,
    isTicking: () => tick !== undefined,
    setUtilization: (value: number) => {
      utilization = value;
    },
    /** Asks for a turn each millisecond. -> the turns that came meanwhile */
    offerFor: async (ms: number) => {
      const before = started.length;
      for (let passed = 0; passed < ms; passed++) {
        start();
        await advance(1);
      }
      return started.length - before;
    },
  };
};

describe("the pacing of deliveries", () => {
  test("delays none while the event loop is not busy", async () => {
    const { isTicking, offerFor, setUtilization } = harness();
    setUtilization(0.69);
    expect(await offerFor(3_000)).toBe(3_000);
    expect(isTicking()).toBe(false);
  });

  test("lets the lowest rate start while the event loop is busy, and not more", async () => {
    const { offerFor, setUtilization } = harness();
    await offerFor(500);
    setUtilization(0.95);
    await offerFor(3_000);
    const inTwoSeconds = await offerFor(2_000);
    expect(inTwoSeconds).toBeGreaterThanOrEqual(195);
    expect(inTwoSeconds).toBeLessThanOrEqual(205);
  });

  test("delays none at a rate below the lowest, however busy the event loop is", async () => {
    const { advance, setUtilization, start, started } = harness();
    setUtilization(1);
    for (let number = 1; number <= 200; number++) {
      start();
      await advance(0);
      expect(started).toHaveLength(number);
      await advance(11);
    }
  });

  test("keeps up with the events of requests that leave the event loop enough time for them", async () => {
    const { advance, setUtilization, start, started } = harness(DISPATCH_RULES.pacing);
    // For a minute, 500 requests a second take 55 % of the time, and the delivery of the event of each one takes 0.6 ms: 85 % in all.
    for (let measurement = 1; measurement <= 600; measurement++) {
      const before = started.length;
      for (let request = 0; request < 50; request++) {
        start();
        await advance(2);
      }
      setUtilization(0.55 + ((started.length - before) * 0.6) / 100);
      expect(measurement * 50 - started.length).toBeLessThan(50);
    }
  });

  test("starts deliveries in the order of their calls, and all that waited once the event loop is free again", async () => {
    const { advance, isTicking, offerFor, setUtilization, started } = harness();
    setUtilization(1);
    await offerFor(2_000);
    expect(started.length).toBeLessThan(1_000);
    setUtilization(0.1);
    await advance(5_000);
    expect(started).toEqual(Array.from({ length: 2_000 }, (_, index) => index));
    expect(await offerFor(100)).toBe(100);
    expect(isTicking()).toBe(false);
  });

  test("does not delay the first deliveries after a time without deliveries, though the last deliveries were", async () => {
    const { advance, offerFor, setUtilization } = harness();
    setUtilization(1);
    await offerFor(2_000);
    setUtilization(0.1);
    await advance(60_000);
    expect(await offerFor(1_000)).toBe(1_000);
  });

  test("ends the wait of a delivery whose signal aborts, and leaves the others their order", async () => {
    const { offerFor, settled, setUtilization, start, started } = harness();
    setUtilization(1);
    await offerFor(2_000);
    const before = started.length;
    const partition = new AbortController();
    start(partition.signal);
    await settled();
    expect(started).toHaveLength(before);
    partition.abort();
    await settled();
    expect(started.slice(before)).toEqual([2_000]);
  });

  test("ends all waits when it is closed", async () => {
    const { isTicking, offerFor, pacing, setUtilization, settled, start, started } = harness();
    setUtilization(1);
    await offerFor(2_000);
    pacing.close();
    start();
    await settled();
    expect(started).toHaveLength(2_001);
    expect(isTicking()).toBe(false);
  });
});
