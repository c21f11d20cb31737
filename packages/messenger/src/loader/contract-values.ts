import { MESSENGER_API, MESSENGER_NOT_FOUND, MESSENGER_PATH, ORIGIN_NOT_ALLOWED } from "@parley/contract";

/** Values of the contract that the script needs at run time: see `scripts/contract-values.mjs`. */

/** Paths below the address of the service. */
export const CONFIGURATION_PATH = `${MESSENGER_API}/configuration`;
export const PANEL_PATH: string = MESSENGER_PATH;

/** Statuses with which the service refuses a page. Their messages say what to do. */
export const REFUSALS: readonly unknown[] = [MESSENGER_NOT_FOUND.status, ORIGIN_NOT_ALLOWED.status];

export { BRAND_COLOR, ON_BRAND_COLOR } from "@parley/contract/display";
