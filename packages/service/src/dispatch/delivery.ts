import type { LogRow } from "../log/store.ts";
import type { DeliveryState, EventDelivery } from "./deliveries.sql.ts";
import { afterFailure, type DeliveryRetryRules } from "./dispatch-rules.ts";
import type { RequestOutcome } from "./subscriber-kind.ts";

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

/** The delivery of an event before its first attempt. */
export const newDelivery = (subscriptionId: string, event: LogRow, now: Date): EventDelivery => ({
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
  changed_time: now,
});

/** The delivery after an attempt that the receiver accepted. */
const deliveryAfterSuccess = (
  delivery: EventDelivery,
  { status }: Extract<RequestOutcome, { kind: "accepted" }>,
  now: Date,
): EventDelivery => ({
  ...delivery,
  state: "delivered",
  tries: delivery.tries + 1,
  status: status ?? null,
  reason: null,
  next_time: null,
  retry_time: null,
  changed_time: now,
});

/** The delivery after an attempt that failed. */
const deliveryAfterFailure = (
  rules: DeliveryRetryRules,
  delivery: EventDelivery & { readonly state: "waiting" | "aside"; readonly first_time: Date },
  failure: Extract<RequestOutcome, { kind: "failed" }>,
  now: Date,
): EventDelivery => {
  const { state, first_time: firstTime } = delivery;
  const tries = delivery.tries + 1;
  const following = afterFailure(rules, { state, tries, firstTime }, failure, now);
  const isOver = following.state === "dead";
  return {
    ...delivery,
    state: following.state,
    tries,
    status: failure.status ?? null,
    reason: failure.reason,
    next_time: isOver ? null : following.next,
    retry_time: isOver ? null : following.retry,
    changed_time: now,
  };
};

/**
 * The delivery after an attempt that reached its receiver, for app hosts and webhooks alike. Who schedules the next attempt differs: an
 * app's queue waits in memory (app-delivery.ts), a webhook's delivery waits in its table (retry-queue.ts).
 */
export const deliveryAfterAttempt = (
  rules: DeliveryRetryRules,
  delivery: EventDelivery & { readonly state: "waiting" | "aside"; readonly first_time: Date },
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
  `events: ${name}: event ${event_id} is a dead letter after ${tries} ${tries === 1 ? "attempt" : "attempts"}: ${reason ?? ""}`;
