import Type, { type Static } from "typebox";

const Text = Type.String({ minLength: 1 });

/** One way to be let in by somebody else's account: the authorisation code flow. */
export const OAuthIntegration = Type.Object(
  {
    display_name: Type.Optional(Text),
    client_id: Text,
    client_secret: Text,
    authorize_url: Text,
    token_url: Text,
    options: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    /** `account`: one token an installation; `agent`: one for each agent. */
    token_type: Type.Optional(Type.Enum(["account", "agent"])),
    oauth_iparams: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
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
