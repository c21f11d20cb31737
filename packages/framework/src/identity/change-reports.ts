import { auditLog, type InstallationAction, type SessionAgent } from "@parley/contract";
import { failureText, type Log } from "@parley/telemetry";
import { callServiceAdmin, type ServiceAdmin } from "./service-admin.ts";
import type { ChangeReport, ChangeReportStore } from "./change-reports.sql.ts";

/** Actor of a change of an installation. */
export interface ChangeAuthor {
  /** Absent for the operator, and where pages need no sign-in. */
  readonly agent?: SessionAgent | undefined;
  /** IP address of the request. */
  readonly address?: string | undefined;
}

/** As the row of the contract limits them. */
const MEMBERS_MAX = 1_000;
/** @units characters */
const NAME_LENGTH_MAX = 255;
/** @units characters */
const ADDRESS_LENGTH_MAX = 64;

/** The report of a change of an installation. @shape members: names of changed members, never values */
export const installationReport = (
  { agent, address }: ChangeAuthor,
  change: {
    readonly id: string;
    readonly account: string;
    readonly app: string;
    readonly action: InstallationAction;
    readonly members: readonly string[];
  },
): ChangeReport => ({
  ...change,
  app: change.app.slice(0, NAME_LENGTH_MAX),
  members: [...new Set(change.members)].slice(0, MEMBERS_MAX).map((name) => name.slice(0, NAME_LENGTH_MAX)),
  ...(agent && { agent_id: agent.agent_id }),
  ...(address !== undefined && { address: address.slice(0, ADDRESS_LENGTH_MAX) }),
});

/**
 * Sends stored reports to the audit log of the service, oldest first. A report is removed when the service has recorded it, so that it is
 * sent again after a failure; the service records an id once.
 */
export interface ChangeReportSender {
  /** Sends the stored reports now, in the background. */
  wake(): void;
  /** Sends for up to two seconds more; the next process sends the remaining reports. */
  close(): Promise<void>;
}

/** @units milliseconds */
const RETRY_INTERVAL_MS = 5_000;
/** @units milliseconds */
const REPORT_TIMEOUT_MS = 5_000;
/** Time that a close waits for reports. @units milliseconds */
const CLOSE_TIMEOUT_MS = 2_000;
const BATCH_SIZE = 50;

/** Whether a later attempt can succeed: the service did not answer, or can't answer at present. */
const isRetriable = (status: number): boolean => status === 0 || status === 401 || status === 429 || status >= 500;

interface ChangeReportSenderDeps {
  readonly store: ChangeReportStore;
  readonly service: ServiceAdmin;
  readonly log: Log;
  /** @units milliseconds */
  readonly reportTimeoutMs?: number;
  /** @units milliseconds */
  readonly closeTimeoutMs?: number;
}

export const createChangeReportSender = ({
  store,
  service,
  log,
  reportTimeoutMs = REPORT_TIMEOUT_MS,
  closeTimeoutMs = CLOSE_TIMEOUT_MS,
}: ChangeReportSenderDeps): ChangeReportSender => {
  const stop = new AbortController();
  let running: Promise<void> | undefined;
  let again = false;

  /** -> whether the report is settled */
  const send = async ({ account, ...report }: ChangeReport): Promise<boolean> => {
    const options = { timeoutMs: reportTimeoutMs, signal: stop.signal };
    const { status } =
      account === null
        ? await callServiceAdmin(service, auditLog.recordCatalogueChange, { ...options, body: report })
        : await callServiceAdmin(service, auditLog.recordAppChange, { ...options, params: { account }, body: report });
    if (status >= 200 && status < 300) return true;
    if (isRetriable(status)) return false;
    // The account is deleted, with its audit log.
    if (status !== 404)
      log(`The audit log lacks a change of ${report.app} (${report.action}): the service answered ${status}.`, {
        level: "error",
      });
    return true;
  };

  const run = async (): Promise<void> => {
    do {
      again = false;
      for (const report of await store.oldest(BATCH_SIZE)) {
        if (stop.signal.aborted || !(await send(report))) return;
        await store.remove(report.id);
        again = true;
      }
    } while (again && !stop.signal.aborted);
  };

  const wake = (): void => {
    again = true;
    running ??= run()
      .catch((error: unknown) =>
        log(`Changes of apps could not be reported: ${failureText(error)}`, { level: "error" }),
      )
      .finally(() => {
        running = undefined;
      });
  };
  const timer = setInterval(wake, RETRY_INTERVAL_MS).unref();

  return {
    wake,
    async close() {
      clearInterval(timer);
      const abort = setTimeout(() => stop.abort(), closeTimeoutMs);
      wake();
      await running;
      clearTimeout(abort);
    },
  };
};
