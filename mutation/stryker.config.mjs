/** @type {import("@stryker-mutator/api/core").PartialStrykerOptions} */
export default {
  testRunner: "concierge",
  plugins: [new URL("runner.mjs", import.meta.url).href],
  testRunnerNodeArgs: ["--conditions=parley-source"],
  coverageAnalysis: "perTest",
  ignorePatterns: [
    "**",
    ...["server", "test", "config", "app", "docs", "packages/framework/test"].map((folder) => `!${folder}/**`),
    ...["!*.json", "!*.md"],
  ],
  // The memory of a runner process grows with each mutant.
  maxTestRunnerReuse: 80,
  reporters: ["json"],
  jsonReporter: { fileName: "mutation/last.json" },
  timeoutMS: 10_000,
  allowEmpty: true,
  cleanTempDir: "always",
};
