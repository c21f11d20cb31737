/** Name of the variable that holds the key of the secure parameters: 32 bytes, as 64 hex digits. */
export const SECRETS_KEY = "PARLEY_SECRETS_KEY";

/** What the environment says; undefined where it says nothing. */
export const secretsKey = (env: NodeJS.ProcessEnv = process.env): string | undefined => env[SECRETS_KEY] || undefined;
