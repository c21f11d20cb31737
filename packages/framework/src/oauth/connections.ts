import type { OAuthConfig } from "@parley/contract";
import type { Ports } from "../ports.ts";
import type { Grants } from "./grants.ts";
import { authorizePath, displayName } from "./integration.ts";

/** An integration of `config/oauth_config.json`, as a person sees it. */
export interface Connection {
  readonly name: string;
  readonly displayName: string;
  readonly tokenType: "account" | "agent";
  /** Whether a token is kept, and of use. */
  readonly authorized: boolean;
  /** Address of this host that begins the authorisation: the page links to it. */
  readonly authorizePath: string;
}

export interface Connections {
  /** Empty for an app without OAuth. Connections of agents are authorised for the one who is named. */
  list(agent?: string): Promise<readonly Connection[]>;
}

export interface ConnectionsDeps {
  readonly config: () => OAuthConfig | undefined;
  readonly grants: Grants;
  readonly account: () => Promise<string>;
  readonly now: Ports["now"];
  /** Name of the app. */
  readonly app: string;
}

export const connections = (deps: ConnectionsDeps): Connections => ({
  async list(agent) {
    const account = await deps.account();
    return Promise.all(
      Object.entries(deps.config()?.integrations ?? {}).map(async ([name, integration]) => {
        const tokenType = integration.token_type ?? "account";
        const whose = tokenType === "agent" ? agent : "";
        const kept =
          whose === undefined
            ? undefined
            : await deps.grants.find({ project: deps.app, account, integration: name, agent: whose });
        const { refreshToken, expires } = kept?.grant ?? {};
        return {
          name,
          displayName: displayName(name, integration),
          tokenType,
          authorized:
            kept !== undefined && (refreshToken !== undefined || expires === undefined || expires > deps.now()),
          authorizePath: authorizePath(name, tokenType === "agent" ? agent : undefined),
        };
      }),
    );
  },
});
