import { LOG_FORMATS, LOG_LEVELS, type LogFormat, type LogLevel } from "@parley/telemetry";
import { urlOf, type Environment, type EnvironmentVariable } from "@parley/contract";
import { resolve } from "node:path";
import { CommandFailure } from "./failure.ts";

export interface ParleyConfig {
  /** 0: any free port. */
  readonly servicePort: number;
  readonly appPort: number;
  /** Port of the demo shop. */
  readonly shopPort: number;
  /** Whether the port was set explicitly. */
  readonly isServicePortExplicit: boolean;
  readonly isAppPortExplicit: boolean;
  readonly isShopPortExplicit: boolean;
  /** Absolute path. */
  readonly dataFolder: string;
  readonly databaseUrl: string | undefined;
  /** Key of the routes under /admin; undefined: the key file of the data folder is used. */
  readonly adminKey: string | undefined;
  /** Origin of all published apps in browsers; undefined: a name of this machine. */
  readonly appsUrl: string | undefined;
  /** Origin at which the service reaches the platform; undefined: this machine. */
  readonly platformUrl: string | undefined;
  /** Origin at which the platform reaches the service; undefined: this machine. */
  readonly serviceUrl: string | undefined;
  /** Whether the pages of app hosts need a signed-in agent. */
  readonly isAppSignInRequired: boolean;
  /** How long requests are served after SIGTERM. @units milliseconds */
  readonly stopDelayMs: number;
  /** Port of the metrics; undefined: metrics are not served. 0: any free port. */
  readonly metricsPort: number | undefined;
}

interface LogSettings {
  readonly format: LogFormat;
  /** Less severe lines are not written. */
  readonly level: LogLevel;
}

/** Default data folder, relative to the current folder. */
export const DATA_FOLDER = ".parley";

const port = (name: EnvironmentVariable, value: string | undefined, defaultPort: number): number => {
  if (value === undefined || value === "") return defaultPort;
  const number = /^\d{1,5}$/.test(value) ? Number(value) : NaN;
  if (!(number <= 65_535))
    throw new CommandFailure(`${name} must be a port number from 0 to 65535 (0: any free port), not '${value}'.`);
  return number;
};

/** Longest delay of a stop: supervisors kill a process that takes much longer. @units seconds */
const STOP_DELAY_MAX = 300;

const seconds = (name: EnvironmentVariable, value: string | undefined): number => {
  if (value === undefined || value === "") return 0;
  const number = /^\d{1,3}$/.test(value) ? Number(value) : NaN;
  if (!(number <= STOP_DELAY_MAX))
    throw new CommandFailure(`${name} must be a whole number of seconds from 0 to ${STOP_DELAY_MAX}, not '${value}'.`);
  return number;
};

const databaseUrl = (value: string | undefined): string | undefined => {
  if (value === undefined || value === "") return undefined;
  if (!/^postgres(ql)?:\/\//.test(value))
    throw new CommandFailure(
      "DATABASE_URL must begin with postgres:// or postgresql://. Leave it unset to use the embedded PostgreSQL.",
    );
  return value;
};

/** @errors CommandFailure for anything but an origin */
const originSetting = (name: EnvironmentVariable, value: string | undefined): string | undefined => {
  if (value === undefined || value === "") return undefined;
  const text = value.replace(/\/$/, "");
  const url = /^https?:\/\//.test(text) ? urlOf(text) : undefined;
  if (url && url.origin === text.toLowerCase()) return url.origin;
  throw new CommandFailure(
    `${name} must be an http or https address without a path, such as https://apps.example.com, not '${value}'.`,
  );
};

/** Minimum length of an admin key; shorter keys could be guessed. @units characters */
const ADMIN_KEY_LENGTH_MIN = 32;

const adminKey = (value: string | undefined): string | undefined => {
  if (value === undefined || value === "") return undefined;
  if (/^[\x21-\x7e]+$/.test(value) && value.length >= ADMIN_KEY_LENGTH_MIN) return value;
  throw new CommandFailure(`PARLEY_ADMIN_KEY must have at least ${ADMIN_KEY_LENGTH_MIN} characters and no spaces.`);
};

const isOn = (name: EnvironmentVariable, value: string | undefined): boolean => {
  if (value === undefined || value === "" || value === "off") return false;
  if (value === "on") return true;
  throw new CommandFailure(`${name} must be on or off, not '${value}'.`);
};

/** @errors CommandFailure that lists the valid words */
const wordSetting = <T extends string>(
  name: EnvironmentVariable,
  value: string | undefined,
  words: readonly [T, ...T[]],
): T => {
  if (value === undefined || value === "") return words[0];
  const word = words.find((each) => each === value);
  if (word !== undefined) return word;
  throw new CommandFailure(`${name} must be ${words.slice(0, -1).join(", ")} or ${words.at(-1)}, not '${value}'.`);
};

/**
 * Reads and validates the settings of a start.
 * @errors CommandFailure that names the variable and its valid values
 */
export const parleyConfig = (env: Environment = process.env, folder: string = process.cwd()): ParleyConfig => ({
  servicePort: port("PARLEY_SERVICE_PORT", env["PARLEY_SERVICE_PORT"], 10_002),
  appPort: port("PARLEY_APP_PORT", env["PARLEY_APP_PORT"], 10_001),
  shopPort: port("PARLEY_SHOP_PORT", env["PARLEY_SHOP_PORT"], 10_003),
  isServicePortExplicit: Boolean(env["PARLEY_SERVICE_PORT"]),
  isAppPortExplicit: Boolean(env["PARLEY_APP_PORT"]),
  isShopPortExplicit: Boolean(env["PARLEY_SHOP_PORT"]),
  dataFolder: resolve(folder, env["PARLEY_DATA"] || DATA_FOLDER),
  databaseUrl: databaseUrl(env["DATABASE_URL"]),
  adminKey: adminKey(env["PARLEY_ADMIN_KEY"]),
  appsUrl: originSetting("PARLEY_APPS_URL", env["PARLEY_APPS_URL"]),
  platformUrl: originSetting("PARLEY_PLATFORM_URL", env["PARLEY_PLATFORM_URL"]),
  serviceUrl: originSetting("PARLEY_SERVICE_URL", env["PARLEY_SERVICE_URL"]),
  isAppSignInRequired: isOn("PARLEY_APP_SIGN_IN", env["PARLEY_APP_SIGN_IN"]),
  stopDelayMs: 1_000 * seconds("PARLEY_STOP_DELAY_SECONDS", env["PARLEY_STOP_DELAY_SECONDS"]),
  metricsPort: env["PARLEY_METRICS_PORT"] ? port("PARLEY_METRICS_PORT", env["PARLEY_METRICS_PORT"], 0) : undefined,
});

/** How the log of the process is written. @errors CommandFailure that names the variable and its valid values */
export const logSettings = (env: Environment = process.env): LogSettings => ({
  format: wordSetting("PARLEY_LOG_FORMAT", env["PARLEY_LOG_FORMAT"], LOG_FORMATS),
  level: wordSetting("PARLEY_LOG_LEVEL", env["PARLEY_LOG_LEVEL"], LOG_LEVELS),
});

/** Environment of a child process. */
export const inheritedEnvironment = (
  { nodeOptions, ...more }: Readonly<Record<string, string>> & { readonly nodeOptions: string },
  env: NodeJS.ProcessEnv = process.env,
): NodeJS.ProcessEnv => ({
  ...env,
  ...more,
  NODE_OPTIONS: [env["NODE_OPTIONS"], nodeOptions].filter(Boolean).join(" "),
});
