/** Selects the test files that run for each mutant. */
import { readdirSync } from "node:fs";

/** Tests that need an instance, a browser or an installed app take too long. */
const SLOW_TESTS = /(?:-live|-page|-demo|-upgrade|-documentation|\.campaign)\.test\.ts$/;

export const testsIn = (root) =>
  readdirSync(`${root}/test`)
    .filter((name) => /^concierge-.*\.test\.ts$/.test(name) && !SLOW_TESTS.test(name))
    .map((name) => `test/${name}`);
