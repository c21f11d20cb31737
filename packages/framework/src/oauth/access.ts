import type { OAuthIntegration } from "@parley/contract";

/** Whose token is asked for. */
export interface Whose {
  /** Of the integration. */
  readonly name: string;
  readonly integration: OAuthIntegration;
  /** The app's installation; undefined before there is one. */
  readonly account: string | undefined;
  /** Counts for tokens of an agent only. */
  readonly agent: string | undefined;
}

/** What a request may use of an authorisation. */
export interface Access {
  /** For headers only. */
  readonly accessToken: string;
  /** Given before the authorisation, without secure ones. */
  readonly oauthIparams: Readonly<Record<string, string>>;
}

/** Tokens for the request method. */
export interface AccessTokens {
  /** Renewed before it ends. @errors RequestRejected: 401 without an authorisation, 502 and 504 where the provider doesn't answer */
  find(whose: Whose): Promise<Access>;
  /**
   * A newer one than `used`, which was refused.
   * -> undefined where the provider gave nothing to renew it with
   * @errors RequestRejected, as `find`
   */
  renew(whose: Whose, used: Access): Promise<Access | undefined>;
}
