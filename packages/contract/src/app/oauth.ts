import Type, { type Static } from "typebox";

const Text = Type.String({ minLength: 1 });

/** A parameter that a person is asked for before an authorisation begins. */
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
 * One way to be let in by somebody else's account: the authorisation code flow. Text between `<%=` and `%>` is filled in from
 * `oauth_iparams`.
 * @shape client_id, client_secret: may be empty in a file that is shared; they are needed when an authorisation begins
 */
export const OAuthIntegration = Type.Object(
  {
    display_name: Type.Optional(Text),
    client_id: Type.String(),
    client_secret: Type.Optional(Type.String()),
    authorize_url: Text,
    token_url: Text,
    /**
     * Texts go along in the address of the authorisation, but for the host's own settings: `pkce: true` sends a proof of the one who
     * asks (so does `code_challenge_method: "S256"`), `redirect_uri` or `redirect_uris` name the address of this host that the
     * provider knows.
     */
    options: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    /** `account`: one token an installation; `agent`: one for each agent. Default: account. */
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
