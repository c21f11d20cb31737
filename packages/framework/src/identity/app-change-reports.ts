import { auditLog, type SessionAgent } from "@parley/contract";
import { setTimeout as sleep } from "node:timers/promises";
import { callServiceAdmin, type IdentityService } from "./service-admin.ts";

/** A change that an admin made to the app on a page of this host. */
export interface AppChange {
  readonly action: "app.install" | "app.change" | "app.uninstall";
  readonly app: string;
  /** Absent where pages need no sign-in. */
  readonly agent?: SessionAgent | undefined;
  /** IP address of the browser. */
  readonly address: string;
  /** Names of what was changed, never values. */
  readonly members: readonly string[];
}

/** Reports changes of the app to the audit log of the service, in the background. */
export interface AppChangeReports {
  /** Returns at once and never throws: a change does not depend on its report. */
  report(change: AppChange): void;
  /** Waits for the reports in progress, and logs those that could not be sent in time. */
  close(): Promise<void>;
}

/** Delays before each further attempt. @units milliseconds */
const RETRY_DELAYS_MS = [500, 2_000, 10_000, 30_000];
/** @units milliseconds */
const REPORT_TIMEOUT_MS = 5_000;
/** Time that a close waits for reports. @units milliseconds */
const CLOSE_TIMEOUT_MS = 2_000;
/** Maximum waiting reports. Beyond it further ones are logged only. */
const MAX_WAITING_REPORTS = 1_000;
/** As the row of the contract limits them. */
const MAX_MEMBERS = 1_000;
/** @units characters */
const MAX_NAME_LENGTH = 255;
/** @units characters */
const MAX_ADDRESS_LENGTH = 64;

interface AppChangeReportsOptions {
  readonly retryDelaysMs?: readonly number[];
  readonly timeoutMs?: number;
  readonly log: (line: string) => void;
}

const bodyOf = ({ action, app, agent, address, members }: AppChange) => ({
  action,
  app: app.slice(0, MAX_NAME_LENGTH),
  ...(agent && { agent_id: agent.agent_id }),
  address: address.slice(0, MAX_ADDRESS_LENGTH),
  members: [...new Set(members)].slice(0, MAX_MEMBERS).map((name) => name.slice(0, MAX_NAME_LENGTH)),
});

/** Whether a later attempt can succeed: the service did not answer, or can't answer at present. */
const isRetriable = (status: number): boolean => status === 0 || status === 429 || status >= 500;

const reasonOf = (status: number): string =>
  status === 0 ? "the service can't be reached" : `the service answered ${status}`;

/** Creates the reports of a host. They are sent one after the other, so that the log has the order of the changes. */
export const createAppChangeReports = (
  service: IdentityService,
  { retryDelaysMs = RETRY_DELAYS_MS, timeoutMs = REPORT_TIMEOUT_MS, log }: AppChangeReportsOptions,
): AppChangeReports => {
  const stop = new AbortController();
  let waiting = 0;
  let last: Promise<void> = Promise.resolve();

  const logLost = ({ action, app }: AppChange, reason: string): void =>
    log(`error: The audit log lacks a change of ${app} (${action}): ${reason}.`);

  const send = async (change: AppChange): Promise<void> => {
    let status = 0;
    for (const delayMs of [0, ...retryDelaysMs]) {
      if (delayMs > 0) await sleep(delayMs, undefined, { signal: stop.signal }).catch(() => undefined);
      if (stop.signal.aborted) return logLost(change, "the host was stopped before the service answered");
      ({ status } = await callServiceAdmin(service, auditLog.recordAppChange, {
        params: { account: service.account },
        body: bodyOf(change),
        timeoutMs,
        signal: stop.signal,
      }));
      if (status >= 200 && status < 300) return;
      if (!isRetriable(status)) break;
    }
    logLost(change, reasonOf(status));
  };

  return {
    report(change) {
      if (waiting >= MAX_WAITING_REPORTS) return logLost(change, "too many reports are waiting");
      waiting += 1;
      last = last.then(() => send(change)).finally(() => (waiting -= 1));
    },
    async close() {
      const timer = setTimeout(() => stop.abort(), CLOSE_TIMEOUT_MS);
      await last;
      clearTimeout(timer);
    },
  };
};
