import type { Environment, EnvironmentVariable } from "@parley/contract";
import { UsageFailure } from "../environment/usage-failure.ts";

/** Configuration of raw reports. */
export interface ReportConfig {
  /** Maximum reports of one event per account and minute. */
  readonly perMinute: number;
  /** Maximum reports of one event per account and 24 hours. */
  readonly perDay: number;
  /** Retention of a report. @units days */
  readonly days: number;
}

/** @spec Endpoints > Reports @assumed One report a minute and 120 a day for each event and account; a report is kept for seven days. */
export const REPORT_CONFIG: ReportConfig = { perMinute: 1, perDay: 120, days: 7 };

const MAX_REPORTS = 1_000_000;
/** Deleted data remains in the files of reports for no longer than this. */
const MAX_RETENTION_DAYS = 90;

const wholeNumber = (env: Environment, name: EnvironmentVariable, max: number, fallback: number): number => {
  const text = env[name];
  if (text === undefined || text === "") return fallback;
  const value = /^\d{1,7}$/.test(text) ? Number(text) : NaN;
  if (value >= 1 && value <= max) return value;
  throw new UsageFailure(`${name} must be a whole number from 1 to ${max}, not '${text}'.`);
};

/** @errors UsageFailure with the name and the range of the variable */
export const reportConfig = (env: Environment = process.env): ReportConfig => ({
  perMinute: wholeNumber(env, "PARLEY_REPORTS_PER_MINUTE", MAX_REPORTS, REPORT_CONFIG.perMinute),
  perDay: wholeNumber(env, "PARLEY_REPORTS_PER_DAY", MAX_REPORTS, REPORT_CONFIG.perDay),
  days: wholeNumber(env, "PARLEY_REPORT_DAYS", MAX_RETENTION_DAYS, REPORT_CONFIG.days),
});
