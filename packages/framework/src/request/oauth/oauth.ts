import type { AccessTokens } from "../request-method.ts";
import { createAuthorization, type Authorization, type AuthorizationDeps } from "./authorization.ts";
import { createGrants, type OAuthGrants, createAccessTokens } from "./tokens.ts";
import type { OAuthTokenStore } from "../../state/oauth-tokens.sql.ts";
import { refuseCall } from "../../model/app-refused.ts";
import type { OAuthConfig } from "@parley/contract";
import type { Vault } from "@parley/database";
import type { HostPorts } from "../../environment/ports.ts";
import { authorizePath, displayName } from "./integration.ts";

/** An integration of `config/oauth_config.json`, for display. */
export interface OAuthConnection {
  readonly name: string;
  readonly displayName: string;
  readonly tokenType: "account" | "agent";
  /** Whether a usable token is stored. */
  readonly authorized: boolean;
  /** Path on this host that starts the authorisation; the page links to it. */
  readonly authorizePath: string;
}

export interface OAuthConnections {
  /** Empty for an app without OAuth. `agent` selects whose authorisation is reported for connections that belong to agents. */
  list(agent?: string): Promise<readonly OAuthConnection[]>;
}

interface ConnectionsDeps {
  readonly config: () => OAuthConfig | undefined;
  readonly grants: OAuthGrants;
  /** Name of the account. */
  readonly account: string;
  readonly now: HostPorts["now"];
  /** Name of the app. */
  readonly app: string;
}

const createConnections = (deps: ConnectionsDeps): OAuthConnections => ({
  async list(agent) {
    const { account } = deps;
    return Promise.all(
      Object.entries(deps.config()?.integrations ?? {}).map(async ([name, integration]) => {
        const tokenType = integration.token_type ?? "account";
        const agentId = tokenType === "agent" ? agent : "";
        const stored =
          agentId === undefined
            ? undefined
            : await deps.grants.find({ project: deps.app, account, integration: name, agent: agentId });
        const { refreshToken, expires } = stored?.grant ?? {};
        return {
          name,
          displayName: displayName(name, integration),
          tokenType,
          authorized:
            stored !== undefined && (refreshToken !== undefined || expires === undefined || expires > deps.now()),
          authorizePath: authorizePath(name, tokenType === "agent" ? agent : undefined),
        };
      }),
    );
  },
});

/** Name of the only account: an integration is authorised for one account at a time. */
const DEFAULT_ACCOUNT = "default";

/**
 * `$credentials.oauth({ version: "v1" }).get({ oauthName })`: the accounts for which an integration is authorised. The result contains no token.
 * @assumed Persons do not name accounts here, so that the account is called `default`.
 * @errors AppRefused
 */
export const credentialsOf =
  ({ list }: Pick<OAuthConnections, "list">) =>
  async (name: unknown): Promise<{ readonly results: readonly { readonly account_name: string }[] }> => {
    const all = await list();
    const found = all.find((connection) => connection.name === name);
    if (!found) {
      const names = all.map((connection) => connection.name).join(", ") || "none";
      refuseCall(
        404,
        `oauthName must name an integration of config/oauth_config.json (${names}); it was ${JSON.stringify(name)}`,
      );
    }
    return { results: found.authorized ? [{ account_name: DEFAULT_ACCOUNT }] : [] };
  };

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
