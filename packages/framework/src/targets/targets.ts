import { createHash } from "node:crypto";
import type { Vault } from "../install/vault.ts";
import type { Owner } from "../runtime/records/store.ts";
import type { TargetStore } from "./store.ts";

/** Addresses of this host that raise onExternalEvent. */
export interface Targets {
  /** The address of the app on an account: always the same one. */
  urlFor(account: string): Promise<string>;
  /** -> the account whose address has this secret part. */
  accountOf(secret: string): Promise<string | undefined>;
}

export interface TargetsDeps {
  /** Name of the app. */
  readonly app: string;
  readonly store: TargetStore;
  readonly vault: Pick<Vault, "derive">;
  /** Where this host can be reached. @shape without a slash at its end */
  readonly address: () => string;
  readonly now: () => Date;
}

export const TARGETS_PATH = "/targets";

const hashOf = (secret: string): string => createHash("sha256").update(secret).digest("hex");

/**
 * The secret part of an address is made anew from the vault's key each time: the database knows its hash only.
 * @assumed An app has one address on an account, also after it was uninstalled and installed again.
 */
export const targets = ({ app, store, vault, address, now }: TargetsDeps): Targets => ({
  async urlFor(account) {
    const owner: Owner = { project: app, account };
    const secret = vault.derive(["target", app, account].join("/")).toString("base64url");
    await store.add(hashOf(secret), owner, now());
    return `${address()}${TARGETS_PATH}/${secret}`;
  },
  accountOf: async (secret) => (await store.find(hashOf(secret), app))?.account,
});
