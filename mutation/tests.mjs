/** Selects the test files that run for each mutant. */
import { readdirSync } from "node:fs";

/** Tests that need an instance or a browser take too long. */
const LONG = /(?:-world|-installed|-page|-repeats|-demo|-pictures)\.test\.ts$/;

export const testsIn = (root) =>
  readdirSync(`${root}/test`)
    .filter((name) => /^concierge-.*\.test\.ts$/.test(name) && !LONG.test(name))
    .map((name) => `test/${name}`);
