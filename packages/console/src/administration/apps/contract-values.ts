import { INSTALLED_APP_PREFIX, PAUSED_EVENTS_DAYS } from "@parley/contract";

/** Values of the contract for the pages of apps. Evaluated like `../../contract-values.ts`. */
export const APP_VALUES = {
  pausedEventsDays: PAUSED_EVENTS_DAYS,
  subscriptionPrefix: INSTALLED_APP_PREFIX,
} as const;
