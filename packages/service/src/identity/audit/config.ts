import { type Environment, wholeNumberSetting } from "@parley/contract";

/** Ten years. */
const DAYS_MAX = 3_650;

/** Days for which entries are kept; undefined: the default. @errors UsageFailure with the name and the range of the variable */
export const auditLogDays = (env: Environment = process.env): number | undefined =>
  wholeNumberSetting(env, "PARLEY_AUDIT_LOG_DAYS", { min: 1, max: DAYS_MAX, unit: "of days" });
