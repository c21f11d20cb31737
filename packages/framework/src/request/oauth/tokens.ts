import type { Egress } from "@parley/egress";
import type { HostPorts } from "../../environment/ports.ts";
import { refuseRequest, type OAuthAccess, type AccessTokens, type TokenOwner } from "../request-method.ts";
import { substituteOrReject } from "../sources.ts";
import { exchangeToken, TokenExchangeFailed, type IssuedTokens } from "./exchange.ts";
import { authorizePath, oauthClientOf, displayName, openIparams } from "./integration.ts";
import { oauthTokenOwner } from "../../state/secret-owners.ts";
import type { TokenHolder, OAuthTokenRow, OAuthTokenStore } from "../../state/oauth-tokens.sql.ts";
import type { Vault } from "@parley/database";
import type { Log } from "@parley/telemetry";

/** Result of an authorisation. */
interface OAuthGrant {
  readonly accessToken: string;
  readonly refreshToken?: string;
  /** Parameters that were entered before the authorisation. They fill in URLs, also for every renewal. */
  readonly oauthIparams: Readonly<Record<string, string>>;
  /** Undefined if the token does not expire. */
  readonly expires?: Date;
}

/** A grant with the row that it was read from. */
interface StoredGrant {
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

export const createGrants = ({ store, vault, now }: GrantsDeps): OAuthGrants => {
  const rowOf = (holder: TokenHolder, { expires, ...secret }: OAuthGrant): OAuthTokenRow => ({
    sealed: vault.seal(oauthTokenOwner(holder), JSON.stringify(secret)),
    expires_time: expires ?? null,
  });
  const read = async (holder: TokenHolder): Promise<StoredGrant | undefined> => {
    const row = await store.find(holder);
    if (!row) return undefined;
    const secret = JSON.parse(vault.open(oauthTokenOwner(holder), row.sealed)) as Omit<OAuthGrant, "expires">;
    return { holder, row, grant: { ...secret, ...(row.expires_time ? { expires: row.expires_time } : {}) } };
  };
  const save = (holder: TokenHolder, grant: OAuthGrant) => store.save(holder, rowOf(holder, grant), now());
  /** Repeats a change while the row contains the same grant: a rotation of the key seals it anew. */
  const whileSame = async (before: StoredGrant, change: (row: OAuthTokenRow) => Promise<boolean>): Promise<void> => {
    for (let { row } = before; !(await change(row));) {
      const present = await read(before.holder);
      const isSame = present && JSON.stringify(present.grant) === JSON.stringify(before.grant);
      if (!isSame || present.row.sealed === row.sealed) return;
      row = present.row;
    }
  };

  return {
    /** A grant that an earlier version stored before the app was installed, without an account, is moved to the account. */
    async find(holder) {
      const own = await read(holder);
      if (own || holder.account === "") return own;
      const early = await read({ ...holder, account: "" });
      if (!early) return undefined;
      await save(holder, early.grant);
      await whileSame(early, (row) => store.remove(early.holder, row));
      return read(holder);
    },
    save,
    replace: (before, grant) =>
      whileSame(before, (row) => store.replace(before.holder, row, rowOf(before.holder, grant), now())),
    remove: (grant) => whileSame(grant, (row) => store.remove(grant.holder, row)),
  };
};

interface TokensDeps {
  readonly grants: OAuthGrants;
  readonly egress: Pick<Egress, "send">;
  readonly now: HostPorts["now"];
  /** Name of the app. */
  readonly app: string;
  /** Name of the account. */
  readonly account: string;
  readonly log: Log;
}

/** A token is renewed if it expires within this time. @units milliseconds */
const RENEW_BEFORE_END_MS = 60_000;

/** Provider errors after which a refresh token is permanently invalid. */
const REVOKED_ERRORS = ["", "invalid_grant", "bad_refresh_token"];

/** The grant to store after a token request. A refresh token that the provider does not replace is kept. */
export const grantOf = (
  issued: IssuedTokens,
  before: Pick<OAuthGrant, "refreshToken" | "oauthIparams">,
  now: Date,
): OAuthGrant => {
  const refreshToken = issued.refreshToken ?? before.refreshToken;
  return {
    accessToken: issued.accessToken,
    oauthIparams: before.oauthIparams,
    ...(refreshToken === undefined ? {} : { refreshToken }),
    ...(issued.expiresIn === undefined ? {} : { expires: new Date(now.getTime() + issued.expiresIn * 1_000) }),
  };
};

/** The owner of the token. @errors RequestRejected if tokens belong to agents and no agent makes the call */
const holderOf = (
  { app, account }: Pick<TokensDeps, "app" | "account">,
  { name, integration, agent }: TokenOwner,
): TokenHolder => {
  const isAgents = integration.token_type === "agent";
  if (isAgents && !agent)
    refuseRequest(401, `${displayName(name, integration)} is authorised by each agent, and no agent asks here`);
  return { project: app, account, integration: name, agent: isAgents && agent ? agent : "" };
};

export const createAccessTokens = (deps: TokensDeps): AccessTokens => {
  /** Renewals in progress, shared by concurrent callers. */
  const renewals = new Map<string, Promise<OAuthGrant>>();

  function refuseUnauthorised({ name, integration, agent }: TokenOwner): never {
    refuseRequest(
      401,
      `Not authorised for ${displayName(name, integration)}: authorise it again at ${authorizePath(name, agent)}`,
    );
  }
  const accessOf = ({ integration }: TokenOwner, { accessToken, oauthIparams }: OAuthGrant): OAuthAccess => ({
    accessToken,
    oauthIparams: openIparams(integration, oauthIparams),
  });

  const renewGrant = async (owner: TokenOwner, stale: StoredGrant, refreshToken: string): Promise<OAuthGrant> => {
    // Another renewal may have completed since the grant was read, and a refresh token can be used only once.
    const stored = await deps.grants.find(stale.holder);
    if (!stored) refuseUnauthorised(owner);
    if (stored.grant.accessToken !== stale.grant.accessToken) return stored.grant;
    const client = substituteOrReject(() => oauthClientOf(owner.integration, stored.grant.oauthIparams));
    try {
      const issued = await exchangeToken(deps.egress, client, {
        grant_type: "refresh_token",
        refresh_token: refreshToken,
      });
      const grant = grantOf(issued, stored.grant, deps.now());
      await deps.grants.replace(stored, grant);
      return grant;
    } catch (error) {
      if (!(error instanceof TokenExchangeFailed)) throw error;
      deps.log(`The token for ${owner.name} could not be renewed: ${error.message}`, { level: "error" });
      if (error.status !== 401) refuseRequest(error.status, error.message);
      if (REVOKED_ERRORS.includes(error.code)) await deps.grants.remove(stored);
      refuseUnauthorised(owner);
    }
  };

  const renewOnce = (owner: TokenOwner, stored: StoredGrant, refreshToken: string): Promise<OAuthGrant> => {
    const key = JSON.stringify(stored.holder);
    const running = renewals.get(key);
    if (running) return running;
    const renewal = renewGrant(owner, stored, refreshToken).finally(() => renewals.delete(key));
    renewals.set(key, renewal);
    return renewal;
  };

  const storedGrantOf = async (owner: TokenOwner): Promise<StoredGrant> => {
    const holder = holderOf(deps, owner);
    await renewals.get(JSON.stringify(holder))?.catch(() => undefined);
    const stored = await deps.grants.find(holder);
    if (!stored) refuseUnauthorised(owner);
    return stored;
  };

  return {
    async find(owner) {
      const stored = await storedGrantOf(owner);
      const { expires, refreshToken } = stored.grant;
      const left = expires === undefined ? Infinity : expires.getTime() - deps.now().getTime();
      if (left > RENEW_BEFORE_END_MS) return accessOf(owner, stored.grant);
      if (refreshToken !== undefined) return accessOf(owner, await renewOnce(owner, stored, refreshToken));
      if (left <= 0) refuseUnauthorised(owner);
      return accessOf(owner, stored.grant);
    },
    async renew(owner, used) {
      const stored = await storedGrantOf(owner);
      if (stored.grant.accessToken !== used.accessToken) return accessOf(owner, stored.grant);
      const { refreshToken } = stored.grant;
      return refreshToken === undefined ? undefined : accessOf(owner, await renewOnce(owner, stored, refreshToken));
    },
  };
};
