import type { Log } from "@parley/telemetry";
import type { Ports } from "../../base/environment/ports.ts";
import { sleep as sleepMs, withLinkedAbort } from "../../base/concurrency/wake-signal.ts";
import type { LogRow } from "../../base/log/store.ts";
import type { ReportDeadLetter } from "./dispatch-metrics.ts";
import type { EventDelivery } from "./deliveries.sql.ts";
import {
  type AttemptDelivery,
  type DeliveryLog,
  deliveryAfterAttempt,
  retryUntilPersisted,
  newDelivery,
} from "./delivery.ts";
import { appRetryRules, type DispatchRules } from "./dispatch-rules.ts";
import type { Subscription } from "./subscriptions.sql.ts";

/** Time between two checks of the condition of a wait. @units milliseconds */
const CONDITION_CHECK_MS = 250;

/** Sleeps no longer than the condition holds. */
const sleepWhile = async (
  holds: () => boolean,
  ms: number,
  signal: AbortSignal,
  sleep: typeof sleepMs,
): Promise<void> => {
  await withLinkedAbort(signal, async (linked) => {
    const check = setInterval(() => {
      if (!holds()) linked.abort();
    }, CONDITION_CHECK_MS);
    // One sleep for the whole time: a jump of the clock ends it.
    await sleep(ms, linked.signal).finally(() => clearInterval(check));
  });
};

/**
 * Shared backoff of all deliveries to one host. An attempt at a host that is down says nothing about the event, so it uses no attempt of
 * the event's retry budget.
 *
 * States: reachable → waiting (each failure in a row doubles the wait) → reachable.
 */
interface HostBackoff {
  /** Resolves when an attempt makes sense, or when the signal aborts. */
  whenReachable(signal: AbortSignal): Promise<void>;
  /** The host could not be reached: all deliveries wait. */
  unreachable(reason: string): void;
  /** The host was reached. */
  reached(): void;
}

const createHostBackoff = (
  [minWaitMs, maxWaitMs]: readonly [number, number],
  {
    url,
    shutdownSignal,
    log,
  }: {
    /** The present address of the host. */
    readonly url: () => string | undefined;
    readonly shutdownSignal: AbortSignal;
    readonly log: Log;
  },
): HostBackoff => {
  let waitMs = 0;
  let waiting: Promise<void> | undefined;
  /** Another address is attempted soon, and a pause ends the wait. */
  const waitForHost = (ms: number): Promise<void> => {
    const before = url();
    return sleepWhile(() => url() === before, ms, shutdownSignal, sleepMs);
  };
  return {
    async whenReachable(signal) {
      while (waiting && !signal.aborted && !shutdownSignal.aborted) await waiting;
    },
    unreachable(reason) {
      if (waiting) return;
      if (waitMs === 0) log(`deliveries wait: ${reason}`, { level: "error" });
      waitMs = Math.min(Math.max(waitMs * 2, minWaitMs), maxWaitMs);
      waiting = waitForHost(waitMs).then(() => {
        waiting = undefined;
      });
    },
    reached() {
      if (waitMs > 0) log("deliveries continue");
      waitMs = 0;
    },
  };
};

interface AppDeliveryDeps {
  /** The subscription as it was when its queue began. */
  readonly subscription: Subscription;
  /** The subscription with its present address and kinds of events; undefined while it is paused or removed. */
  readonly current: () => Subscription | undefined;
  readonly rules: DispatchRules;
  readonly attemptDelivery: AttemptDelivery;
  /** Resolves when this process is known to hold the partition still. */
  readonly confirmHeld: (signal: AbortSignal) => Promise<void>;
  /** The wait before the next attempt. */
  readonly sleep: typeof sleepMs;
  readonly saveDeadLetter: (delivery: EventDelivery) => Promise<unknown>;
  readonly deliveryLog: DeliveryLog;
  readonly ports: Pick<Ports, "now">;
  /** Aborts when the dispatcher ends. */
  readonly shutdownSignal: AbortSignal;
  readonly reportDeadLetter: ReportDeadLetter;
  readonly log: Log;
}

/**
 * Delivers events to one app subscription in order. After the retry budget an event becomes a dead letter and the next one proceeds.
 * @assumed An app host's reply 400, 401, 404 or 410 makes the event a dead letter at once; an unreachable host is waited for.
 */
export const createAppDelivery = ({
  subscription: { id, name, kind },
  current,
  rules,
  attemptDelivery,
  confirmHeld,
  sleep,
  saveDeadLetter,
  deliveryLog,
  ports: { now },
  shutdownSignal,
  reportDeadLetter,
  log,
}: AppDeliveryDeps) => {
  const host = createHostBackoff(rules.hostWaitMs, {
    url: () => current()?.url,
    shutdownSignal,
    log: (line, fields) => log(`${name}: ${line}`, { ...fields, part: "events" }),
  });
  const isActive = () => current() !== undefined;

  /** -> false when the signal or a pause ended it: the event is neither delivered nor a dead letter */
  return async (event: LogRow, signal: AbortSignal): Promise<boolean> => {
    const first_time = now();
    let delivery = { ...newDelivery(id, event, first_time), state: "waiting" as const, first_time };
    for (let spentMs = 0; ;) {
      await host.whenReachable(signal);
      await confirmHeld(signal);
      const subscription = current();
      if (signal.aborted || !subscription) return false;
      const began = performance.now();
      const { outcome, taken } = await attemptDelivery(subscription, event, {
        ...delivery,
        timeoutMs: rules.attemptTimeoutMs,
      });
      if (outcome.kind === "unreachable") {
        host.unreachable(outcome.reason);
        continue;
      }
      host.reached();
      const after = deliveryAfterAttempt(appRetryRules(rules), { ...delivery, taken }, outcome, now());
      if (after.state === "delivered") {
        deliveryLog.record(after);
        return true;
      }
      // A paused app gets the event with all of its attempts when it is resumed.
      if (signal.aborted || !isActive()) return false;
      const waitMs = rules.retryWaitsMs[delivery.tries] ?? 0;
      spentMs += performance.now() - began + waitMs;
      if (after.state === "dead" || spentMs >= rules.budgetMs) {
        const deadLetter: EventDelivery = { ...after, state: "dead", next_time: null, retry_time: null };
        reportDeadLetter({ name, kind }, deadLetter);
        return (await retryUntilPersisted(() => saveDeadLetter(deadLetter), signal, log)) !== undefined;
      }
      delivery = { ...delivery, taken, tries: after.tries };
      await sleepWhile(isActive, waitMs, signal, sleep);
    }
  };
};
