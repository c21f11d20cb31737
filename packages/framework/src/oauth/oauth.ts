import type { AccessTokens } from "./access.ts";
import { authorization, type Authorization, type AuthorizationDeps } from "./authorization.ts";
import { connections, type Connections } from "./connections.ts";
import { grants } from "./grants.ts";
import type { TokenStore } from "./store.ts";
import { accessTokens } from "./tokens.ts";
import type { Vault } from "../install/vault.ts";

export interface OAuthDeps extends Omit<AuthorizationDeps, "grants"> {
  readonly store: TokenStore;
  readonly vault: Vault;
}

/** An app's ways into other accounts. */
export interface OAuth {
  readonly tokens: AccessTokens;
  readonly connections: Connections;
  readonly authorization: Authorization;
}

export const oauth = (deps: OAuthDeps): OAuth => {
  const { now } = deps.ports;
  const kept = grants({ ...deps, now });
  return {
    tokens: accessTokens({ ...deps, now, grants: kept }),
    connections: connections({ ...deps, now, grants: kept }),
    authorization: authorization({ ...deps, grants: kept }),
  };
};
