import { LIMITS } from "@parley/contract";

/** The values of the contract that the panel needs. The bundle contains these values in place of this module: see scripts/contract-values.mjs. */
export const VALUES = {
  textCharactersMax: LIMITS.text_characters,
} as const;
