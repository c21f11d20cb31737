/** Selects the test files that run for each mutant. */
import { readdirSync } from "node:fs";

/** Tests that need an instance, a browser or an installed app take too long; the copy that is mutated does not contain `packages/parley`. */
const OTHER_TESTS = /\/(?:documentation|chat-choices)\.test\.ts$|\.campaign\.test\.ts$/;

export const testsIn = (root) =>
  readdirSync(`${root}/test/concierge`, { recursive: true })
    .map((name) => `test/concierge/${name}`)
    .filter((path) => path.endsWith(".test.ts") && !OTHER_TESTS.test(path));
