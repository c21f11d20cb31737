import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { partitionOf, PARTITIONS } from "../../../src/base/log/store.ts";
import { rebalance } from "../../../src/events/dispatch/leases.sql.ts";

const all = Array.from({ length: PARTITIONS }, (_, partition) => partition);

/** Lets processes lease partitions until nothing changes. -> number of rounds */
const settle = (processes: number[][]): number => {
  for (let turns = 1; turns < 100; turns += 1) {
    let moved = false;
    for (const [index, own] of processes.entries()) {
      const free = all.filter((partition) => !processes.some((each) => each.includes(partition)));
      const { give, take } = rebalance({ members: processes.length, own, free });
      moved ||= give.length + take.length > 0;
      processes[index] = [...own.filter((partition) => !give.includes(partition)), ...take];
    }
    if (!moved) return turns;
  }
  return Infinity;
};

test("processes that start and end share all partitions evenly after a few rounds", () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { maxLength: 12 }), fc.nat(), (comings, seed) => {
      const processes: number[][] = [[]];
      for (const [index, comes] of comings.entries()) {
        if (comes) processes.push([]);
        else if (processes.length > 1) processes.splice((seed + index) % processes.length, 1);
        expect(settle(processes)).toBeLessThan(6);
        expect(processes.flat().sort((a, b) => a - b)).toEqual(all);
        const fair = Math.ceil(PARTITIONS / processes.length);
        expect(Math.max(...processes.map(({ length }) => length))).toBeLessThanOrEqual(fair);
      }
    }),
  );
});

test("an entity's partition is the low six bits of its id, regardless of case", () => {
  expect(partitionOf("018f0000-0000-7000-8000-00000000007f")).toBe(63);
  expect(partitionOf("018f0000-0000-7000-8000-0000000000C0")).toBe(0);
  expect(partitionOf("018f0000-0000-7000-8000-0000000000aB")).toBe(0x2b);
});
