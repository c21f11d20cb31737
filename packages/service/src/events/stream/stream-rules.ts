import type { StreamPacingRules } from "./stream-pacing.ts";
import type { OpenStreamRules } from "./open-streams.ts";
import { PRESENCE_RULES, type PresenceRules } from "../presence/presence.ts";

/** Bounds and waits of streams. */
export interface StreamRules extends Omit<OpenStreamRules, "perUser"> {
  /** Bounds of the streams of visitors, which take no places of the others. */
  readonly ofVisitors: Omit<OpenStreamRules, "retryAfter">;
  /** Time between two keep-alive comments. @units milliseconds */
  readonly keepAliveMs: number;
  /** The same for the streams of the console, which tells agents within 15 seconds that the connection is lost. @units milliseconds */
  readonly consoleKeepAliveMs: number;
  /** The same for the streams of visitors. @units milliseconds */
  readonly visitorKeepAliveMs: number;
  /** How long a reader is asked to wait before it reconnects. @units milliseconds */
  readonly retryMs: number;
  /** Rows of the log kept in memory for the streams of one account. */
  readonly cachedRows: number;
  /** Events that one stream prepares at a time: it keeps no more in memory. */
  readonly batch: number;
  /** Positions that a stream which is behind reads at a time. */
  readonly span: number;
  /** Positions that the stream of a visitor may be behind when it begins. Beyond it the visitor reads the conversations anew. */
  readonly visitorSpan: number;
  /** How long a reader may accept no data before it is disconnected. @units milliseconds */
  readonly stallMs: number;
  /** Time between two checks whether tokens are valid. @units milliseconds */
  readonly checkMs: number;
  readonly pacing: StreamPacingRules;
  readonly presence: PresenceRules;
}

/**
 * @assumed The numbers. A reader that accepts no data for a minute is disconnected; it continues from its cursor when it reconnects. The sessions of
 * 5,000 visitors are checked in 8 s.
 */
export const STREAM_RULES: StreamRules = {
  perProcess: 5_000,
  perToken: 20,
  checked: 5_000,
  ofVisitors: { perProcess: 6_000, perToken: 8, perUser: 20, checked: 250 },
  keepAliveMs: 15_000,
  consoleKeepAliveMs: 5_000,
  visitorKeepAliveMs: 25_000,
  retryMs: 1_000,
  cachedRows: 1_000,
  batch: 16,
  span: 10_000,
  visitorSpan: 100_000,
  stallMs: 60_000,
  checkMs: 400,
  retryAfter: 5,
  pacing: { minShare: 0.05, maxShare: 0.9, reduction: 3, sliceMs: 3 },
  presence: PRESENCE_RULES,
};
