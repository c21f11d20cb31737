import type { Egress } from "@parley/egress";
import type { Ports } from "../ports.ts";
import { refused } from "../request/request-method.ts";
import { substituted } from "../request/sources.ts";
import type { Access, AccessTokens, Whose } from "./access.ts";
import { exchange, ExchangeFailed, type Issued } from "./exchange.ts";
import type { Grant, Grants, Kept } from "./grants.ts";
import { authorizePath, clientOf, displayName, openIparams } from "./integration.ts";
import type { Holder } from "./store.ts";

export interface TokensDeps {
  readonly grants: Grants;
  readonly egress: Pick<Egress, "send">;
  readonly now: Ports["now"];
  /** Name of the app. */
  readonly app: string;
  readonly log: (line: string) => void;
}

/** A token this near its end is renewed first. @units milliseconds */
const NEAR_END = 60_000;

/** What providers say of a renewal that will never work again. */
const REVOKED = ["", "invalid_grant", "bad_refresh_token"];

/** A grant as it is kept, from what the provider gave; one that isn't renewed stays. */
export const grantOf = (issued: Issued, before: Pick<Grant, "refreshToken" | "oauthIparams">, now: Date): Grant => {
  const refreshToken = issued.refreshToken ?? before.refreshToken;
  return {
    accessToken: issued.accessToken,
    oauthIparams: before.oauthIparams,
    ...(refreshToken === undefined ? {} : { refreshToken }),
    ...(issued.expiresIn === undefined ? {} : { expires: new Date(now.getTime() + issued.expiresIn * 1_000) }),
  };
};

/** Whose token counts. @errors RequestRejected where a token belongs to an agent, and none asks */
export const holderOf = (app: string, { name, integration, account = "", agent }: Whose): Holder => {
  const isAgents = integration.token_type === "agent";
  if (isAgents && !agent)
    throw refused(401, `${displayName(name, integration)} is authorised by each agent, and no agent asks here`);
  return { project: app, account, integration: name, agent: isAgents && agent ? agent : "" };
};

export const accessTokens = (deps: TokensDeps): AccessTokens => {
  const { app } = deps;
  /** Renewals under way: whoever needs the same one waits for it. */
  const renewals = new Map<string, Promise<Grant>>();

  const unauthorised = ({ name, integration, agent }: Whose) =>
    refused(
      401,
      `Not authorised for ${displayName(name, integration)}: authorise it again at ${authorizePath(name, agent)}`,
    );
  const accessOf = ({ integration }: Whose, { accessToken, oauthIparams }: Grant): Access => ({
    accessToken,
    oauthIparams: openIparams(integration, oauthIparams),
  });

  const renewed = async (whose: Whose, stale: Kept, refreshToken: string): Promise<Grant> => {
    // Another renewal may have ended since it was read, and a provider takes each of its tokens once.
    const kept = await deps.grants.find(stale.holder);
    if (!kept) throw unauthorised(whose);
    if (kept.grant.accessToken !== stale.grant.accessToken) return kept.grant;
    const client = substituted(() => clientOf(whose.integration, kept.grant.oauthIparams));
    try {
      const issued = await exchange(deps.egress, client, { grant_type: "refresh_token", refresh_token: refreshToken });
      const grant = grantOf(issued, kept.grant, deps.now());
      await deps.grants.replace(kept, grant);
      return grant;
    } catch (error) {
      if (!(error instanceof ExchangeFailed)) throw error;
      deps.log(`error: The token for ${whose.name} could not be renewed: ${error.message}`);
      if (error.status !== 401) throw refused(error.status, error.message);
      if (REVOKED.includes(error.code)) await deps.grants.remove(kept);
      throw unauthorised(whose);
    }
  };

  const renewOnce = (whose: Whose, kept: Kept, refreshToken: string): Promise<Grant> => {
    const key = JSON.stringify(kept.holder);
    const running = renewals.get(key);
    if (running) return running;
    const renewal = renewed(whose, kept, refreshToken).finally(() => renewals.delete(key));
    renewals.set(key, renewal);
    return renewal;
  };

  const keptFor = async (whose: Whose): Promise<Kept> => {
    const holder = holderOf(app, whose);
    await renewals.get(JSON.stringify(holder))?.catch(() => undefined);
    const kept = await deps.grants.find(holder);
    if (!kept) throw unauthorised(whose);
    return kept;
  };

  return {
    async find(whose) {
      const kept = await keptFor(whose);
      const { expires, refreshToken } = kept.grant;
      const left = expires === undefined ? Infinity : expires.getTime() - deps.now().getTime();
      if (left > NEAR_END) return accessOf(whose, kept.grant);
      if (refreshToken !== undefined) return accessOf(whose, await renewOnce(whose, kept, refreshToken));
      if (left <= 0) throw unauthorised(whose);
      return accessOf(whose, kept.grant);
    },
    async renew(whose, used) {
      const kept = await keptFor(whose);
      if (kept.grant.accessToken !== used.accessToken) return accessOf(whose, kept.grant);
      const { refreshToken } = kept.grant;
      return refreshToken === undefined ? undefined : accessOf(whose, await renewOnce(whose, kept, refreshToken));
    },
  };
};
