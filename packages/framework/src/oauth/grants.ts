import type { Vault } from "../install/vault.ts";
import type { Ports } from "../ports.ts";
import type { Holder, TokenRow, TokenStore } from "./store.ts";

/** What an authorisation gave. */
export interface Grant {
  readonly accessToken: string;
  readonly refreshToken?: string;
  /** What a person was asked before: it fills addresses in, at every renewal too. */
  readonly oauthIparams: Readonly<Record<string, string>>;
  /** Undefined for one without an end. */
  readonly expires?: Date;
}

/** A grant, and the row that it was read from. */
export interface Kept {
  readonly holder: Holder;
  readonly row: TokenRow;
  readonly grant: Grant;
}

/** Grants, sealed in the database. */
export interface Grants {
  find(holder: Holder): Promise<Kept | undefined>;
  save(holder: Holder, grant: Grant): Promise<void>;
  /** Unless the one before is gone, or another. */
  replace(before: Kept, grant: Grant): Promise<void>;
  remove(kept: Kept): Promise<void>;
}

export interface GrantsDeps {
  readonly store: TokenStore;
  readonly vault: Vault;
  readonly now: Ports["now"];
}

const ownerOf = ({ project, account, integration, agent }: Holder) =>
  JSON.stringify(["oauth", project, account, integration, agent]);

export const grants = ({ store, vault, now }: GrantsDeps): Grants => {
  const rowOf = (holder: Holder, { expires, ...secret }: Grant): TokenRow => ({
    sealed: vault.seal(ownerOf(holder), JSON.stringify(secret)),
    expires_time: expires ?? null,
  });
  const read = async (holder: Holder): Promise<Kept | undefined> => {
    const row = await store.find(holder);
    if (!row) return undefined;
    const secret = JSON.parse(vault.open(ownerOf(holder), row.sealed)) as Omit<Grant, "expires">;
    return { holder, row, grant: { ...secret, ...(row.expires_time ? { expires: row.expires_time } : {}) } };
  };
  const save = (holder: Holder, grant: Grant) => store.save(holder, rowOf(holder, grant), now());

  return {
    /** What was authorised before the app was installed belongs to the account that it is installed on then. */
    async find(holder) {
      const own = await read(holder);
      if (own || holder.account === "") return own;
      const early = await read({ ...holder, account: "" });
      if (!early) return undefined;
      await save(holder, early.grant);
      await store.remove(early.holder, early.row);
      return read(holder);
    },
    save,
    replace: (before, grant) => store.replace(before.holder, before.row, rowOf(before.holder, grant), now()),
    remove: ({ holder, row }) => store.remove(holder, row),
  };
};
