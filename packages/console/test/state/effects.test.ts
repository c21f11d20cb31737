import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";

const SOURCE = fileURLToPath(new URL("../../src", import.meta.url));

/** React calls what a function for `ref` returns, as it does with an effect; no type of ours can stand before that attribute. */
test("no element has a ref that is a function written in place: such a function is an effect", () => {
  const files = readdirSync(SOURCE, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".tsx"));
  expect(files.length).toBeGreaterThan(100);
  const offenders = files.flatMap((path) =>
    [...readFileSync(join(SOURCE, path), "utf8").matchAll(/\bref=\{[^}]*?(?:=>|\bfunction\b).*/g)].map(
      ([found]) => `${path}: ${found}`,
    ),
  );
  expect(offenders).toEqual([]);
});
