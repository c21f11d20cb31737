import { expect, test } from "@jest/globals";
import * as contract from "@parley/contract";
import { codeOf, readSources, readTests } from "./sources.ts";

const sources = readSources();

test("process.env is read in config.ts files only", () => {
  const elsewhere = sources.filter(
    ({ path, text }) => !/(^|\/)config\.ts$/.test(path) && /process\.env/.test(codeOf(text)),
  );
  expect(elsewhere.map(({ path }) => path)).toEqual([]);
});

/** Variables that a test run passes to the processes that it starts; users never set them. */
const TEST_VARIABLES = ["PARLEY_BIN", "PARLEY_TEST_CLUSTER", "PARLEY_TEST_DATABASE", "PARLEY_WORLD"];

test("every environment variable is a row of the contract's table and is read by a config.ts file", () => {
  const named = (texts: readonly string[]) =>
    [...new Set(texts.flatMap((text) => text.match(/\b(?:PARLEY_[A-Z\d_]+|DATABASE_URL)\b/g) ?? []))]
      .filter((name) => !TEST_VARIABLES.includes(name))
      .sort();
  const rows = Object.keys(contract.ENVIRONMENT).sort();
  expect(named(sources.map(({ text }) => text))).toEqual(rows);
  const readers = sources.filter(
    ({ path }) => /(^|\/)config\.ts$/.test(path) || path === "packages/database/src/secrets/keyring.ts",
  );
  expect(named(readers.map(({ text }) => text))).toEqual(rows);
});

test("every environment variable is named by a test", () => {
  const text = readTests()
    .map((each) => each.text)
    .join("\n");
  expect(Object.keys(contract.ENVIRONMENT).filter((name) => !new RegExp(`\\b${name}\\b`).test(text))).toEqual([]);
});

test("the clock, randomness and ids are read in ports.ts files only", () => {
  const reads = /Date\.now\(|new Date\(\)|Math\.random\(|randomUUID\(|randomBytes\(|getRandomValues\(/;
  // Pages of the console and the messenger's panel show times of the device that they run on.
  const elsewhere = sources.filter(
    ({ path, text }) => !/(^|\/)ports\.ts$|^packages\/(?:console|messenger)\//.test(path) && reads.test(codeOf(text)),
  );
  expect(elsewhere.map(({ path }) => path)).toEqual([]);
});
