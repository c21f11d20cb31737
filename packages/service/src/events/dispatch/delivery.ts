import type { DeliveryState } from "@parley/contract";
import { DatabaseUnreachable, isConnectionLost } from "@parley/database";
import { contextOf, failureText, inSpan, type Log } from "@parley/telemetry";
import { sleep } from "../../base/concurrency/wake-signal.ts";
import type { LogRow } from "../../base/log/store.ts";
import type { EventDelivery, DeliveryStore } from "./deliveries.sql.ts";
import { afterFailure, type DeliveryRetryRules } from "./dispatch-rules.ts";
import type { RequestOutcome, SubscriberKinds } from "./subscriber-kind.ts";
import type { EventRow } from "../event-payload/store.ts";
import type { Subscription } from "./subscriptions.sql.ts";

/**
 * States of a delivery.
 * - waiting: it is attempted again later; later events of its entity wait behind it.
 * - aside: it is attempted again later; later events of its entity are delivered meanwhile.
 * - delivered: the receiver has accepted it.
 * - dead: it is not attempted again, except by a replay.
 */
const TRANSITIONS: Readonly<Record<DeliveryState, readonly DeliveryState[]>> = {
  waiting: ["waiting", "aside", "delivered", "dead"],
  aside: ["aside", "delivered", "dead"],
  delivered: [],
  dead: [],
};

/** @errors Error for a transition that the state machine does not have: a defect of the dispatcher */
export const assertTransition = (from: DeliveryState, to: DeliveryState): void => {
  if (!TRANSITIONS[from].includes(to)) throw new Error(`a delivery cannot go from ${from} to ${to}`);
};

/** A delivery that may be attempted. */
export type PendingDelivery = EventDelivery & { readonly state: "waiting" | "aside" };

/** The delivery of an event before its first attempt. */
export const newDelivery = (subscriptionId: string, event: LogRow, now: Date): PendingDelivery => ({
  subscription_id: subscriptionId,
  seq: event.seq,
  event_id: event.id,
  kind: event.kind,
  entity_id: event.entity_id,
  partition: event.partition,
  state: "waiting",
  is_replay: false,
  tries: 0,
  taken: 0,
  status: null,
  reason: null,
  first_time: null,
  next_time: null,
  retry_time: null,
  duration_ms: null,
  changed_time: now,
});

/** The members that the last request sets; an attempt that sent no request leaves them as they are. */
const exchangeOf = ({ exchange }: Pick<Extract<RequestOutcome, { kind: "accepted" }>, "exchange">) =>
  exchange && { exchange, duration_ms: exchange.milliseconds };

/** The delivery after an attempt that the receiver accepted. */
export const deliveryAfterSuccess = (
  delivery: EventDelivery,
  outcome: Extract<RequestOutcome, { kind: "accepted" }>,
  now: Date,
): EventDelivery => ({
  ...delivery,
  ...exchangeOf(outcome),
  state: "delivered",
  tries: delivery.tries + 1,
  status: outcome.status ?? null,
  reason: null,
  next_time: null,
  retry_time: null,
  changed_time: now,
});

/** The delivery after an attempt that failed. */
const deliveryAfterFailure = (
  rules: DeliveryRetryRules,
  delivery: PendingDelivery & { readonly first_time: Date },
  failure: Extract<RequestOutcome, { kind: "failed" }>,
  now: Date,
): EventDelivery => {
  const { state, first_time: firstTime } = delivery;
  const tries = delivery.tries + 1;
  const following = afterFailure(rules, { state, tries, firstTime }, failure, now);
  const isOver = following.state === "dead";
  return {
    ...delivery,
    ...exchangeOf(failure),
    state: following.state,
    tries,
    status: failure.status ?? null,
    reason: failure.reason,
    next_time: isOver ? null : following.next,
    retry_time: isOver ? null : following.retry,
    changed_time: now,
  };
};

/** The delivery after an attempt that reached its receiver. */
export const deliveryAfterAttempt = (
  rules: DeliveryRetryRules,
  delivery: PendingDelivery & { readonly first_time: Date },
  outcome: Exclude<RequestOutcome, { kind: "unreachable" }>,
  now: Date,
): EventDelivery =>
  outcome.kind === "accepted"
    ? deliveryAfterSuccess(delivery, outcome, now)
    : deliveryAfterFailure(rules, delivery, outcome, now);

/** Log line for a dead letter. */
export const deadLetterLine = (
  name: string,
  { event_id, tries, reason }: Pick<EventDelivery, "event_id" | "tries" | "reason">,
) =>
  `${name}: event ${event_id} is a dead letter after ${tries} ${tries === 1 ? "attempt" : "attempts"}: ${reason ?? ""}`;

/** Result of one attempt to deliver an event. */
interface DeliveryAttempt {
  /** Outcome of the last request that was sent. */
  readonly outcome: RequestOutcome;
  /** Requests of the event that the receiver has taken by now. */
  readonly taken: number;
  /** Whether the event had nothing for this subscriber. */
  readonly hasNoRequest: boolean;
}

/** Attempts an event once: sends its requests one after the other, from the first that the receiver has not taken. */
export type AttemptDelivery = (
  subscription: Subscription,
  event: Pick<LogRow, "seq">,
  before: { readonly tries: number; readonly taken: number; readonly timeoutMs: number },
) => Promise<DeliveryAttempt>;

const LANGUAGE_ERRORS = new Set(["SyntaxError", "TypeError", "RangeError"]);

/** Outcome when the payload could not be made: errors of the language come from the event's data, others from reading it. */
const payloadFailure = (error: unknown): RequestOutcome => {
  const name = String(typeof error === "object" && error !== null && Reflect.get(error, "name"));
  if (!LANGUAGE_ERRORS.has(name)) return { kind: "unreachable", reason: "the database can't be read" };
  return { kind: "failed", reason: `the event can't be made (${name})`, isFinal: false };
};

const REMOVED_FROM_LOG: RequestOutcome = {
  kind: "failed",
  reason: "the log does not hold it any more",
  isFinal: true,
};

/** Runs an attempt in a span of the trace that the event belongs to. */
const inAttemptSpan = (
  { kind }: Subscription,
  row: EventRow,
  tries: number,
  attempt: () => Promise<DeliveryAttempt>,
): Promise<DeliveryAttempt> =>
  inSpan(
    `deliver ${row.kind}`,
    {
      kind: "client",
      parent: contextOf(row.trace_parent),
      attributes: { "parley.subscriber": kind, "parley.account": row.account_name, "parley.retries": tries },
    },
    async (span) => {
      const result = await attempt();
      const { outcome } = result;
      span.set({
        "parley.outcome": outcome.kind,
        ...("status" in outcome && outcome.status !== undefined && { "http.response.status_code": outcome.status }),
      });
      if (outcome.kind !== "accepted") span.fail();
      return result;
    },
  );

/** @shape read: undefined for an event that is no longer in the log */
export const createAttemptDelivery =
  (kinds: SubscriberKinds, read: (seq: number) => Promise<EventRow | undefined>): AttemptDelivery =>
  async (subscription, event, { tries, taken: takenBefore, timeoutMs }) => {
    const kind = kinds[subscription.kind];
    if (!kind) return { outcome: { kind: "accepted" }, taken: takenBefore, hasNoRequest: true };
    let taken = takenBefore;
    try {
      // The payload is made for each attempt: personal data that was removed meanwhile is not sent.
      const row = await read(event.seq);
      if (!row) return { outcome: REMOVED_FROM_LOG, taken, hasNoRequest: false };
      const requests = await kind.requestsFor(subscription, row);
      if (requests.length === 0) return { outcome: { kind: "accepted" }, taken, hasNoRequest: true };
      return await inAttemptSpan(subscription, row, tries, async () => {
        let outcome: RequestOutcome = { kind: "accepted" };
        for (const outgoing of requests.slice(takenBefore)) {
          const retryCount = taken === takenBefore ? tries : 0;
          outcome = await kind.send(subscription, outgoing, { retryCount, timeoutMs });
          if (outcome.kind !== "accepted") break;
          taken += 1;
        }
        return { outcome, taken, hasNoRequest: false };
      });
    } catch (error) {
      return { outcome: payloadFailure(error), taken, hasNoRequest: false };
    }
  };

/** The last deliveries to each subscription, for administrators: written periodically, apart from the delivery itself. */
export interface DeliveryLog {
  record(delivery: EventDelivery): void;
  /** Writes the records since the last call. @errors those of the store; the records are dropped then */
  save(): Promise<void>;
}

/** Deliveries kept for each subscription. @assumed The number. */
const RECORDED_DELIVERIES_MAX = 100;

export const createDeliveryLog = (store: Pick<DeliveryStore, "recordDelivered">): DeliveryLog => {
  const recent = new Map<string, EventDelivery[]>();
  return {
    record(delivery) {
      const present = recent.get(delivery.subscription_id);
      if (!present) return void recent.set(delivery.subscription_id, [delivery]);
      present.push(delivery);
      if (present.length >= 2 * RECORDED_DELIVERIES_MAX) present.splice(0, present.length - RECORDED_DELIVERIES_MAX);
    },
    async save() {
      // An event that was delivered twice is recorded once.
      const rows = [...recent.values()].flatMap((deliveries) => [
        ...new Map(deliveries.slice(-RECORDED_DELIVERIES_MAX).map((delivery) => [delivery.seq, delivery])).values(),
      ]);
      recent.clear();
      if (rows.length > 0) await store.recordDelivered(rows, RECORDED_DELIVERIES_MAX);
    },
  };
};

/** Wait after a write that failed. @units milliseconds */
const RETRY_DELAY_MS = 250;

/** The connection pool logs that the database is away. */
const isDatabaseUnreachable = (error: unknown): boolean =>
  error instanceof DatabaseUnreachable || isConnectionLost(error);

/**
 * Repeats a write of a delivery's outcome until it succeeds. The same failure in a row is logged once.
 * -> undefined when the signal ended it before
 */
export const retryUntilPersisted = async <T>(
  write: () => Promise<T>,
  signal: AbortSignal,
  log: Log,
): Promise<{ readonly value: T } | undefined> => {
  let lastLogged: string | undefined;
  while (!signal.aborted) {
    try {
      return { value: await write() };
    } catch (error) {
      const line = failureText(error);
      if (line !== lastLogged && !isDatabaseUnreachable(error))
        log(`the outcome of a delivery cannot be saved; trying again: ${line}`, { level: "error", part: "events" });
      lastLogged = line;
      await sleep(RETRY_DELAY_MS, signal);
    }
  }
  return undefined;
};
