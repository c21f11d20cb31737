import type { Vault } from "../../installation/secret-vault.ts";
import type { HostPorts } from "../../environment/ports.ts";
import type { TokenHolder, OAuthTokenRow, OAuthTokenStore } from "./store.ts";

/** Result of an authorisation. */
export interface OAuthGrant {
  readonly accessToken: string;
  readonly refreshToken?: string;
  /** Parameters that were entered before the authorisation. They fill in URLs, also for every renewal. */
  readonly oauthIparams: Readonly<Record<string, string>>;
  /** Undefined if the token does not expire. */
  readonly expires?: Date;
}

/** A grant with the row that it was read from. */
export interface StoredGrant {
  readonly holder: TokenHolder;
  readonly row: OAuthTokenRow;
  readonly grant: OAuthGrant;
}

/** Grants, encrypted in the database. */
export interface OAuthGrants {
  find(holder: TokenHolder): Promise<StoredGrant | undefined>;
  save(holder: TokenHolder, grant: OAuthGrant): Promise<void>;
  /** Replaces a grant unless it was removed or replaced in the meantime. */
  replace(before: StoredGrant, grant: OAuthGrant): Promise<void>;
  remove(grant: StoredGrant): Promise<void>;
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
    /** A grant that was given before the installation is moved to the account of the installation. */
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
