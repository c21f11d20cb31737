import { DURATION_UNITS_MS, type Environment } from "@parley/contract";
import { wholeNumberSetting } from "../environment/settings.ts";
import { SESSION_RULES, type SessionRules } from "./sessions/rules.ts";

const MAX_AGE_DAYS = 365;
const MAX_IDLE_HOURS = 8_760;

/** Reads the bounds of sessions. @errors UsageFailure with the name and the range of the variable */
export const sessionRules = (env: Environment = process.env): SessionRules => {
  const days = wholeNumberSetting(env, "PARLEY_SESSION_DAYS", { min: 1, max: MAX_AGE_DAYS, unit: "of days" });
  const hours = wholeNumberSetting(env, "PARLEY_SESSION_IDLE_HOURS", { min: 1, max: MAX_IDLE_HOURS, unit: "of hours" });
  return {
    maxAgeMs: days === undefined ? SESSION_RULES.maxAgeMs : days * DURATION_UNITS_MS.d,
    maxIdleMs: hours === undefined ? SESSION_RULES.maxIdleMs : hours * DURATION_UNITS_MS.h,
  };
};
