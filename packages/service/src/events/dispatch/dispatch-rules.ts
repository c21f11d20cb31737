import type { LogReadRules } from "../../base/log/follower.ts";
import type { PacingRules } from "./delivery-pacing.ts";
import type { RequestOutcome } from "./subscriber-kind.ts";
import type { WaitingLimitRules } from "./waiting-limit.ts";
import { HANDLER_RETRIES, PAUSED_EVENTS_DAYS } from "@parley/contract";

/** Retry schedule for the subscribers of one kind. */
export interface DeliveryRetryRules {
  /** Waits before the second attempt, the third, and so on; after the last one the event is a dead letter. @units milliseconds */
  readonly waitsMs: readonly number[];
  /** Timeout of one attempt. @units milliseconds */
  readonly attemptTimeoutMs: number;
  /** How long a failing event holds up later events of its entity before it is set aside. @units milliseconds */
  readonly holdMs: number;
}

/** A delivery whose attempt has just failed. */
export interface FailedDelivery {
  readonly state: "waiting" | "aside";
  /** Attempts, including the failed attempt. */
  readonly tries: number;
  readonly firstTime: Date;
}

/** The state that follows: `retry` is the next attempt; `next` is earlier when the delivery must be set aside before. */
type Following =
  | { readonly state: "dead" }
  | { readonly state: "waiting" | "aside"; readonly next: Date; readonly retry: Date };

/** Longest delay that a receiver can ask for by Retry-After. @units milliseconds */
const RETRY_AFTER_MS_MAX = 86_400_000;

/**
 * Decides when a failed event is attempted again.
 * @assumed A Retry-After counts when it is longer than the schedule's own wait, up to a day. The event with whose reply a receiver turned
 * itself off is the first to be attempted when the subscription is turned on again.
 */
export const afterFailure = (
  { waitsMs, holdMs }: DeliveryRetryRules,
  { state, tries, firstTime }: FailedDelivery,
  failure: Pick<Extract<RequestOutcome, { kind: "failed" }>, "isFinal" | "isOff" | "retryAfterMs">,
  now: Date,
): Following => {
  if (failure.isOff) return { state, next: now, retry: now };
  const wait = failure.isFinal ? undefined : waitsMs[tries - 1];
  if (wait === undefined) return { state: "dead" };
  const retry = new Date(now.getTime() + Math.max(wait, Math.min(failure.retryAfterMs ?? 0, RETRY_AFTER_MS_MAX)));
  const release = new Date(firstTime.getTime() + holdMs);
  if (state === "aside" || release <= now) return { state: "aside", next: retry, retry };
  return { state, next: retry <= release ? retry : release, retry };
};

/** Bounds, waits and retry budgets of the dispatcher. */
export interface DispatchRules extends LogReadRules {
  /** Concurrent deliveries to one subscription, each of another entity. */
  readonly concurrency: number;
  /** How deliveries give way to requests while the process is busy. */
  readonly pacing: PacingRules;
  /** Events that one subscription's queue may keep in memory. */
  readonly backlog: number;
  /** Time between two reads of subscriptions and leases without a notification. @units milliseconds */
  readonly controlMs: number;
  /** Shortest time between two notifications to other processes. @units milliseconds */
  readonly notifyMs: number;
  /** Shortest time between two writes of moved cursors. @units milliseconds */
  readonly saveMs: number;
  /** How far a cursor may move past other accounts' events before it is saved. @units positions */
  readonly idleLag: number;
  /** App hosts: waits before the second attempt, the third, and so on. @units milliseconds */
  readonly retryWaitsMs: readonly number[];
  /** App hosts: timeout of one attempt. @units milliseconds */
  readonly attemptTimeoutMs: number;
  /** App hosts: latest start of an attempt after the start of the first, not counting the time that the host was down. @units milliseconds */
  readonly budgetMs: number;
  /** App hosts: the first and the longest wait for a host that is down. @units milliseconds */
  readonly hostWaitMs: readonly [number, number];
  /** Retry schedule of webhooks. */
  readonly webhook: DeliveryRetryRules;
  /** Bound of the deliveries that wait for another attempt, of each webhook. */
  readonly webhookWaiting: WaitingLimitRules;
  /** Retention of events; an event stays longer while a subscriber has not received it. @units days */
  readonly retentionDays: number;
  /** Time for which the events of a paused app stay. @units days after the pause */
  readonly pausedEventsDays: number;
  /** Time between two removals of expired events. @units milliseconds */
  readonly retentionIntervalMs: number;
  /** How long a shutdown waits for deliveries under way. @units milliseconds */
  readonly graceMs: number;
}

/** Retry schedule of app hosts: half a minute, then a dead letter that a replay can deliver. */
export const appRetryRules = ({ retryWaitsMs, attemptTimeoutMs, budgetMs }: DispatchRules): DeliveryRetryRules => ({
  waitsMs: retryWaitsMs,
  attemptTimeoutMs,
  holdMs: budgetMs,
});

/**
 * An app's handler may take 20 seconds, so an attempt times out after 25. Deliveries start more slowly when the event
 * loop is busy for more than 90 % of the time: with 75 %, those of 500 messages a second fell behind for as long as the load lasted, on a machine
 * of two cores that delivers them within 20 ms (median) otherwise.
 * @assumed The numbers.
 */
export const DISPATCH_RULES: DispatchRules = {
  concurrency: 32,
  pacing: { busyUtilization: 0.9, minPerSecond: 300, maxPerSecond: 5_000 },
  backlog: 1_000,
  batch: 500,
  gatherMs: 1,
  pollMs: 250,
  gapMs: 50,
  controlMs: 1_000,
  notifyMs: 20,
  saveMs: 50,
  idleLag: 10_000,
  retryWaitsMs: HANDLER_RETRIES.delaysMs,
  attemptTimeoutMs: 25_000,
  budgetMs: HANDLER_RETRIES.withinMs,
  hostWaitMs: [250, 2_000],
  webhook: {
    waitsMs: [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400].map((seconds) => seconds * 1_000),
    attemptTimeoutMs: 15_000,
    holdMs: 300_000,
  },
  webhookWaiting: { max: 10_000, probeMs: 60_000, countMs: 10_000 },
  retentionDays: 30,
  pausedEventsDays: PAUSED_EVENTS_DAYS,
  retentionIntervalMs: 600_000,
  graceMs: 2_000,
};
