/** What the tests may start, by tier. Starts are counted in place of timing the tests: the result does not depend on the machine. */

/**
 * Limits of the tiers, for each file and for all files together. A file whose name ends with `.campaign.test.ts` has none.
 * @shape {instances, browsers, processes}: those that the test files themselves start
 */
const LIMITS = {
  tests: {
    command: "npm test",
    file: { instances: 0, browsers: 0, processes: 50 },
    total: { instances: 1, browsers: 1, processes: 1_500 },
  },
  system: {
    command: "npm run test:system",
    file: { instances: 1, browsers: 1, processes: 60 },
    total: { instances: 60, browsers: 60, processes: 1_500 },
  },
};

/** Files that need more than the others of their tier. @shape path from the root, its own limits, and the reason */
const EXCEPTIONS = {
  "test/smoke.test.ts": { instances: 1, browsers: 1, reason: "it is the smoke of the real start" },
};

const ENDINGS = { ".campaign.test.ts": undefined, ".system.test.ts": LIMITS.system, ".test.ts": LIMITS.tests };

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
