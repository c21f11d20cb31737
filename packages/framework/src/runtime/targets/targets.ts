import { createHash } from "node:crypto";
import type { Vault } from "../../installation/secret-vault.ts";
import type { RecordOwner } from "../records/store.ts";
import type { ExternalEventTarget, ExternalEventTargetStore } from "./store.ts";

/** URLs of this host that raise onExternalEvent. */
export interface ExternalEventTargets {
  /** The URL of the app on an account, stable until it is renewed. A renewal revokes the previous one. */
  urlFor(account: string, isRenewed?: boolean): Promise<string>;
  /** -> the account whose URL has this secret part */
  accountOf(secret: string): Promise<string | undefined>;
}

interface TargetsDeps {
  /** Name of the app. */
  readonly app: string;
  readonly store: ExternalEventTargetStore;
  readonly vault: Pick<Vault, "derive">;
  /** Public address of this host. @shape without a trailing slash */
  readonly address: () => string;
  readonly now: () => Date;
  readonly random: (bytes: number) => Buffer;
}

export const TARGETS_PATH = "/targets";
/** @units bytes */
const SALT_BYTES = 18;

const hashOf = (secret: string): string => createHash("sha256").update(secret).digest("hex");

/**
 * The secret part of a URL is derived from the vault's key each time. The database stores its hash and the salt that distinguishes it from
 * earlier ones.
 * @assumed An app has one address on an account, until it requests another one or is uninstalled: then the address is revoked for good.
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
  /** -> undefined if there is no target, or one that was derived from another key */
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
        // Another call may have created a target in the meantime: that one is used.
        secret = await secretNow(owner);
      }
      if (secret === undefined) throw new Error("The address was taken away while it was made.");
      return `${address()}${TARGETS_PATH}/${secret}`;
    },
    accountOf: async (secret) => (await store.find(hashOf(secret), app))?.account,
  };
};
