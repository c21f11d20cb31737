import { type Environment, wholeNumberSetting } from "@parley/contract";

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

const REPORTS_MAX = 1_000_000;
/** Deleted data remains in the files of reports for no longer than this. */
const RETENTION_DAYS_MAX = 90;

/** @errors UsageFailure with the name and the range of the variable */
export const reportConfig = (env: Environment = process.env): ReportConfig => ({
  perMinute:
    wholeNumberSetting(env, "PARLEY_REPORTS_PER_MINUTE", { min: 1, max: REPORTS_MAX }) ?? REPORT_CONFIG.perMinute,
  perDay: wholeNumberSetting(env, "PARLEY_REPORTS_PER_DAY", { min: 1, max: REPORTS_MAX }) ?? REPORT_CONFIG.perDay,
  days: wholeNumberSetting(env, "PARLEY_REPORT_DAYS", { min: 1, max: RETENTION_DAYS_MAX }) ?? REPORT_CONFIG.days,
});
