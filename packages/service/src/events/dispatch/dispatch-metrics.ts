import type { Log, Metrics } from "@parley/telemetry";
import type { TelemetryStore } from "../../base/telemetry/store.ts";
import type { EventDelivery } from "./deliveries.sql.ts";
import { deadLetterLine, type AttemptDelivery } from "./delivery.ts";
import type { QueueBacklog } from "./subscription-queue.ts";
import type { Subscription } from "./subscriptions.sql.ts";

/** Reports an event that was given up. */
export type ReportDeadLetter = (subscription: Pick<Subscription, "name" | "kind">, delivery: EventDelivery) => void;

/** Logs and counts dead letters. */
export const createReportDeadLetter = (metrics: Metrics, log: Log): ReportDeadLetter => {
  const count = metrics.counter("parley_dead_letters_total");
  return ({ name, kind }, delivery) => {
    count({ kind });
    log(deadLetterLine(name, delivery), { level: "error", part: "events" });
  };
};

/** Times the attempts that send a request. */
export const measureAttempts = (metrics: Metrics, attempt: AttemptDelivery): AttemptDelivery => {
  if (!metrics.isOn) return attempt;
  const observe = metrics.histogram("parley_delivery_attempt_duration_seconds");
  return async (subscription, event, before) => {
    const begun = performance.now();
    const result = await attempt(subscription, event, before);
    if (!result.hasNoRequest)
      observe({ kind: subscription.kind, outcome: result.outcome.kind }, (performance.now() - begun) / 1_000);
    return result;
  };
};

interface BacklogMetricsDeps {
  readonly metrics: Metrics;
  readonly backlogs: () => ReadonlyMap<Subscription["kind"], QueueBacklog>;
  /** Number of partitions that this process delivers. */
  readonly partitions: () => number;
  readonly store: Pick<TelemetryStore, "eventAges">;
}

/** Reports what subscriptions have not received. */
export const reportBacklogs = ({ metrics, backlogs, partitions, store }: BacklogMetricsDeps): void => {
  if (!metrics.isOn) return;
  metrics.gauge("parley_event_partitions", () => [{ labels: {}, value: partitions() }]);
  metrics.gauge("parley_events_pending", () =>
    [...backlogs()].map(([kind, { events }]) => ({ labels: { kind }, value: events })),
  );
  metrics.gauge("parley_event_lag_seconds", async () => {
    const all = [...backlogs()];
    const oldest = all.flatMap(([, each]) => each.oldest ?? []);
    const ages = new Map(
      oldest.length === 0 ? [] : (await store.eventAges(oldest)).map(({ seq, age_s }) => [seq, age_s]),
    );
    // Without an outstanding event, or with one that was removed from the log meanwhile, nothing is behind.
    return all.map(([kind, { oldest: seq }]) => ({ labels: { kind }, value: Math.max(0, ages.get(seq ?? 0) ?? 0) }));
  });
};
