import { HANDLER_RETRIES } from "@parley/contract";

/** Limits of an app and of its process, as the field has them; each may be set otherwise. */
export interface HostSettings {
  /** How long a handler may take. @units milliseconds */
  readonly callMs: number;
  /** How long the app's code may take to load. @units milliseconds */
  readonly loadMs: number;
  /** Memory for the app's objects. @units mebibytes */
  readonly heapMb: number;
  /** All memory that the process may write to, where the system keeps such a limit. @units mebibytes */
  readonly dataMb: number;
  /** Longest message that the app's process may send; a longer one ends the process. @units bytes */
  readonly messageBytes: number;
  /** Requests and `$db` calls of one process that may be under way at once. */
  readonly questions: number;
  /** Lines that one process may log a second; more are counted and dropped. */
  readonly logLines: number;
  /** How long one attempt of a request may take. @units milliseconds */
  readonly requestMs: number;
  /** @units bytes */
  readonly requestBytes: number;
  /** @units bytes */
  readonly responseBytes: number;
  /** Requests of an app and account. @assumed generous: the field has 50, and nothing else shares a local instance */
  readonly requestsPerMinute: number;
  /** Waits between the tries of a schedule whose handler fails. @units milliseconds */
  readonly scheduleRetries: readonly number[];
  /** No try of a schedule begins later than this after the first one began. @units milliseconds */
  readonly scheduleBudgetMs: number;
  /** Body of a request to an address of `generateTargetUrl`. @units bytes */
  readonly targetBytes: number;
  /** Requests to the addresses of an app and account. */
  readonly targetsPerMinute: number;
  /** Calls of handlers, and schedules given up, that are kept for the app's author: the newest. */
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
