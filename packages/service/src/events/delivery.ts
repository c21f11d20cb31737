import type { Attempt } from "./attempt.ts";
import type { Delivery } from "./db/deliveries.ts";
import type { LogRow } from "./db/log.ts";
import { afterFailure, type RetryRules } from "./schedule.ts";

/** An event that nobody has tried yet. */
export const untried = (subscriptionId: string, event: LogRow, now: Date): Delivery => ({
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

/** What an accepted try makes of it. */
export const delivered = (
  delivery: Delivery,
  { status }: Extract<Attempt, { kind: "accepted" }>,
  now: Date,
): Delivery => ({
  ...delivery,
  state: "delivered",
  tries: delivery.tries + 1,
  status: status ?? null,
  reason: null,
  next_time: null,
  retry_time: null,
  changed_time: now,
});

/** What a failed try makes of it. */
export const failed = (
  rules: RetryRules,
  delivery: Delivery & { readonly state: "waiting" | "aside"; readonly first_time: Date },
  failure: Extract<Attempt, { kind: "failed" }>,
  now: Date,
): Delivery => {
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

/** The line that the log says of a dead letter. */
export const deathOf = (name: string, { event_id, tries, reason }: Pick<Delivery, "event_id" | "tries" | "reason">) =>
  `events: ${name}: event ${event_id} is a dead letter after ${tries} ${tries === 1 ? "try" : "tries"}: ${reason ?? ""}`;
