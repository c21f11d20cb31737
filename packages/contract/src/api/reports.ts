import { sessionsOf } from "../kernel/access.ts";
import Type, { type Static } from "typebox";
import { endpoint } from "../kernel/endpoint.ts";
import { problem } from "../kernel/problem.ts";
import { Time } from "./values.ts";

/** Subjects of raw reports. @assumed From public documents: the specification doesn't list them. */
export const REPORT_EVENTS = [
  "Agent-Activity",
  "Agent-Intelliassign-Activity",
  "Conversation-Agent-Assigned",
  "Conversation-Created",
  "Conversation-Group-Assigned",
  "Conversation-Resolution-Label",
  "Conversation-Resolved",
  "CSAT-Score",
  "First-Response-Time",
  "Message-Sent",
  "Resolution-Time",
  "Response-Time",
  "Chat-Transcript",
  "agent-performance",
  "classic",
] as const;
export type ReportEvent = (typeof REPORT_EVENTS)[number];

const ReportLink = Type.Object({ rel: Type.String(), href: Type.String() });

export const NewReport = Type.Object(
  {
    start: Time,
    end: Time,
    event: Type.Enum([...REPORT_EVENTS]),
    format: Type.Optional(Type.Enum(["csv"])),
    should_exclude_pii: Type.Optional(Type.Boolean()),
  },
  { title: "NewReport" },
);
export type NewReport = Static<typeof NewReport>;

export const Report = Type.Object(
  {
    id: Type.String(),
    status: Type.Enum(["PENDING", "COMPLETED", "FAILED"]),
    interval: Type.String({ description: "<start>_<end>" }),
    links: Type.Array(
      Type.Object({
        from: Time,
        to: Time,
        status: Type.Enum(["PENDING", "IN_PROGRESS", "COMPLETED", "FAILED"]),
        link: Type.Optional(ReportLink),
      }),
    ),
  },
  { title: "Report" },
);
export type Report = Static<typeof Report>;

export const REPORT_NOT_FOUND = problem({ code: 404, status: "REPORT_NOT_FOUND", message: "report not found" });
/** The range ends before it starts, is too long, or starts too long ago. The message says which. @assumed */
export const INVALID_REPORT_RANGE = problem({
  code: 400,
  status: "INVALID_REPORT_RANGE",
  message: "The range from start to end is not one that a report of this event can span.",
});
/** @assumed The status token and the HTTP code. */
export const REPORT_QUOTA_EXCEEDED = problem({
  code: 429,
  status: "REPORT_QUOTA_EXCEEDED",
  message: "No more reports of this event may be asked for now. Retry after the time in the Retry-After header.",
});

export const reports = {
  createReport: endpoint({
    route: "POST /reports/raw",
    summary: "Request a raw report, which is created in the background",
    spec: "Endpoints > Reports",
    access: { token: "report:create", session: sessionsOf("SUPER_USER", "all") },
    acceptsIdempotencyKey: true,
    body: NewReport,
    reply: { code: 202, body: Type.Object({ id: Type.String(), link: ReportLink }) },
    problems: [INVALID_REPORT_RANGE, REPORT_QUOTA_EXCEEDED],
  }),
  getReport: endpoint({
    route: "GET /reports/raw/{report_id}",
    summary: "Get the status of a raw report and the URLs of its files",
    spec: "Endpoints > Reports",
    access: { token: "report:read", session: sessionsOf("SUPER_USER", "all") },
    reply: { code: 200, body: Report },
    problems: [REPORT_NOT_FOUND],
  }),
};
