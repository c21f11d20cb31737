import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { DISPATCH_RULES } from "../../../src/events/dispatch/dispatch-rules.ts";
import { createEntityQueue, createSubscriptionQueue } from "../../../src/events/dispatch/subscription-queue.ts";
import { createProgressTracker } from "../../../src/events/dispatch/partition-cursor.sql.ts";
import type { LogRow } from "../../../src/base/log/store.ts";

interface Item {
  readonly entity: string;
  readonly number: number;
}

type Step =
  | { readonly kind: "push"; readonly entity: string }
  | { readonly kind: "take" | "drop" }
  | { readonly kind: "done"; readonly which: number };

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constant("push" as const), entity: fc.constantFrom("a", "b", "c", "d") }),
    },
    { weight: 4, arbitrary: fc.constant({ kind: "take" as const }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant("done" as const), which: fc.nat({ max: 3 }) }) },
    { weight: 1, arbitrary: fc.constant({ kind: "drop" as const }) },
  ),
  { maxLength: 100 },
);

test("a queue of entities returns each entity's items in order and one at a time, entities concurrently, and loses none", () => {
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 3 }), (all, slots) => {
      const queue = createEntityQueue<Item>(({ entity }) => entity, slots);
      const underWay: Item[] = [];
      const inProgress: Item[] = [];
      const expected: Item[] = [];
      let number = 0;
      const take = (): boolean => {
        const item = queue.take();
        if (!item) return false;
        expect(underWay.map(({ entity }) => entity)).not.toContain(item.entity);
        underWay.push(item);
        inProgress.push(item);
        expect(underWay.length).toBeLessThanOrEqual(slots);
        return true;
      };
      const done = (which: number): void => {
        const [item] = underWay.splice(which % Math.max(underWay.length, 1), 1);
        if (item) queue.done(item);
      };
      for (const step of all) {
        if (step.kind === "push") {
          const item = { entity: step.entity, number: number++ };
          queue.push(item);
          expected.push(item);
        } else if (step.kind === "take") take();
        else if (step.kind === "done") done(step.which);
        else {
          queue.drop(({ entity }) => entity === "a");
          for (const item of expected.filter(({ entity }) => entity === "a"))
            if (!inProgress.includes(item)) expected.splice(expected.indexOf(item), 1);
        }
        expect(queue.size()).toBe(expected.length - inProgress.length + underWay.length);
      }
      while (take() || underWay.length > 0) if (!take()) done(0);
      for (const entity of ["a", "b", "c", "d"])
        expect(inProgress.filter((item) => item.entity === entity)).toEqual(
          expected.filter((item) => item.entity === entity),
        );
      expect(queue.size()).toBe(0);
    }),
  );
});

describe("a cursor", () => {
  test("is before the oldest incomplete event, otherwise at the last event that was read, and knows the complete ones after it", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.nat({ max: 50 }), { maxLength: 20 }),
        fc.infiniteStream(fc.nat()),
        (set, choices) => {
          const positions = [...set].map((each) => each + 1).sort((a, b) => a - b);
          const { begin, end, cursor, doneAhead } = createProgressTracker();
          for (const position of positions) begin(position);
          const open = [...positions];
          while (open.length > 0) {
            const oldest = Math.min(...open);
            expect(cursor(100)).toBe(oldest - 1);
            const isDoneAhead = (position: number) => position > oldest && !open.includes(position);
            expect([...doneAhead()].sort((a, b) => a - b)).toEqual(positions.filter(isDoneAhead));
            const [chosen] = open.splice((choices.next().value as number) % open.length, 1);
            end(chosen as number);
          }
          expect(cursor(100)).toBe(100);
          expect(doneAhead()).toEqual([]);
        },
      ),
    );
  });
});

test("a cursor that was released is not saved again: its position would pass events that are under way for the next one", async () => {
  let highWatermark = 1;
  const underWay: (() => void)[] = [];
  const queue = createSubscriptionQueue({
    subscriptionId: "s",
    rules: DISPATCH_RULES,
    highWatermark: () => highWatermark,
    readBack: () => Promise.resolve([]),
    deliver: () => new Promise((resolve) => underWay.push(() => resolve(true))),
    onError: (error) => {
      throw error;
    },
  });
  const lease = () => ({ partition: 7, signal: new AbortController().signal });
  const event = (seq: number) => ({ seq, partition: 7, entity_id: "e" }) as LogRow;
  const arrive = (seq: number) => {
    highWatermark = seq;
    queue.offer([event(seq)], seq - 1);
  };
  const settled = () => new Promise(setImmediate);

  queue.open([{ lease: lease(), cursor: { seq: 1, done_ahead: [] } }]);
  await settled();
  arrive(2);
  const released = queue.release(7);
  underWay.shift()?.();
  expect(await released).toEqual({ subscription_id: "s", partition: 7, seq: 2, done_ahead: [] });
  queue.open([{ lease: lease(), cursor: { seq: 2, done_ahead: [] } }]);
  await settled();
  arrive(3);
  expect(underWay).toHaveLength(1);
  expect(queue.takeUnsaved(1_000)).toEqual([]);
  underWay.shift()?.();
  await settled();
  expect(queue.takeUnsaved(1_000)).toEqual([{ subscription_id: "s", partition: 7, seq: 3, done_ahead: [] }]);
});
