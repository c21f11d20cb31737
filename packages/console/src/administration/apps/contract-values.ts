import { INSTALLED_APP_PREFIX, PAUSED_EVENTS_DAYS, PRODUCT_EVENTS } from "@parley/contract";

const eventNames: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(PRODUCT_EVENTS).map(([kind, { name }]) => [kind, name]),
);

/** Values of the contract for the pages of apps. Evaluated like `../../contract-values.ts`. */
export const APP_VALUES = {
  /** Names of the service's events for apps, by kind. */
  eventNames,
  pausedEventsDays: PAUSED_EVENTS_DAYS,
  subscriptionPrefix: INSTALLED_APP_PREFIX,
} as const;
