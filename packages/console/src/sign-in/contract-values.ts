import * as contract from "@parley/contract";

/** Values of the contract that the pages need at run time: see `scripts/contract-values.mjs`. */

export const SIGN_IN_PATH: string = contract.SIGN_IN_PATH;
export const PROFILE_PATH: string = contract.PROFILE_PATH;
/** Where a sign-in leads that names no page. */
export const HOME_PATH: string = contract.CONSOLE_PATH;
/** Header with the second secret of the session. */
export const SESSION_TOKEN: string = contract.SESSION_TOKEN;
/** @units characters */
export const PASSWORD_MIN: number = contract.PASSWORD_LENGTH.min;
