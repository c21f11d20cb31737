import { DELIVERY_EXCHANGE_LIMITS, DELIVERY_STATES } from "@parley/contract";

/** Values of the contract for the page of deliveries. Evaluated like `../../contract-values.ts`. */
export const DELIVERY_VALUES = {
  states: DELIVERY_STATES,
  exchangeLimits: DELIVERY_EXCHANGE_LIMITS,
} as const;
