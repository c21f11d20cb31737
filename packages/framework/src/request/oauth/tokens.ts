import type { Egress } from "@parley/egress";
import type { HostPorts } from "../../environment/ports.ts";
import { requestRejected, type OAuthAccess, type AccessTokens, type TokenOwner } from "../request-method.ts";
import { substituteOrReject } from "../sources.ts";
import { exchangeToken, TokenExchangeFailed, type IssuedTokens } from "./exchange.ts";
import type { OAuthGrant, OAuthGrants, StoredGrant } from "./grants.ts";
import { authorizePath, oauthClientOf, displayName, openIparams } from "./integration.ts";
import type { TokenHolder } from "./store.ts";

interface TokensDeps {
  readonly grants: OAuthGrants;
  readonly egress: Pick<Egress, "send">;
  readonly now: HostPorts["now"];
  /** Name of the app. */
  readonly app: string;
  readonly log: (line: string) => void;
}

/** A token is renewed if it expires within this time. @units milliseconds */
const renewBeforeEndMs = 60_000;

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
const holderOf = (app: string, { name, integration, account = "", agent }: TokenOwner): TokenHolder => {
  const isAgents = integration.token_type === "agent";
  if (isAgents && !agent)
    throw requestRejected(401, `${displayName(name, integration)} is authorised by each agent, and no agent asks here`);
  return { project: app, account, integration: name, agent: isAgents && agent ? agent : "" };
};

export const createAccessTokens = (deps: TokensDeps): AccessTokens => {
  const { app } = deps;
  /** Renewals in progress, shared by concurrent callers. */
  const renewals = new Map<string, Promise<OAuthGrant>>();

  const unauthorised = ({ name, integration, agent }: TokenOwner) =>
    requestRejected(
      401,
      `Not authorised for ${displayName(name, integration)}: authorise it again at ${authorizePath(name, agent)}`,
    );
  const accessOf = ({ integration }: TokenOwner, { accessToken, oauthIparams }: OAuthGrant): OAuthAccess => ({
    accessToken,
    oauthIparams: openIparams(integration, oauthIparams),
  });

  const renewGrant = async (whose: TokenOwner, stale: StoredGrant, refreshToken: string): Promise<OAuthGrant> => {
    // Another renewal may have completed since the grant was read, and a refresh token can be used only once.
    const kept = await deps.grants.find(stale.holder);
    if (!kept) throw unauthorised(whose);
    if (kept.grant.accessToken !== stale.grant.accessToken) return kept.grant;
    const client = substituteOrReject(() => oauthClientOf(whose.integration, kept.grant.oauthIparams));
    try {
      const issued = await exchangeToken(deps.egress, client, {
        grant_type: "refresh_token",
        refresh_token: refreshToken,
      });
      const grant = grantOf(issued, kept.grant, deps.now());
      await deps.grants.replace(kept, grant);
      return grant;
    } catch (error) {
      if (!(error instanceof TokenExchangeFailed)) throw error;
      deps.log(`error: The token for ${whose.name} could not be renewed: ${error.message}`);
      if (error.status !== 401) throw requestRejected(error.status, error.message);
      if (REVOKED_ERRORS.includes(error.code)) await deps.grants.remove(kept);
      throw unauthorised(whose);
    }
  };

  const renewOnce = (whose: TokenOwner, kept: StoredGrant, refreshToken: string): Promise<OAuthGrant> => {
    const key = JSON.stringify(kept.holder);
    const running = renewals.get(key);
    if (running) return running;
    const renewal = renewGrant(whose, kept, refreshToken).finally(() => renewals.delete(key));
    renewals.set(key, renewal);
    return renewal;
  };

  const storedGrantOf = async (whose: TokenOwner): Promise<StoredGrant> => {
    const holder = holderOf(app, whose);
    await renewals.get(JSON.stringify(holder))?.catch(() => undefined);
    const kept = await deps.grants.find(holder);
    if (!kept) throw unauthorised(whose);
    return kept;
  };

  return {
    async find(whose) {
      const kept = await storedGrantOf(whose);
      const { expires, refreshToken } = kept.grant;
      const left = expires === undefined ? Infinity : expires.getTime() - deps.now().getTime();
      if (left > renewBeforeEndMs) return accessOf(whose, kept.grant);
      if (refreshToken !== undefined) return accessOf(whose, await renewOnce(whose, kept, refreshToken));
      if (left <= 0) throw unauthorised(whose);
      return accessOf(whose, kept.grant);
    },
    async renew(whose, used) {
      const kept = await storedGrantOf(whose);
      if (kept.grant.accessToken !== used.accessToken) return accessOf(whose, kept.grant);
      const { refreshToken } = kept.grant;
      return refreshToken === undefined ? undefined : accessOf(whose, await renewOnce(whose, kept, refreshToken));
    },
  };
};
