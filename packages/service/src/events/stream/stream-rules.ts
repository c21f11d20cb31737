import type { StreamPacingRules } from "./stream-pacing.ts";
import { PRESENCE_RULES, type PresenceRules } from "../presence/presence.ts";

/** Bounds and waits of streams. */
export interface StreamRules {
  /** Open streams of a process. */
  readonly perProcess: number;
  /** Open streams of one token in a process. */
  readonly perToken: number;
  /** Time between two keep-alive comments. @units milliseconds */
  readonly keepAliveMs: number;
  /** The same for the streams of the console, which tells agents within 15 seconds that the connection is lost. @units milliseconds */
  readonly consoleKeepAliveMs: number;
  /** How long a reader is asked to wait before it reconnects. @units milliseconds */
  readonly retryMs: number;
  /** Rows of the log kept in memory for the streams of one account. */
  readonly cachedRows: number;
  /** Events that one stream prepares at a time: it keeps no more in memory. */
  readonly batch: number;
  /** Positions that a stream which is behind reads at a time. */
  readonly span: number;
  /** How long a reader may accept no data before it is disconnected. @units milliseconds */
  readonly stallMs: number;
  /** Time between two checks whether tokens are valid. @units milliseconds */
  readonly checkMs: number;
  /** Value of the Retry-After header when no stream is free. @units seconds */
  readonly retryAfter: number;
  readonly pacing: StreamPacingRules;
  readonly presence: PresenceRules;
}

/** @assumed The numbers. A reader that accepts no data for a minute is disconnected; it continues from its cursor when it reconnects. */
export const STREAM_RULES: StreamRules = {
  perProcess: 5_000,
  perToken: 20,
  keepAliveMs: 15_000,
  consoleKeepAliveMs: 5_000,
  retryMs: 1_000,
  cachedRows: 1_000,
  batch: 16,
  span: 10_000,
  stallMs: 60_000,
  checkMs: 400,
  retryAfter: 5,
  pacing: { minShare: 0.05, maxShare: 0.9, reduction: 3, sliceMs: 3 },
  presence: PRESENCE_RULES,
};
