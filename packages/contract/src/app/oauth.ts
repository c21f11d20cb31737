import Type, { type Static } from "typebox";

const Text = Type.String({ minLength: 1 });

/** A parameter that the user fills in before the authorisation starts. */
export const OAuthIparam = Type.Object(
  {
    display_name: Text,
    type: Text,
    description: Type.Optional(Type.String()),
    required: Type.Optional(Type.Boolean()),
    secure: Type.Optional(Type.Boolean()),
    options: Type.Optional(Type.Array(Text)),
    default_value: Type.Optional(Type.String()),
  },
  { title: "OAuthIparam" },
);
export type OAuthIparam = Static<typeof OAuthIparam>;

/**
 * An OAuth provider that the app is authorised at, by the authorisation code flow. `<%= … %>` placeholders are filled in from
 * `oauth_iparams`.
 * @shape client_id, client_secret: may be empty in a shared file; they are required when an authorisation starts
 */
export const OAuthIntegration = Type.Object(
  {
    display_name: Type.Optional(Text),
    client_id: Type.String(),
    client_secret: Type.Optional(Type.String()),
    authorize_url: Text,
    token_url: Text,
    /**
     * String values are added to the authorisation URL, except for the host's own settings: `pkce: true` enables PKCE (so does
     * `code_challenge_method: "S256"`); `redirect_uri` or `redirect_uris` name the redirect URI of this host that is registered at the
     * provider.
     */
    options: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    /** `account`: one token per installation; `agent`: one token per agent. Default: account. */
    token_type: Type.Optional(Type.Enum(["account", "agent"])),
    oauth_iparams: Type.Optional(Type.Record(Type.String(), OAuthIparam)),
  },
  { title: "OAuthIntegration" },
);
export type OAuthIntegration = Static<typeof OAuthIntegration>;

/** `config/oauth_config.json`. */
export const OAuthConfig = Type.Object(
  { integrations: Type.Record(Type.String(), OAuthIntegration) },
  { title: "OAuthConfig" },
);
export type OAuthConfig = Static<typeof OAuthConfig>;
