/** Real PostgreSQL, real HTTP, real browser: `globalSetup` starts what every file shares. */
/** Ends of the names of files that only another command than `npm test` runs, unless they are chosen by name. */
const OTHER_TIERS = ["\\.campaign\\.test\\.ts$", "\\.system\\.test\\.ts$"];

/** @type {import('jest').Config} */
export default {
  runner: "<rootDir>/test/runner/runner.mjs",
  cacheDirectory: "<rootDir>/node_modules/.cache/jest",
  globalSetup: "<rootDir>/test/setup/global-setup.mjs",
  globalTeardown: "<rootDir>/test/setup/global-teardown.mjs",
  roots: ["<rootDir>/packages", "<rootDir>/test"],
  // Set by scripts/test.mjs.
  testMatch: [process.env.PARLEY_TEST_TIER === "system" ? "**/test/**/*.system.test.ts" : "**/test/**/*.test.ts"],
  modulePathIgnorePatterns: ["/dist/", "/fixtures/"],
  testPathIgnorePatterns: process.env.PARLEY_TEST_CAMPAIGN || process.env.PARLEY_TEST_TIER ? [] : OTHER_TIERS,
  testTimeout: 120_000,
};
