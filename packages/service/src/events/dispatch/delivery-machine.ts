import type { Log } from "@parley/telemetry";
import type { Ports } from "../../base/environment/ports.ts";
import type { LogRow } from "../../base/log/store.ts";
import type { EventDelivery } from "./deliveries.sql.ts";
import {
  type AttemptDelivery,
  type DeliveryLog,
  deliveryAfterAttempt,
  newDelivery,
  type PendingDelivery,
  retryUntilPersisted,
} from "./delivery.ts";
import type { ReportDeadLetter } from "./dispatch-metrics.ts";
import type { DeliveryRetryRules } from "./dispatch-rules.ts";
import type { HostBackoff } from "./host-backoff.ts";
import type { RequestOutcome } from "./subscriber-kind.ts";
import type { ActiveSubscriptions } from "./subscriptions.ts";
import type { Subscription } from "./subscriptions.sql.ts";
import type { WaitingLimit } from "./waiting-limit.ts";

/** A delivery after an attempt. */
interface AttemptedDelivery {
  readonly subscription: Subscription;
  readonly outcome: RequestOutcome;
  /** Unchanged, except for `taken`, when the receiver was unreachable. */
  readonly after: EventDelivery;
  /** Whether the event had nothing for this subscriber. */
  readonly hasNoRequest: boolean;
  /** Duration of the attempt. @units milliseconds */
  readonly attemptMs: number;
}

/**
 * Decides what becomes of an event whose attempt failed. -> the delivery to attempt again now; true when it is kept elsewhere or given up;
 * false when the signal or a pause ended it before
 */
type KeepFailed = (attempted: AttemptedDelivery) => Promise<PendingDelivery | boolean>;

interface DeliveryMachineDeps {
  readonly attemptDelivery: AttemptDelivery;
  readonly rulesOf: (kind: Subscription["kind"]) => DeliveryRetryRules;
  readonly active: Pick<ActiveSubscriptions, "get">;
  /** Resolves when this process is known to hold its partitions still, or when the signal aborts. */
  readonly confirmHeld: (signal: AbortSignal) => Promise<void>;
  readonly waitingLimit: Pick<WaitingLimit, "attempted" | "offReason">;
  readonly turnOff: (subscription: Subscription, reason: string) => Promise<void>;
  readonly deliveryLog: DeliveryLog;
  readonly reportDeadLetter: ReportDeadLetter;
  readonly ports: Pick<Ports, "now">;
  readonly log: Log;
}

/**
 * The steps of each delivery, to app hosts and webhooks alike.
 *
 *   reachable ──► ready ──► attempt ─┬─ unreachable ──► reachable         no attempt is used
 *                   │                ├─ accepted ─────► delivered         recorded in the delivery log
 *                   │                └─ failed ───────► waiting or aside  kept; reachable again when the wait is over
 *                   │                                   dead              reported and saved
 *                   └─ not held, or the subscription is paused, off or removed: the event stays where it is
 *
 * Only where a delivery is kept while it waits differs: an app's in the memory of its queue, until a pause or the end of the process, after
 * which it starts anew with all of its attempts (app-delivery.ts); a webhook's, and each replay, in its row (retry-queue.ts).
 */
export const createDeliveryMachine = ({
  attemptDelivery,
  rulesOf,
  active,
  confirmHeld,
  waitingLimit,
  turnOff,
  deliveryLog,
  reportDeadLetter,
  ports: { now },
  log,
}: DeliveryMachineDeps) => {
  /** Subscriptions that are being turned off: nothing more is sent to them. */
  const turningOff = new Set<string>();

  const activeSubscription = (id: string): Subscription | undefined =>
    turningOff.has(id) ? undefined : active.get(id);

  /** -> the subscription with its present address; undefined when nothing may be sent to it, or when the signal ended the wait */
  const ready = async (id: string, signal: AbortSignal): Promise<Subscription | undefined> => {
    await confirmHeld(signal);
    return signal.aborted ? undefined : activeSubscription(id);
  };

  const attempt = async (subscription: Subscription, pending: PendingDelivery): Promise<AttemptedDelivery> => {
    const rules = rulesOf(subscription.kind);
    const [first_time, begun] = [pending.first_time ?? now(), performance.now()];
    const { tries, taken: takenBefore } = pending;
    const { outcome, taken, hasNoRequest } = await attemptDelivery(subscription, pending, {
      tries,
      taken: takenBefore,
      timeoutMs: rules.attemptTimeoutMs,
    });
    const attempted = { subscription, outcome, hasNoRequest, attemptMs: performance.now() - begun };
    if (outcome.kind === "unreachable") return { ...attempted, after: { ...pending, taken } };
    waitingLimit.attempted(subscription.id, outcome);
    return { ...attempted, after: deliveryAfterAttempt(rules, { ...pending, taken, first_time }, outcome, now()) };
  };

  /** Saves a delivery after its attempt. When the attempt turns the subscription off, it is off when this resolves. */
  const conclude = async <T>(
    { subscription, outcome, after }: AttemptedDelivery,
    save: (after: EventDelivery) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> => {
    if (after.state === "dead") reportDeadLetter(subscription, after);
    const offReason = waitingLimit.offReason(after, outcome);
    if (offReason === undefined) return save(after);
    turningOff.add(subscription.id);
    try {
      const saved = await save(after);
      await retryUntilPersisted(() => turnOff(subscription, offReason), signal, log);
      return saved;
    } finally {
      turningOff.delete(subscription.id);
    }
  };

  return {
    activeSubscription,
    ready,
    attempt,
    conclude,
    /** Delivers an event that has no row. -> false when the signal or a pause ended it: the event is neither delivered nor kept */
    async deliver(
      id: string,
      event: LogRow,
      { host, keep }: { readonly host: HostBackoff; readonly keep: KeepFailed },
      signal: AbortSignal,
    ): Promise<boolean> {
      for (let pending = newDelivery(id, event, now()); ;) {
        await host.whenReachable(signal);
        const subscription = await ready(id, signal);
        if (!subscription) return false;
        const attempted = await attempt(subscription, pending);
        const { outcome, after, hasNoRequest } = attempted;
        if (outcome.kind === "unreachable") {
          await host.unreachable(outcome.reason, signal);
          pending = { ...pending, taken: after.taken };
          continue;
        }
        host.reached();
        if (after.state === "delivered") {
          if (!hasNoRequest) deliveryLog.record(after);
          return true;
        }
        const kept = await keep(attempted);
        if (typeof kept === "boolean") return kept;
        pending = kept;
      }
    },
  };
};
export type DeliveryMachine = ReturnType<typeof createDeliveryMachine>;
