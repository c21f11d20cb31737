/** Whom a package is for: an app host of ours, or the field's, which takes less. */
export const TARGETS = ["parley", "field"] as const;
export type Target = (typeof TARGETS)[number];
