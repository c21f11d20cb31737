/** Real PostgreSQL, real HTTP, real browser: `globalSetup` starts what every file shares. */
/** @type {import('jest').Config} */
export default {
  runner: "<rootDir>/test/runner/runner.mjs",
  cacheDirectory: "<rootDir>/node_modules/.cache/jest",
  globalSetup: "<rootDir>/test/setup/global-setup.mjs",
  globalTeardown: "<rootDir>/test/setup/global-teardown.mjs",
  roots: ["<rootDir>/packages", "<rootDir>/test"],
  testMatch: ["**/test/**/*.test.ts"],
  modulePathIgnorePatterns: ["/dist/", "/fixtures/"],
  // Set by scripts/campaigns.mjs.
  testPathIgnorePatterns: process.env.PARLEY_TEST_CAMPAIGN ? [] : ["\\.campaign\\.test\\.ts$"],
  testTimeout: 120_000,
};
