/** An integration of `config/oauth_config.json`, as a person sees it. */
export interface Connection {
  readonly name: string;
  readonly displayName: string;
  readonly tokenType: "account" | "agent";
  /** Whether a token is kept. */
  readonly authorized: boolean;
  /** Address of this host that begins the authorisation: the page links to it. */
  readonly authorizePath: string;
}

export interface Connections {
  /** Empty for an app without OAuth. */
  list(agent?: string): Promise<readonly Connection[]>;
}
