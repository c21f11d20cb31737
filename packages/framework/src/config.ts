import { SECRETS_KEY } from "@parley/database";

/** Folders of the system's programs. */
export const searchPath = (env: NodeJS.ProcessEnv = process.env): string => env["PATH"] ?? "";

/** What the environment says; undefined where it says nothing. */
export const secretsKey = (env: NodeJS.ProcessEnv = process.env): string | undefined => env[SECRETS_KEY] || undefined;
