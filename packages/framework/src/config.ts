import { SECRETS_KEY } from "@parley/database";

/** What the environment says; undefined where it says nothing. */
export const secretsKey = (env: NodeJS.ProcessEnv = process.env): string | undefined => env[SECRETS_KEY] || undefined;
