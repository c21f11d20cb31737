/**
 * Settings of the connections for hot statements, which look rows up by key and nothing else: one plan, made once. Without them a
 * plan that was made while the tables were empty reads them from end to end until somebody analyzes them.
 */
export const KEYED_PLANS = {
  enable_seqscan: "off",
  enable_bitmapscan: "off",
  plan_cache_mode: "force_generic_plan",
} as const;
