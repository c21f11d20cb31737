import { PERMISSIONS, APP_KEY_PREFIX } from "@parley/contract";

/** Values of the contract for the pages of the administration, which load when they are opened. Evaluated like `../contract-values.ts`. */
export const ADMIN_VALUES = {
  permissions: PERMISSIONS,
  appKeyPrefix: APP_KEY_PREFIX,
} as const;
