/** Transforms TypeScript as the test process does: see test/runner/hooks.mjs. */
import { readFileSync } from "node:fs";
import { transformSync } from "@swc/core";

export const asTypeScript = (filename) =>
  transformSync(readFileSync(filename, "utf8"), {
    filename,
    jsc: { parser: { syntax: "typescript" }, target: "es2023" },
    module: { type: "es6" },
    sourceMaps: true,
  });

/** false for a file with types only. */
export const isCode = (code) =>
  code
    .replace(/\/\*[^]*?\*\//g, "")
    .replace(/^export \{ ?\};$/m, "")
    .trim() !== "";
