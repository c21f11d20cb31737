import { UsageFailure } from "@parley/contract";
import { openVault, type Vault } from "@parley/database";
import type { Ports } from "../environment/ports.ts";

interface LazyVaultDeps {
  readonly ports: Pick<Ports, "random">;
  /** The encryption key from the settings, as hex digits. */
  readonly secretsKey: string | undefined;
  /** Folder of the key file when the settings contain no key. */
  readonly secretsFolder: string | undefined;
}

/** Opened at the first use: an installation without stored secrets needs no key. A failure is not cached. */
export const createLazyVault = ({ secretsFolder, secretsKey, ports }: LazyVaultDeps): (() => Promise<Vault>) => {
  let opened: Promise<Vault> | undefined;
  const open = async (): Promise<Vault> => {
    if (secretsKey === undefined && secretsFolder === undefined)
      throw new UsageFailure("There is no key for stored secrets: set PARLEY_SECRETS_KEY to 64 hex digits.");
    return openVault(secretsFolder ?? ".", ports.random, secretsKey);
  };
  return () =>
    (opened ??= open().catch((error: unknown) => {
      opened = undefined;
      throw error;
    }));
};
