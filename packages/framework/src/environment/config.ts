import type { Environment } from "@parley/contract";
import { SECRETS_KEY } from "@parley/database";

/** The operating system's executable search path. */
export const searchPath = (env: NodeJS.ProcessEnv = process.env): string => env["PATH"] ?? "";

/** Whether the operator accepts that packages run where the operating system does not isolate them. */
export const trustsApps = (env: Environment = process.env): boolean => env["PARLEY_TRUST_APPS"] === "1";

/** The key from the environment, or undefined if the variable is unset or empty. */
export const secretsKey = (env: Environment = process.env): string | undefined => env[SECRETS_KEY] || undefined;
