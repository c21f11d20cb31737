import { createHash } from "node:crypto";
import type { Vault } from "../../installation/secret-vault.ts";
import type { RecordOwner } from "../records/store.ts";
import type { ExternalEventTarget, ExternalEventTargetStore } from "./store.ts";

/** Addresses of this host that raise onExternalEvent. */
export interface ExternalEventTargets {
  /** The address of the app on an account: the same one until it is renewed. A renewed one ends the one before. */
  urlFor(account: string, isRenewed?: boolean): Promise<string>;
  /** -> the account whose address has this secret part. */
  accountOf(secret: string): Promise<string | undefined>;
}

interface TargetsDeps {
  /** Name of the app. */
  readonly app: string;
  readonly store: ExternalEventTargetStore;
  readonly vault: Pick<Vault, "derive">;
  /** Where this host can be reached. @shape without a slash at its end */
  readonly address: () => string;
  readonly now: () => Date;
  readonly random: (bytes: number) => Buffer;
}

export const TARGETS_PATH = "/targets";
/** @units bytes */
const SALT_BYTES = 18;

const hashOf = (secret: string): string => createHash("sha256").update(secret).digest("hex");

/**
 * The secret part of an address is made anew from the vault's key each time: the database knows its hash, and what makes it differ from
 * the addresses before it.
 * @assumed An app has one address on an account, until it asks for another one or is uninstalled: then the address is gone for good.
 */
export const createExternalEventTargets = ({
  app,
  store,
  vault,
  address,
  now,
  random,
}: TargetsDeps): ExternalEventTargets => {
  const secretOf = (account: string, salt: string): string =>
    vault.derive(["target", app, account, ...(salt ? [salt] : [])].join("/")).toString("base64url");
  const newTarget = (account: string): ExternalEventTarget => {
    const salt = random(SALT_BYTES).toString("base64url");
    return { hash: hashOf(secretOf(account, salt)), salt };
  };
  /** -> undefined where there is none, or one that another key has made */
  const secretNow = async (owner: RecordOwner): Promise<string | undefined> => {
    const target = await store.of(owner);
    const secret = target && secretOf(owner.account, target.salt);
    return secret !== undefined && hashOf(secret) === target?.hash ? secret : undefined;
  };

  return {
    async urlFor(account, isRenewed = false) {
      const owner: RecordOwner = { project: app, account };
      let secret = isRenewed ? undefined : await secretNow(owner);
      if (secret === undefined) {
        const isThere = isRenewed || (await store.of(owner)) !== undefined;
        await store[isThere ? "replace" : "add"](newTarget(account), owner, now());
        // Another call may have made one meanwhile: that one counts.
        secret = await secretNow(owner);
      }
      if (secret === undefined) throw new Error("The address was taken away while it was made.");
      return `${address()}${TARGETS_PATH}/${secret}`;
    },
    accountOf: async (secret) => (await store.find(hashOf(secret), app))?.account,
  };
};
