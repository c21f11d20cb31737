/** Real PostgreSQL, real HTTP, real browser: `globalSetup` starts what every file shares. */
/** @type {import('jest').Config} */
export default {
  testEnvironment: "node",
  cacheDirectory: "<rootDir>/node_modules/.cache/jest",
  globalSetup: "<rootDir>/test/setup/global-setup.mjs",
  globalTeardown: "<rootDir>/test/setup/global-teardown.mjs",
  roots: ["<rootDir>/packages", "<rootDir>/test"],
  testMatch: ["**/test/**/*.test.ts"],
  modulePathIgnorePatterns: ["/dist/", "/fixtures/"],
  testEnvironmentOptions: { customExportConditions: ["source", "node", "node-addons"] },
  // Each file loads every module anew: what most of them need comes as one, which `globalSetup` has built.
  moduleNameMapper: { "^@parley/(contract|client|egress)$": "<rootDir>/packages/$1/dist/index.js" },
  extensionsToTreatAsEsm: [".ts"],
  transform: {
    "^.+\\.ts$": [
      "@swc/jest",
      { jsc: { parser: { syntax: "typescript" }, target: "es2023" }, module: { type: "es6" }, sourceMaps: "inline" },
    ],
  },
  testTimeout: 30_000,
};
