import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import * as contract from "@parley/contract";
import { readSources, ROOT } from "./sources.ts";

test("docs/integrators/openapi.json and docs/contributors/assumptions.md are what the code prints", () => {
  const { status, stderr } = spawnSync(process.execPath, [join(ROOT, "scripts/docs.mjs"), "--check"], {
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  expect(status).toBe(0);
});

test("the types of the SDK state the data of every product event", () => {
  const types = readFileSync(join(ROOT, "packages/framework/src/sdk/events.d.ts"), "utf8");
  const names = Object.values(contract.PRODUCT_EVENTS).map(({ name }) => name);
  expect(names.filter((name) => !types.includes(`${name}: "`))).toEqual([]);
});

test("every @assumed choice of a source is printed", () => {
  const printed = readFileSync(join(ROOT, "docs/contributors/assumptions.md"), "utf8");
  const marking = readSources()
    .filter(({ text }) => /^\s*(?:\/\*\*|\*) .*@assumed/m.test(text))
    .map(({ path }) => path);
  expect(marking.filter((path) => !printed.includes(`| ${path} |`))).toEqual([]);
});

test("the lockfile contains no address of a registry", () => {
  expect(readFileSync(join(ROOT, "package-lock.json"), "utf8")).not.toMatch(/"resolved": "http/);
});
