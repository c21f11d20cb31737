import { REMOVED_CHARACTERS } from "@parley/contract";

/** The values of the contract for shown texts. The bundle contains these values in place of this module: see scripts/contract-values.mjs. */
export const REMOVED = REMOVED_CHARACTERS;
