import { type Report, refuse, REPORT_NOT_FOUND, REPORT_QUOTA_EXCEEDED, reports } from "@parley/contract";
import {
  type LinkStatus,
  DAY_MS,
  type ReportQuota,
  secondsUntilAllowed,
  type LinkRow,
  type ReportStore,
} from "./store.ts";
import { defineRoutes, type ResourceRoutes } from "../../../http/route-handlers.ts";
import { isUuid } from "../../../http/uuid.ts";
import type { BackgroundJobs } from "../../../base/jobs/index.ts";
import type { SignedAddresses } from "../../../base/objects/signed-addresses.ts";
import type { Ports } from "../../../base/environment/ports.ts";
import { EVENT_REPORTS } from "./report-kinds.ts";
import { reportFileName, reportObjectKey, REPORT_END, REPORT_LINK } from "./make-report.ts";
import { filePeriodsOf, reportPeriodOf } from "./report-period.ts";

/** The status of a report, by its files. @assumed PENDING until every file is finished; then FAILED if one failed. */
export const reportStatus = (links: readonly LinkStatus[]): Report["status"] => {
  if (links.some((status) => status === "PENDING" || status === "IN_PROGRESS")) return "PENDING";
  return links.includes("FAILED") ? "FAILED" : "COMPLETED";
};

interface ReportDeps {
  readonly store: ReportStore;
  readonly jobs: Pick<BackgroundJobs, "schedule" | "wake">;
  readonly addresses: SignedAddresses;
  readonly ports: Ports;
  readonly quota: ReportQuota;
  /** Retention of a report. @units days */
  readonly days: number;
  readonly notifyChange: (accountId: number) => void;
}

/** Lifetime of a signed file address. @units seconds @assumed One hour. */
export const ADDRESS_LIFETIME_S = 3_600;

/** @assumed The address of a report has no version segment, as clients append it to the bare host. */
const pathOf = (id: string): string => `/reports/raw/${id}`;

export const reportRoutes = ({
  store,
  jobs,
  addresses,
  ports,
  quota,
  days,
  notifyChange,
}: ReportDeps): ResourceRoutes =>
  defineRoutes(reports, {
    async createReport({ body, caller: { account }, claim }) {
      const now = ports.now();
      const event = EVENT_REPORTS[body.event];
      const range = reportPeriodOf(body, event, now);
      const id = ports.newId();
      const periods = filePeriodsOf(range, event);
      const reply = { id, link: { rel: "extracts", href: pathOf(id) } };
      const report = { id, accountId: account.id, event: body.event, range, periods };
      await store.exclusively(account.id, body.event, async (tx) => {
        const waitSeconds = secondsUntilAllowed(await store.quotaUse(tx, account.id, body.event, now, quota), now);
        if (waitSeconds > 0)
          refuse(
            REPORT_QUOTA_EXCEEDED,
            `The next report of ${body.event} may be asked for in ${waitSeconds} seconds.`,
            waitSeconds,
          );
        await store.add(tx, { ...report, excludesPii: body.should_exclude_pii ?? false }, now);
        for (const place of periods.keys())
          await jobs.schedule(tx, { task: REPORT_LINK, payload: { report: id, place: place + 1 }, due: now });
        const end = new Date(now.getTime() + days * DAY_MS);
        await jobs.schedule(tx, { task: REPORT_END, payload: { report: id, account: account.id }, due: end });
        await claim?.recordReply(tx, reply);
      });
      jobs.wake();
      notifyChange(account.id);
      return reply;
    },

    async getReport({ params, caller: { account }, request: { origin } }) {
      const id = params.report_id.toLowerCase();
      const found = isUuid(id) ? await store.find(account.id, id) : undefined;
      if (!found) return refuse(REPORT_NOT_FOUND);
      const links = await store.links(id);
      const linkOf = ({ place, from_time, to_time }: LinkRow) => ({
        rel: "extract",
        href: addresses.sign(
          {
            key: reportObjectKey(account.id, id, place),
            contentType: "application/zip",
            fileName: `${reportFileName(found.event, from_time, to_time)}.zip`,
            seconds: ADDRESS_LIFETIME_S,
          },
          origin,
        ),
      });
      return {
        id,
        status: reportStatus(links.map(({ status }) => status)),
        interval: `${found.start_time.toISOString()}_${found.end_time.toISOString()}`,
        links: links.map((link) => ({
          from: link.from_time.toISOString(),
          to: link.to_time.toISOString(),
          status: link.status,
          ...(link.status === "COMPLETED" && { link: linkOf(link) }),
        })),
      } satisfies Report;
    },
  });
