import { HANDLER_RETRIES } from "@parley/contract";

/** Limits of an app and its process. The defaults are the limits of other app hosts, except where stated. */
export interface HostSettings {
  /** Time limit of a handler. @units milliseconds */
  readonly callMs: number;
  /** Time limit for loading the app's code. @units milliseconds */
  readonly loadMs: number;
  /** Heap of the app's process. @units mebibytes */
  readonly heapMb: number;
  /** All memory that the process may write to, where the operating system enforces such a limit. @units mebibytes */
  readonly dataMb: number;
  /** Maximum size of a message from the app's process. A larger message ends the process. @units bytes */
  readonly messageBytes: number;
  /** Maximum concurrent requests and `$db` calls of one process. */
  readonly questions: number;
  /** Maximum log lines per second of one process. Further lines are counted and dropped. */
  readonly logLines: number;
  /** Time limit of one attempt of a request. @units milliseconds */
  readonly requestMs: number;
  /** @units bytes */
  readonly requestBytes: number;
  /** @units bytes */
  readonly responseBytes: number;
  /** Maximum requests per app and account. @assumed Other app hosts allow 50. The limit is higher here because nothing else shares a local instance. */
  readonly requestsPerMinute: number;
  /** Delays between the attempts of a schedule whose handler fails. @units milliseconds */
  readonly scheduleRetries: readonly number[];
  /** No attempt of a schedule starts later than this after the first attempt started. @units milliseconds */
  readonly scheduleBudgetMs: number;
  /** Maximum body of a request to a `generateTargetUrl` address. @units bytes */
  readonly targetBytes: number;
  /** Maximum requests per minute to the `generateTargetUrl` addresses of an app and account. */
  readonly targetsPerMinute: number;
  /** Number of the newest handler calls, and of the newest failed schedules, that are kept for the app's author. */
  readonly invocations: number;
}

export const defaultHostSettings: HostSettings = {
  callMs: 20_000,
  loadMs: 10_000,
  heapMb: 128,
  dataMb: 512,
  messageBytes: 1_048_576,
  questions: 64,
  logLines: 200,
  requestMs: 15_000,
  requestBytes: 100 * 1024,
  responseBytes: 6 * 1024 * 1024,
  requestsPerMinute: 5_000,
  scheduleRetries: HANDLER_RETRIES.delaysMs,
  scheduleBudgetMs: HANDLER_RETRIES.withinMs,
  targetBytes: 100 * 1024,
  targetsPerMinute: 250,
  invocations: 1_000,
};
