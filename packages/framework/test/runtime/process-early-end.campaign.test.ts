import { setTimeout } from "node:timers/promises";
import { expect, test } from "@jest/globals";
import { findBoundary, type BoundaryName } from "../../src/sandbox/boundary.ts";
import { processFixture } from "../support/process-fixture.ts";

const BOUNDARIES: readonly BoundaryName[] = ["bubblewrap", "namespaces", "unshare", "landlock", "none"];
/** Delays from the start of a launcher until shortly after the app's code has started. @units milliseconds */
const DELAYS_MS = Array.from({ length: 30 }, (_, index) => index * 3);

test.each(BOUNDARIES)("a process that is ended at any time during its start ends completely: %s", async (name) => {
  // A machine may lack a boundary, but `none` is always available.
  const names = await findBoundary([name]).then(
    () => [name],
    () => ["none" as const],
  );
  const pool = await processFixture(names);
  const remaining: number[] = [];
  for (const ms of DELAYS_MS) {
    const process = pool.start("exports.h = () => {};");
    await setTimeout(ms);
    const ended = process.kill("the test ends it early").then(() => true);
    if (!(await Promise.race([ended, setTimeout(20_000, false)]))) remaining.push(ms);
  }
  expect(remaining).toEqual([]);
});
