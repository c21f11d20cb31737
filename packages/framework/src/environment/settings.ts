import { HANDLER_RETRIES } from "@parley/contract";

/** Limits of an app and its process. The defaults are the limits of other app hosts, except where stated. */
export interface HostSettings {
  /** Time limit of a handler. @units milliseconds */
  readonly callTimeoutMs: number;
  /** Maximum time limit that a manifest can set for a function. @units milliseconds */
  readonly functionTimeoutMaxMs: number;
  /** Time limit for loading the app's code. @units milliseconds */
  readonly loadTimeoutMs: number;
  /** Heap of the app's process. @units mebibytes */
  readonly heapMb: number;
  /** All memory that the process may write to, where the operating system enforces such a limit. @units mebibytes */
  readonly dataMb: number;
  /** Maximum size of a message from the app's process. A larger message ends the process. @units bytes */
  readonly maxMessageBytes: number;
  /** Maximum bytes of answers to one installation's requests that are in memory at once. Further requests wait in order. @units bytes */
  readonly maxAnswerBytes: number;
  /** Maximum concurrent requests and `$db` calls of one process. */
  readonly maxConcurrentCalls: number;
  /** Maximum log lines per second of one installation. Further lines are counted and dropped. */
  readonly maxLogLinesPerSecond: number;
  /** Time without work after which the process of an installation is ended. @units milliseconds */
  readonly idleProcessMs: number;
  /** Maximum number of processes of installations. */
  readonly maxProcesses: number;
  /** Maximum number of processes that are being started at once. */
  readonly maxConcurrentStarts: number;
  /** Number of processes that are kept ready for installations without a process. */
  readonly reserveProcesses: number;
  /**
   * Share of processor time that an installation may use on average; `cpu-share.ts` has the time over which the average is taken.
   * @units percent of one core
   */
  readonly cpuPercent: number;
  /** Time limit of one attempt of a request. @units milliseconds */
  readonly requestTimeoutMs: number;
  /** @units bytes */
  readonly maxRequestBytes: number;
  /** @units bytes */
  readonly maxResponseBytes: number;
  /** Maximum requests per app and account. @assumed Other app hosts allow 50. The limit is higher here because nothing else shares a local instance. */
  readonly requestsPerMinute: number;
  /** Delays between the attempts of a schedule whose handler fails. @units milliseconds */
  readonly scheduleRetryDelaysMs: readonly number[];
  /** No attempt of a schedule starts later than this after the first attempt started. @units milliseconds */
  readonly scheduleRetryWindowMs: number;
  /** Maximum number of schedules that run at the same time in one process. */
  readonly maxConcurrentSchedules: number;
  /** Maximum body of a request to a `generateTargetUrl` address. @units bytes */
  readonly maxTargetBodyBytes: number;
  /** Maximum requests per minute to the `generateTargetUrl` addresses of an app and account. */
  readonly targetRequestsPerMinute: number;
  /** Number of the newest handler calls, and of the newest failed schedules, that are kept for the app's author. */
  readonly maxInvocations: number;
}

export const defaultHostSettings: HostSettings = {
  callTimeoutMs: 20_000,
  functionTimeoutMaxMs: 30_000,
  loadTimeoutMs: 10_000,
  heapMb: 128,
  dataMb: 512,
  maxMessageBytes: 1_048_576,
  maxAnswerBytes: 16 * 1024 * 1024,
  maxConcurrentCalls: 64,
  maxLogLinesPerSecond: 200,
  idleProcessMs: 60_000,
  maxProcesses: 100,
  maxConcurrentStarts: 4,
  reserveProcesses: 2,
  cpuPercent: 50,
  requestTimeoutMs: 15_000,
  maxRequestBytes: 100 * 1024,
  maxResponseBytes: 6 * 1024 * 1024,
  requestsPerMinute: 5_000,
  scheduleRetryDelaysMs: HANDLER_RETRIES.delaysMs,
  scheduleRetryWindowMs: HANDLER_RETRIES.withinMs,
  maxConcurrentSchedules: 16,
  maxTargetBodyBytes: 100 * 1024,
  targetRequestsPerMinute: 250,
  maxInvocations: 1_000,
};
