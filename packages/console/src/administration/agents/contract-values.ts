import { AGENT_CAPACITY_MAX, AGENT_SCOPES } from "@parley/contract";

/** Values of the contract for the pages of agents. Evaluated like `../../contract-values.ts`. */
export const AGENT_VALUES = {
  capacityMax: AGENT_CAPACITY_MAX,
  scopes: AGENT_SCOPES,
} as const;
