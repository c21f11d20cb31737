import { PERMISSIONS } from "@parley/contract";

/** Values of the contract for the pages of the administration, which load when they are opened. Evaluated like `../contract-values.ts`. */
export const ADMIN_VALUES = {
  permissions: PERMISSIONS,
} as const;
