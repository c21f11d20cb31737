import { DURATION_UNITS_MS, type Environment, httpOriginOf, UsageFailure, wholeNumberSetting } from "@parley/contract";
import { isIP } from "node:net";
import { SESSION_RULES, type SessionRules } from "../../http/session-rules.ts";

const AGE_DAYS_MAX = 365;
const IDLE_HOURS_MAX = 8_760;

/** Reads the bounds of sessions. @errors UsageFailure with the name and the range of the variable */
export const sessionRules = (env: Environment = process.env): SessionRules => {
  const days = wholeNumberSetting(env, "PARLEY_SESSION_DAYS", { min: 1, max: AGE_DAYS_MAX, unit: "of days" });
  const hours = wholeNumberSetting(env, "PARLEY_SESSION_IDLE_HOURS", { min: 1, max: IDLE_HOURS_MAX, unit: "of hours" });
  return {
    maxAgeMs: days === undefined ? SESSION_RULES.maxAgeMs : days * DURATION_UNITS_MS.d,
    maxIdleMs: hours === undefined ? SESSION_RULES.maxIdleMs : hours * DURATION_UNITS_MS.h,
  };
};

/**
 * Reads the origin below which apps have host names.
 * @errors UsageFailure for anything but an origin with a host name, below which there can be others
 */
export const appsUrl = (env: Environment = process.env): string | undefined => {
  const text = env["PARLEY_APPS_URL"];
  if (text === undefined || text === "") return undefined;
  const origin = httpOriginOf(text);
  const hostname = origin === undefined ? "" : new URL(origin).hostname;
  if (origin !== undefined && isIP(hostname.replace(/^\[(.*)\]$/, "$1")) === 0 && !hostname.endsWith("."))
    return origin;
  throw new UsageFailure(
    "PARLEY_APPS_URL must be an http or https address with a host name and without a path, such as " +
      `https://apps.example.com, not '${text}'.`,
  );
};
