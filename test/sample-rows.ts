/** Set by `npm run campaigns` (scripts/campaigns.mjs). */
const isCampaign = process.env["PARLEY_TEST_CAMPAIGN"] !== undefined;

/**
 * Rows of a table whose every row examines the same rule with another input. `npm run campaigns` uses all rows; `npm test` uses `count` evenly
 * spaced ones, always the same.
 */
export const sampleRows = <Row>(rows: readonly Row[], count: number): readonly Row[] => {
  if (isCampaign || rows.length <= count) return rows;
  const step = rows.length / count;
  return Array.from({ length: count }, (_, index) => rows[Math.floor(index * step)]!);
};
