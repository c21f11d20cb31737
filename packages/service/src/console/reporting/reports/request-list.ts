import { REPORT_EVENTS, reportRequests, type ReportRequest, type ReportRules } from "@parley/contract";
import { defineRoutes } from "../../../http/route-handlers.ts";
import { isUuid } from "../../../http/uuid.ts";
import { REPORT_SPANS } from "./columns.ts";
import type { ReportConfig } from "./config.ts";
import { EVENT_REPORTS } from "./report-kinds.ts";
import { MONTHS_BACK } from "./report-period.ts";
import { ADDRESS_LIFETIME_S, reportStatus } from "./routes.ts";
import { DAY_MS, type ListedReportRow, type ReportStore } from "./store.ts";

const PAGE_SIZE = 50;

const rulesOf = ({ perMinute, perDay, days }: ReportConfig): ReportRules => ({
  per_minute: perMinute,
  per_day: perDay,
  kept_days: days,
  months_back: MONTHS_BACK,
  link_seconds: ADDRESS_LIFETIME_S,
  events: REPORT_EVENTS.map((event) => ({
    event,
    longest_range_seconds: REPORT_SPANS[EVENT_REPORTS[event].span].ms / 1_000,
  })),
});

const requestOf = (row: ListedReportRow, { days }: ReportConfig): ReportRequest => ({
  id: row.id,
  event: row.event,
  status: reportStatus(row.statuses),
  start: row.start_time.toISOString(),
  end: row.end_time.toISOString(),
  excludes_pii: row.without_pii,
  created_time: row.created_time.toISOString(),
  expires_time: new Date(row.created_time.getTime() + days * DAY_MS).toISOString(),
  files: row.statuses.length,
});

/** The endpoint of the console that lists requested reports. */
export const reportRequestRoutes = ({
  store,
  config,
}: {
  readonly store: ReportStore;
  readonly config: ReportConfig;
}) =>
  defineRoutes(reportRequests, {
    async listReportRequests({ query: { cursor, limit = PAGE_SIZE }, caller: { account } }) {
      const rules = rulesOf(config);
      // A malformed cursor names no report, after which there is nothing.
      if (cursor !== undefined && !isUuid(cursor)) return { reports: [], rules };
      // One more than the page holds, to find out whether there is a next page.
      const rows = await store.list(account.id, cursor, limit + 1);
      const page = rows.slice(0, limit);
      const last = rows.length > limit ? page.at(-1) : undefined;
      return { reports: page.map((row) => requestOf(row, config)), ...(last && { next: last.id }), rules };
    },
  });
