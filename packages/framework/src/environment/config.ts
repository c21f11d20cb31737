import type { Environment } from "@parley/contract";
import { SECRETS_KEY } from "@parley/database";

/** Folders of the system's programs. */
export const searchPath = (env: NodeJS.ProcessEnv = process.env): string => env["PATH"] ?? "";

/** Whether the operator accepts that packages run where the operating system does not isolate them. */
export const trustsApps = (env: Environment = process.env): boolean => env["PARLEY_TRUST_APPS"] === "1";

/** What the environment says; undefined where it says nothing. */
export const secretsKey = (env: Environment = process.env): string | undefined => env[SECRETS_KEY] || undefined;
