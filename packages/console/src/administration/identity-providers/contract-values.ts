import { IDENTITY_PROVIDER_NAME } from "@parley/contract";

/** Values of the contract for the page of identity providers. Evaluated like `../../contract-values.ts`. */
export const PROVIDER_VALUES = {
  /** Pattern of a name. */
  name: IDENTITY_PROVIDER_NAME,
} as const;
