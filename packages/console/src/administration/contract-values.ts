import {
  ACCOUNT_LIMITS,
  ACCOUNT_PATTERNS,
  APP_KEY_PREFIX,
  LINK_SCHEMES,
  MESSENGER_LIMITS,
  MESSENGER_PICTURE,
  MESSENGER_SCRIPT,
  PERMISSIONS,
  RASTER_IMAGE_ADDRESS,
} from "@parley/contract";

/** Values of the contract for the pages of the administration, which load when they are opened. Evaluated like `../contract-values.ts`. */
export const ADMIN_VALUES = {
  accountLimits: ACCOUNT_LIMITS,
  accountPatterns: ACCOUNT_PATTERNS,
  permissions: PERMISSIONS,
  appKeyPrefix: APP_KEY_PREFIX,
  rasterImageAddress: RASTER_IMAGE_ADDRESS,
  linkSchemes: LINK_SCHEMES,
  messengerLimits: MESSENGER_LIMITS,
  messengerPicture: MESSENGER_PICTURE,
  messengerScript: MESSENGER_SCRIPT,
} as const;
