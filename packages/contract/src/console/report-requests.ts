import Type, { type Static } from "typebox";
import { Report, REPORT_EVENTS } from "../api/reports.ts";
import { Time } from "../api/values.ts";
import { sessionsOf } from "../kernel/access.ts";
import { endpoint } from "../kernel/endpoint.ts";
import { CONSOLE_API } from "./inbox.ts";

const REQUESTS_MAX = 100;

/** A requested raw report. */
export const ReportRequest = Type.Object(
  {
    id: Type.String(),
    event: Type.Enum([...REPORT_EVENTS]),
    status: Report.properties.status,
    start: Time,
    end: Time,
    excludes_pii: Type.Boolean(),
    created_time: Time,
    expires_time: Type.String({ format: "date-time", description: "Then the report and its files are removed." }),
    files: Type.Integer({ description: "Files that the report consists of, finished or not." }),
  },
  { title: "ReportRequest" },
);
export type ReportRequest = Static<typeof ReportRequest>;

/** Rules for requests of reports: their kinds, and how often. */
export const ReportRules = Type.Object(
  {
    per_minute: Type.Integer({ description: "Reports of each event in 60 seconds." }),
    per_day: Type.Integer({ description: "Reports of each event in 24 hours." }),
    kept_days: Type.Integer({ description: "How long a report is kept." }),
    months_back: Type.Integer({ description: "How far back the start of a report can be." }),
    link_seconds: Type.Integer({ description: "How long the address of a file works." }),
    events: Type.Array(Type.Object({ event: Type.Enum([...REPORT_EVENTS]), longest_range_seconds: Type.Integer() })),
  },
  { title: "ReportRules" },
);
export type ReportRules = Static<typeof ReportRules>;

/** Raw reports that tokens and agents of the account requested. Request and read one by the endpoints of the API. */
export const reportRequests = {
  listReportRequests: endpoint({
    route: `GET ${CONSOLE_API}/report-requests`,
    summary: "List the requested raw reports that are kept, the newest first, and the rules for requesting one",
    spec: "Endpoints > Reports",
    access: { session: sessionsOf("SUPER_USER", "all") },
    query: Type.Object({
      cursor: Type.Optional(
        Type.String({ maxLength: 64, description: "`next` of the page before: the id of its last report." }),
      ),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: REQUESTS_MAX, description: "50 when absent." })),
    }),
    reply: {
      code: 200,
      body: Type.Object({
        reports: Type.Array(ReportRequest),
        next: Type.Optional(Type.String({ description: "Cursor of the next page; absent on the last one." })),
        rules: ReportRules,
      }),
    },
  }),
};
