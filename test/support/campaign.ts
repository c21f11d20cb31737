import { describe, test } from "@jest/globals";

/** Set by `npm run campaigns` (scripts/campaigns.mjs) to one of these values. */
type CampaignScope = "sampled" | "complete";

/** How much of the campaigns this run includes; undefined in `npm test`. */
const scope = process.env["PARLEY_TEST_CAMPAIGN"] as CampaignScope | undefined;

/**
 * Rows of a table whose every row examines the same rule with another input. `npm run campaigns -- --complete` uses all rows; other runs use
 * `count` evenly spaced rows, always the same.
 */
export const sampleRows = <Row>(rows: readonly Row[], count: number): readonly Row[] => {
  if (scope === "complete" || rows.length <= count) return rows;
  const step = rows.length / count;
  return Array.from({ length: count }, (_, index) => rows[Math.floor(index * step)]!);
};

const ignore = Object.assign(() => undefined, { each: () => () => undefined });

/** `test` in `npm run campaigns`. In `npm test` the test is not registered. */
export const campaignTest = (scope === undefined ? ignore : test) as typeof test;

/** `describe` in `npm run campaigns`. In `npm test` neither the tests nor the hooks of the block are registered. */
export const campaignDescribe = (scope === undefined ? ignore : describe) as typeof describe;
