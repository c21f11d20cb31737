import type { Vault } from "../../installation/secret-vault.ts";
import type { HostPorts } from "../../environment/ports.ts";
import type { TokenHolder, OAuthTokenRow, OAuthTokenStore } from "./store.ts";

/** What an authorisation gave. */
export interface OAuthGrant {
  readonly accessToken: string;
  readonly refreshToken?: string;
  /** What a person was asked before: it fills addresses in, at every renewal too. */
  readonly oauthIparams: Readonly<Record<string, string>>;
  /** Undefined for one without an end. */
  readonly expires?: Date;
}

/** A grant, and the row that it was read from. */
export interface StoredGrant {
  readonly holder: TokenHolder;
  readonly row: OAuthTokenRow;
  readonly grant: OAuthGrant;
}

/** Grants, sealed in the database. */
export interface OAuthGrants {
  find(holder: TokenHolder): Promise<StoredGrant | undefined>;
  save(holder: TokenHolder, grant: OAuthGrant): Promise<void>;
  /** Unless the one before is gone, or another. */
  replace(before: StoredGrant, grant: OAuthGrant): Promise<void>;
  remove(kept: StoredGrant): Promise<void>;
}

interface GrantsDeps {
  readonly store: OAuthTokenStore;
  readonly vault: Vault;
  readonly now: HostPorts["now"];
}

const ownerOf = ({ project, account, integration, agent }: TokenHolder) =>
  JSON.stringify(["oauth", project, account, integration, agent]);

export const createGrants = ({ store, vault, now }: GrantsDeps): OAuthGrants => {
  const rowOf = (holder: TokenHolder, { expires, ...secret }: OAuthGrant): OAuthTokenRow => ({
    sealed: vault.seal(ownerOf(holder), JSON.stringify(secret)),
    expires_time: expires ?? null,
  });
  const read = async (holder: TokenHolder): Promise<StoredGrant | undefined> => {
    const row = await store.find(holder);
    if (!row) return undefined;
    const secret = JSON.parse(vault.open(ownerOf(holder), row.sealed)) as Omit<OAuthGrant, "expires">;
    return { holder, row, grant: { ...secret, ...(row.expires_time ? { expires: row.expires_time } : {}) } };
  };
  const save = (holder: TokenHolder, grant: OAuthGrant) => store.save(holder, rowOf(holder, grant), now());

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
