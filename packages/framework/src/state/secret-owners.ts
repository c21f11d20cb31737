/** Primary key of a stored token of an integration. */
export type OAuthTokenKey = Readonly<Record<"project" | "account" | "integration" | "agent", string>>;

/** Encryption context of a secure parameter of an installation. @shape id: id of the installation */
export const secureIparamOwner = (id: string, key: string): string => `${id}/${key}`;

/** Encryption context of an app setting. */
export const appSettingOwner = (app: string, key: string): string => `app_settings/${app}/${key}`;

/** Encryption context of an OAuth token. */
export const oauthTokenOwner = ({ project, account, integration, agent }: OAuthTokenKey): string =>
  JSON.stringify(["oauth", project, account, integration, agent]);

/** Encryption context of the secret part of a URL of generateTargetUrl. */
export const targetOwner = (app: string, account: string): string => JSON.stringify(["target", app, account]);

/** Purpose for which the secret part of a URL is derived that was created before it was stored. */
export const targetPurpose = (app: string, account: string, salt: string): string =>
  ["target", app, account, ...(salt ? [salt] : [])].join("/");
