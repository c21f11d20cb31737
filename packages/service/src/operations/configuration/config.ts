import {
  type Environment,
  type EnvironmentVariable,
  httpOriginOf,
  UsageFailure,
  wholeNumberSetting,
} from "@parley/contract";
import { SECRETS_KEY } from "@parley/database";
import { eventsConfig, type EventsConfig } from "../../events/dispatch/config.ts";
import { outboundConfig, type OutboundConfig } from "../../messaging/outbound/config.ts";
import { reportConfig, type ReportConfig } from "../../console/reporting/reports/config.ts";
import { objectsConfig, type ObjectsConfig } from "../../base/objects/config.ts";
import { mailConfig, type MailConfig } from "../../identity/mail/config.ts";
import { trustedProxies } from "../../identity/edge/trusted-proxies.ts";
import { auditLogDays } from "../../identity/audit/config.ts";
import { appsUrl, sessionRules } from "../../identity/authentication/config.ts";
import type { SessionRules } from "../../http/session-rules.ts";
import { webhookConfig, type WebhookConfig } from "../../events/webhooks/config.ts";

/** The service's settings from environment variables. */
export interface ServiceConfig {
  /** Calls per account and hour, for all plans; undefined: the default of the plan. */
  readonly callsPerHour?: number | undefined;
  /** Hosts of accounts are `<account>.<domain>`. */
  readonly domain?: string | undefined;
  /** The host for outbound messages. */
  readonly outboundHost?: string | undefined;
  /** The provider of outbound messages; undefined: the sandbox. */
  readonly outbound?: OutboundConfig | undefined;
  /** Where uploads and reports are kept; a folder of the data folder when absent. */
  readonly objects?: ObjectsConfig | undefined;
  /** Origin of addresses in replies, such as `https://chat.example.com`; undefined: the origin of the request. */
  readonly publicUrl?: string | undefined;
  /** Origins whose pages may call the API from a browser; no origins when absent. */
  readonly corsOrigins?: readonly string[] | undefined;
  /** Lifetime of the address of an upload; 7 days when absent. @units seconds */
  readonly addressSeconds?: number | undefined;
  readonly reports?: ReportConfig | undefined;
  readonly events?: EventsConfig | undefined;
  readonly webhooks?: WebhookConfig | undefined;
  /** Bounds of agents' sessions; defaults when absent. */
  readonly sessions?: SessionRules | undefined;
  /** Origin below which apps have host names; that of a local platform when absent. */
  readonly appsUrl?: string | undefined;
  /** Days for which entries of the audit log are kept; the default when absent. */
  readonly auditLogDays?: number | undefined;
  /** Addresses of proxies whose X-Forwarded-For header is trusted; no addresses when absent. */
  readonly trustedProxies?: readonly string[] | undefined;
  /** The mail server; undefined: no e-mail is sent. */
  readonly mail?: MailConfig | undefined;
  /** Encryption key of secrets, as hex digits; undefined: a key file. */
  readonly secretsKey?: string | undefined;
}

/** The maximum of the table's column. */
const CALLS_PER_HOUR_MAX = 1_000_000_000;

/** @errors UsageFailure for anything but an origin: a path would be dropped, and a query would conflict with that of the signature */
const publicUrl = (text: string | undefined): string | undefined => {
  if (text === undefined || text === "") return undefined;
  const origin = httpOriginOf(text);
  if (origin !== undefined) return origin;
  throw new UsageFailure(
    "PARLEY_PUBLIC_URL must be the http or https address that this service is reached at, without a path, such as " +
      `https://chat.example.com, not '${text}'.`,
  );
};

/** @errors UsageFailure for a list with anything but origins */
const corsOrigins = (text: string | undefined): readonly string[] | undefined => {
  if (text === undefined || text === "") return undefined;
  return text.split(",").map((part) => {
    const origin = httpOriginOf(part.trim());
    if (origin !== undefined) return origin;
    throw new UsageFailure(
      "PARLEY_CORS_ORIGINS must be origins with commas between, such as https://app.example.com,http://localhost:3000, " +
        `not '${part.trim()}'.`,
    );
  });
};

const DAY_S = 24 * 60 * 60;
/** Addresses with a longer lifetime would be practically public. */
const ADDRESS_DAYS_MAX = 365;

const addressSeconds = (env: Environment): number | undefined => {
  const days = wholeNumberSetting(env, "PARLEY_ADDRESS_DAYS", { min: 1, max: ADDRESS_DAYS_MAX, unit: "of days" });
  return days && days * DAY_S;
};

const LABELS = /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/i;

const hostName = (env: Environment, name: EnvironmentVariable): string | undefined => {
  const text = env[name];
  if (text === undefined || text === "") return undefined;
  if (LABELS.test(text)) return text.toLowerCase();
  throw new UsageFailure(
    `${name} must be a host name such as chat.example.com, without scheme and port, not '${text}'.`,
  );
};

/** Reads and checks the settings. @errors UsageFailure with the name and the allowed values of the variable */
export const serviceConfig = (env: Environment = process.env): ServiceConfig => ({
  callsPerHour: wholeNumberSetting(env, "PARLEY_CALLS_PER_HOUR", { min: 1, max: CALLS_PER_HOUR_MAX }),
  domain: hostName(env, "PARLEY_DOMAIN"),
  outboundHost: hostName(env, "PARLEY_OUTBOUND_HOST"),
  outbound: outboundConfig(env),
  objects: objectsConfig(env),
  publicUrl: publicUrl(env["PARLEY_PUBLIC_URL"]),
  corsOrigins: corsOrigins(env["PARLEY_CORS_ORIGINS"]),
  addressSeconds: addressSeconds(env),
  reports: reportConfig(env),
  events: eventsConfig(env),
  webhooks: webhookConfig(env),
  sessions: sessionRules(env),
  appsUrl: appsUrl(env),
  auditLogDays: auditLogDays(env),
  trustedProxies: trustedProxies(env["PARLEY_TRUSTED_PROXIES"]),
  mail: mailConfig(env),
  secretsKey: env[SECRETS_KEY] || undefined,
});
