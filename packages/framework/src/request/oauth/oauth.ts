import type { AccessTokens } from "../request-method.ts";
import { createAuthorization, type Authorization, type AuthorizationDeps } from "./authorization.ts";
import { createConnections, type OAuthConnections } from "./connections.ts";
import { createGrants } from "./grants.ts";
import type { OAuthTokenStore } from "./store.ts";
import { createAccessTokens } from "./tokens.ts";
import type { Vault } from "../../installation/secret-vault.ts";

interface OAuthDeps extends Omit<AuthorizationDeps, "grants"> {
  readonly store: OAuthTokenStore;
  readonly vault: Vault;
}

/** OAuth of an app: access tokens, connections and the authorisation flow. */
export interface OAuth {
  readonly tokens: AccessTokens;
  readonly connections: OAuthConnections;
  readonly authorization: Authorization;
}

export const createOAuth = (deps: OAuthDeps): OAuth => {
  const { now } = deps.ports;
  const grants = createGrants({ ...deps, now });
  return {
    tokens: createAccessTokens({ ...deps, now, grants: grants }),
    connections: createConnections({ ...deps, now, grants: grants }),
    authorization: createAuthorization({ ...deps, grants: grants }),
  };
};
