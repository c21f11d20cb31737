/** What the tests may start, by tier. Starts are counted in place of timing the tests: the result does not depend on the machine. */

/**
 * Limits of the tiers, for each file and for all files together. A file whose name ends with `.campaign.test.ts` has no limits.
 * @shape {instances, browsers, processes}: those that the test files themselves start
 */
const LIMITS = {
  tests: {
    command: "npm test",
    file: { instances: 0, browsers: 0, processes: 40 },
    total: { instances: 1, browsers: 1, processes: 550 },
  },
  system: {
    command: "npm run test:system",
    file: { instances: 1, browsers: 2, processes: 60 },
    total: { instances: 60, browsers: 70, processes: 1_200 },
  },
};

/** Files that need more than the others of their tier. @shape path from the root, its own limits, and the reason */
const EXCEPTIONS = {
  "test/instance/smoke.test.ts": { instances: 1, browsers: 1, reason: "it is the smoke of the real start" },
  "test/engines/main-ways.system.test.ts": {
    browsers: 4,
    reason: "it runs in three engines, beside the shared browser",
  },
  "test/engines/messenger.system.test.ts": { browsers: 4, reason: "it runs in three engines" },
  "test/console/administration/agents/agents.system.test.ts": {
    instances: 2,
    reason: "it restarts the service below an open page",
  },
  "packages/parley/test/platform-process.system.test.ts": {
    instances: 5,
    reason: "it ends the processes of instances",
  },
  "packages/parley/test/run.system.test.ts": { instances: 2, reason: "the test concerns the start of a folder" },
  "packages/parley/test/serve.system.test.ts": { instances: 2, reason: "the test concerns the start of a service" },
  "packages/parley/test/serve-metrics.system.test.ts": { instances: 5, reason: "the settings of each start differ" },
  "packages/parley/test/sign-in.system.test.ts": { instances: 7, reason: "the settings of each start differ" },
};

const ENDINGS = { ".campaign.test.ts": undefined, ".system.test.ts": LIMITS.system, ".test.ts": LIMITS.tests };

/** Files that start more than others take longest: they run first, so that no run ends with one of them alone. */
export const longestFirst = (files, pathOf) =>
  files.toSorted((one, other) => (pathOf(other) in EXCEPTIONS) - (pathOf(one) in EXCEPTIONS));

/** @returns a text for each limit that is exceeded */
const excessesOf = (starts, limits, command) =>
  Object.entries(starts)
    .filter(([kind, count]) => count > limits[kind])
    .map(([kind, count]) => `${count} ${kind} were started; ${command} permits ${limits[kind]}`);

/** @shape path: from the root; starts: of one file @returns a text for each limit that the file exceeds */
export const exceededLimits = (path, starts) => {
  // Campaigns and chosen tests also run blocks of a file that its own tier leaves out.
  if (process.env.PARLEY_TEST_CAMPAIGN) return [];
  const [, tier] = Object.entries(ENDINGS).find(([ending]) => path.endsWith(ending)) ?? [];
  return tier ? excessesOf(starts, { ...tier.file, ...EXCEPTIONS[path] }, `a file of ${tier.command}`) : [];
};

/** @shape tier: "tests" or "system"; starts: of all its files @returns a text for each limit that the tier exceeds */
export const exceededTotals = (tier, starts) => excessesOf(starts, LIMITS[tier].total, LIMITS[tier].command);
