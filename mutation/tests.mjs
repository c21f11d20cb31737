/** Which tests look at a changed rule. */
import { readdirSync } from "node:fs";

/** Those need a world or a browser: too long for each change. */
const LONG = /(?:-world|-installed|-page|-repeats|-demo|-pictures)\.test\.ts$/;

export const testsIn = (root) =>
  readdirSync(`${root}/test`)
    .filter((name) => /^concierge-.*\.test\.ts$/.test(name) && !LONG.test(name))
    .map((name) => `test/${name}`);
