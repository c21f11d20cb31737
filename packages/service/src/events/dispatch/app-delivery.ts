import type { Log } from "@parley/telemetry";
import type { sleep as sleepMs } from "../../base/concurrency/wake-signal.ts";
import type { LogRow } from "../../base/log/store.ts";
import type { EventDelivery } from "./deliveries.sql.ts";
import { retryUntilPersisted } from "./delivery.ts";
import type { DeliveryMachine } from "./delivery-machine.ts";
import type { DispatchRules } from "./dispatch-rules.ts";
import { createSharedBackoff, sleepWhile } from "./host-backoff.ts";
import type { ActiveSubscriptions } from "./subscriptions.ts";
import type { Subscription } from "./subscriptions.sql.ts";

interface AppDeliveryDeps {
  readonly subscription: Pick<Subscription, "id" | "name">;
  readonly machine: DeliveryMachine;
  readonly active: Pick<ActiveSubscriptions, "get">;
  readonly rules: DispatchRules;
  /** The wait before the next attempt. */
  readonly sleep: typeof sleepMs;
  readonly saveDeadLetter: (delivery: EventDelivery) => Promise<unknown>;
  /** Aborts when the dispatcher ends. */
  readonly shutdownSignal: AbortSignal;
  readonly log: Log;
}

/**
 * Delivers events to one app subscription in order: an event that fails is kept in memory until its next attempt, and its entity waits. After
 * the retry budget it becomes a dead letter and the next one proceeds.
 * @assumed An app host's reply 400, 401, 404 or 410 makes the event a dead letter at once; an unreachable host is waited for.
 */
export const createAppDelivery = ({
  subscription: { id, name },
  machine,
  active,
  rules: { hostWaitMs, retryWaitsMs, budgetMs },
  sleep,
  saveDeadLetter,
  shutdownSignal,
  log,
}: AppDeliveryDeps) => {
  const host = createSharedBackoff(hostWaitMs, {
    url: () => active.get(id)?.url,
    shutdownSignal,
    log: (line, fields) => log(`${name}: ${line}`, { ...fields, part: "events" }),
  });
  const isActive = () => active.get(id) !== undefined;

  /** -> false when the signal or a pause ended it: the event is neither delivered nor a dead letter */
  return (event: LogRow, signal: AbortSignal): Promise<boolean> => {
    let spentMs = 0;
    const saveDead = async (dead: EventDelivery): Promise<boolean> =>
      (await retryUntilPersisted(() => saveDeadLetter(dead), signal, log)) !== undefined;
    return machine.deliver(
      id,
      event,
      {
        host,
        async keep(attempted) {
          // A paused app gets the event with all of its attempts when it is resumed.
          if (signal.aborted || !isActive()) return false;
          const { after, attemptMs } = attempted;
          const waitMs = retryWaitsMs[after.tries - 1] ?? 0;
          spentMs += attemptMs + waitMs;
          if (after.state === "dead" || spentMs >= budgetMs) {
            const dead = { ...after, state: "dead" as const, next_time: null, retry_time: null };
            return machine.conclude({ ...attempted, after: dead }, saveDead, signal);
          }
          await sleepWhile(isActive, waitMs, signal, sleep);
          return { ...after, state: "waiting" };
        },
      },
      signal,
    );
  };
};
