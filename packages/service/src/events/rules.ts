import { HANDLER_TRIES } from "@parley/contract";
import type { RetryRules } from "./schedule.ts";

/** How the road of events is driven: bounds, waits, tries. */
export interface DispatchRules {
  /** Deliveries to one subscription at a time, each of another entity. */
  readonly concurrency: number;
  /** Events that one subscription may keep in memory. */
  readonly backlog: number;
  /** Rows of the log that are read at a time. */
  readonly batch: number;
  /** How long commits gather before the log is read for them. @units milliseconds */
  readonly gatherMs: number;
  /** How long the log is left unread when nobody rings. @units milliseconds */
  readonly pollMs: number;
  /** The longest wait for a gap in the log to be filled or given up, between two looks. @units milliseconds */
  readonly gapMs: number;
  /** Between two looks at subscriptions and leases when nobody rings. @units milliseconds */
  readonly controlMs: number;
  /** Between two notifications to other processes. @units milliseconds */
  readonly notifyMs: number;
  /** Between two savings of cursors that move. @units milliseconds */
  readonly saveMs: number;
  /** How far a cursor that passes over other accounts' events may lag behind what is saved of it. @units positions */
  readonly idleLag: number;
  /** Before the second try of an event, before the third, and so on. @units milliseconds */
  readonly retryWaitsMs: readonly number[];
  /** @units milliseconds */
  readonly tryMs: number;
  /** No try begins later than this after the first one began, less the time that the host was down. @units milliseconds */
  readonly budgetMs: number;
  /** The first and the longest wait for a host that is down. @units milliseconds */
  readonly hostWaitMs: readonly [number, number];
  /** How webhooks are tried again. */
  readonly webhook: RetryRules;
  /** How long events are kept, at least until every subscriber has had them. @units days */
  readonly keptDays: number;
  /** Between two removals of what is older. @units milliseconds */
  readonly tidyMs: number;
  /** How long a close waits for deliveries under way. @units milliseconds */
  readonly graceMs: number;
}

/** App hosts are tried within half a minute, then given up: what waits longer is asked for by a replay. */
export const appRetries = ({ retryWaitsMs, tryMs, budgetMs }: DispatchRules): RetryRules => ({
  waitsMs: retryWaitsMs,
  tryMs,
  holdMs: budgetMs,
});

/**
 * A handler of an app may take 20 s, so a try gets 25.
 * @assumed The numbers.
 */
export const DISPATCH_RULES: DispatchRules = {
  concurrency: 32,
  backlog: 1_000,
  batch: 500,
  gatherMs: 1,
  pollMs: 250,
  gapMs: 50,
  controlMs: 1_000,
  notifyMs: 20,
  saveMs: 50,
  idleLag: 10_000,
  retryWaitsMs: HANDLER_TRIES.waitsMs,
  tryMs: 25_000,
  budgetMs: HANDLER_TRIES.withinMs,
  hostWaitMs: [250, 2_000],
  webhook: {
    waitsMs: [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400].map((seconds) => seconds * 1_000),
    tryMs: 15_000,
    holdMs: 300_000,
  },
  keptDays: 30,
  tidyMs: 600_000,
  graceMs: 2_000,
};
