import { openVault, type Vault } from "@parley/database";
import { secretsKey } from "../environment/config.ts";
import type { HostPorts } from "../environment/ports.ts";

export { SecretsKeyUnusable, vault, type Vault } from "@parley/database";

/** The vault, with the key from the environment or from a file of the data folder that only its owner can read. */
export const openSecretVault = (dataFolder: string, random: HostPorts["random"], key = secretsKey()): Promise<Vault> =>
  openVault(dataFolder, random, key);
