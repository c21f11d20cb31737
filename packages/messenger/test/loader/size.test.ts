import { readFileSync } from "node:fs";
import { brotliCompressSync } from "node:zlib";
import { expect, test } from "@jest/globals";
import { WIDGET_FILE } from "../../src/index.ts";

const BYTES_MAX = 8_000;

test("the script that sites embed has at most 8 kB, compressed", () => {
  expect(brotliCompressSync(readFileSync(WIDGET_FILE)).length).toBeLessThanOrEqual(BYTES_MAX);
});
