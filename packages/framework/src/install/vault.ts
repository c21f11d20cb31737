import { openVault as open, type Vault } from "@parley/database";
import { secretsKey } from "../config.ts";
import type { Ports } from "../ports.ts";

export { SecretsKeyUnusable, vault, type Vault } from "@parley/database";

/** The vault whose key is in the environment, else in a file of the data folder that only its owner may read. */
export const openVault = (dataFolder: string, random: Ports["random"], given = secretsKey()): Promise<Vault> =>
  open(dataFolder, random, given);
