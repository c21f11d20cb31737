/** Selects the test files that run for each mutant. */
import { readdirSync } from "node:fs";

/** Tests that need an instance, a browser or an installed app take too long. */
const SLOW_TESTS = /\/documentation\.test\.ts$|\.campaign\.test\.ts$/;

export const testsIn = (root) =>
  readdirSync(`${root}/test/concierge`, { recursive: true })
    .map((name) => `test/concierge/${name}`)
    .filter((path) => path.endsWith(".test.ts") && !SLOW_TESTS.test(path));
