import { gather } from "@parley/database";
import { failureText, type Log } from "@parley/telemetry";
import { createKeyedQueue } from "../../base/concurrency/keyed-mutex.ts";
import { createWakeSignal, sleep } from "../../base/concurrency/wake-signal.ts";
import type { Ports } from "../../base/environment/ports.ts";
import type { LogRow } from "../../base/log/store.ts";
import type { ReportDeadLetter } from "./dispatch-metrics.ts";
import type { ActiveSubscriptions } from "./subscriptions.ts";
import type { DeliveryStore, EventDelivery } from "./deliveries.sql.ts";
import {
  type AttemptDelivery,
  type DeliveryLog,
  assertTransition,
  deliveryAfterAttempt,
  retryUntilPersisted,
  newDelivery,
} from "./delivery.ts";
import type { DeliveryRetryRules } from "./dispatch-rules.ts";
import type { PartitionLease } from "./leases.sql.ts";
import type { Subscription } from "./subscriptions.sql.ts";
import type { WaitingLimit } from "./waiting-limit.ts";

/**
 * Events that wait for another attempt, of all subscriptions. They are rows of the table `deliveries`, so that they survive the process and
 * take no place in a subscription's queue. While an event of an entity is in the state `waiting`, later events of the entity are saved
 * behind it (see `delivery.ts` for the states).
 */
interface RetryQueue {
  /** Reads which entities are held up, before queues deliver events of these subscriptions and partitions. */
  prepare(subscriptionIds: readonly string[], partitions: readonly number[]): Promise<void>;
  /** Attempts an event for the first time, or saves it behind one that waits. -> false when the signal ended it before */
  deliver(current: () => Subscription, event: LogRow, signal: AbortSignal): Promise<boolean>;
  /** Stops retries of a partition. Resolves when none is under way. */
  release(partition: number): Promise<void>;
  /** A retry may be due. */
  notify(): void;
  /** Starts the retries that are due and waits for the next one. */
  step(): Promise<void>;
}

interface RetryQueueDeps {
  readonly store: DeliveryStore;
  readonly rulesOf: (kind: Subscription["kind"]) => DeliveryRetryRules;
  readonly attemptDelivery: AttemptDelivery;
  /** Whether events of a kind can make a request for the subscription. */
  readonly wants: (subscription: Subscription, eventKind: LogRow["kind"]) => boolean;
  readonly active: Pick<ActiveSubscriptions, "get">;
  readonly leases: () => readonly PartitionLease[];
  /** Resolves when this process is known to hold its partitions still, or when the signal aborts. */
  readonly confirmHeld: (signal: AbortSignal) => Promise<void>;
  readonly turnOff: (subscription: Subscription, reason: string) => Promise<void>;
  readonly waitingLimit: Omit<WaitingLimit, "count">;
  readonly deliveryLog: DeliveryLog;
  readonly ports: Pick<Ports, "now">;
  /** Aborts when the dispatcher ends. */
  readonly shutdownSignal: AbortSignal;
  readonly reportDeadLetter: ReportDeadLetter;
  readonly log: Log;
  /** Longest time between two reads of due deliveries. @units milliseconds */
  readonly pollMs: number;
}

/** For one subscription. */
const MAX_CONCURRENT_RETRIES = 8;
/** Wait before an event is attempted again that could not be read or whose host could not be reached. @units milliseconds */
const UNREACHABLE_RETRY_MS = 500;
/** Shortest time between two reads of due deliveries. @units milliseconds */
const MIN_STEP_INTERVAL_MS = 20;
/** Time between two searches for rows that a process left inconsistent when it ended. @units milliseconds */
const REPAIR_INTERVAL_MS = 60_000;

const entityKey = ({ subscription_id, entity_id }: Pick<EventDelivery, "subscription_id" | "entity_id">) =>
  `${subscription_id} ${entity_id}`;
const deliveryKey = ({ subscription_id, seq }: Pick<EventDelivery, "subscription_id" | "seq">) =>
  `${subscription_id} ${seq}`;

export const createRetryQueue = ({
  store,
  rulesOf,
  attemptDelivery,
  wants,
  active,
  leases,
  confirmHeld,
  turnOff,
  waitingLimit,
  deliveryLog,
  ports: { now },
  shutdownSignal,
  reportDeadLetter,
  log,
  pollMs,
}: RetryQueueDeps): RetryQueue => {
  /** Entities whose order is held up by a waiting event, with their partitions. */
  const heldUp = new Map<string, number>();
  const running = new Map<string, { subscriptionId: string; partition: number; end: Promise<void> }>();
  const inOrderOfEntity = createKeyedQueue();
  const wakeSignal = createWakeSignal();
  /** Retries that ended since the last read of due rows began: that read may return their rows as they were before. */
  const endedSinceRead = new Set<string>();
  /** Subscriptions that are being turned off: nothing more is sent to them. */
  const turningOff = new Set<string>();
  let nextDue = Infinity;
  let lastRepair = -Infinity;

  const activeSubscription = (id: string): Subscription | undefined =>
    turningOff.has(id) ? undefined : active.get(id);

  /** Saves the outcome of an attempt. When it turns the subscription off, the subscription is off when this resolves. */
  const saveOutcome = async <T>(
    subscription: Subscription,
    offReason: string | undefined,
    save: () => Promise<T>,
    signal: AbortSignal,
  ) => {
    if (offReason === undefined) return save();
    turningOff.add(subscription.id);
    try {
      const saved = await save();
      await retryUntilPersisted(() => turnOff(subscription, offReason), signal, log);
      return saved;
    } finally {
      turningOff.delete(subscription.id);
    }
  };

  const scheduleAt = (time: Date | null): void => {
    if (time === null || time.getTime() >= nextDue) return;
    nextDue = time.getTime();
    wakeSignal.notify();
  };

  const put = gather<EventDelivery, EventDelivery["state"] | undefined>({
    name: "deliveries",
    maxBatch: 128,
    maxInFlight: 1,
    maxQueue: Number.MAX_SAFE_INTEGER,
    run: async (rows) => {
      const states = new Map((await store.put(rows)).map((row) => [deliveryKey(row), row.state]));
      return rows.map((row) => states.get(deliveryKey(row)));
    },
  });

  /** Saves a row; to be called in the order of its entity. -> false when the signal ended it before */
  const saveRow = async (row: EventDelivery, signal: AbortSignal): Promise<boolean> => {
    const saved = await retryUntilPersisted(() => put(row), signal, log);
    // The table decides: a partition that was lost and taken again meanwhile may have another state than this process knows.
    if (saved?.value === "waiting") heldUp.set(entityKey(row), row.partition);
    if (saved && row.state !== "dead") waitingLimit.added(row.subscription_id);
    scheduleAt(row.next_time);
    return saved !== undefined;
  };

  const attemptFirst = async (current: () => Subscription, event: LogRow, signal: AbortSignal): Promise<boolean> => {
    for (;;) {
      const subscription = current();
      const rules = rulesOf(subscription.kind);
      await confirmHeld(signal);
      if (signal.aborted || !activeSubscription(subscription.id)) return false;
      const first_time = now();
      const { outcome, taken, hasNoRequest } = await attemptDelivery(subscription, event, {
        tries: 0,
        taken: 0,
        timeoutMs: rules.attemptTimeoutMs,
      });
      if (outcome.kind === "unreachable") {
        await sleep(UNREACHABLE_RETRY_MS, signal);
        continue;
      }
      const row = { ...newDelivery(subscription.id, event, first_time), state: "waiting" as const, first_time, taken };
      waitingLimit.attempted(subscription.id, outcome);
      const after = deliveryAfterAttempt(rules, row, outcome, now());
      if (after.state === "delivered") {
        if (!hasNoRequest) deliveryLog.record(after);
        return true;
      }
      if (after.state === "dead") reportDeadLetter(subscription, after);
      const save = () => inOrderOfEntity(entityKey(after), () => saveRow(after, signal));
      return saveOutcome(subscription, waitingLimit.offReason(after, outcome), save, signal);
    }
  };

  /**
   * The row was changed by another process, or it was settled, the database's reply was lost, and the row has expired since: what this
   * process knows of the entity is read again.
   */
  const reread = async (row: EventDelivery, signal: AbortSignal): Promise<void> => {
    const rows = await retryUntilPersisted(
      () => store.heldEntities([row.subscription_id], [row.partition]),
      signal,
      log,
    );
    if (rows && !rows.value.some((each) => entityKey(each) === entityKey(row))) heldUp.delete(entityKey(row));
    lastRepair = -Infinity;
    wakeSignal.notify();
  };

  const settle = (before: EventDelivery, after: EventDelivery, signal: AbortSignal): Promise<void> => {
    assertTransition(before.state, after.state);
    return inOrderOfEntity(entityKey(before), async () => {
      const settled = await retryUntilPersisted(() => store.settle(before, after), signal, log);
      if (!settled) return;
      if (!settled.value) return reread(before, signal);
      scheduleAt(after.next_time);
      if (after.state === "waiting") return;
      if (settled.value.isFollowed) wakeSignal.notify();
      else if (!before.is_replay && before.state === "waiting") heldUp.delete(entityKey(before));
    });
  };

  /** Attempts a due row again, or sets it aside when the time in which it may hold up its entity is over. */
  const retry = async (row: EventDelivery, { signal }: PartitionLease): Promise<void> => {
    const subscription = activeSubscription(row.subscription_id);
    const { state, retry_time } = row;
    if (!subscription || (state !== "waiting" && state !== "aside")) return;
    const began = now();
    if (state === "waiting" && retry_time !== null && retry_time > began)
      return settle(row, { ...row, state: "aside", next_time: retry_time, changed_time: began }, signal);
    await confirmHeld(signal);
    if (signal.aborted) return;
    const rules = rulesOf(subscription.kind);
    const pending = { ...row, state, first_time: row.first_time ?? began };
    // The subscription's actions were changed since, or a replay contains events of every kind.
    if (!wants(subscription, row.kind))
      return settle(row, deliveryAfterAttempt(rules, pending, { kind: "accepted" }, now()), signal);
    const { outcome, taken } = await attemptDelivery(subscription, row, {
      tries: row.tries,
      taken: row.taken,
      timeoutMs: rules.attemptTimeoutMs,
    });
    if (outcome.kind === "unreachable")
      return settle(row, { ...row, taken, next_time: new Date(now().getTime() + UNREACHABLE_RETRY_MS) }, signal);
    waitingLimit.attempted(subscription.id, outcome);
    const after = deliveryAfterAttempt(rules, { ...pending, taken }, outcome, now());
    if (after.state === "dead") reportDeadLetter(subscription, after);
    await saveOutcome(subscription, waitingLimit.offReason(after, outcome), () => settle(row, after, signal), signal);
  };

  const startRetry = (row: EventDelivery, lease: PartitionLease): void => {
    const { subscription_id: subscriptionId, partition } = row;
    const key = deliveryKey(row);
    const concurrent = [...running.values()].filter((each) => each.subscriptionId === subscriptionId).length;
    if (running.has(key) || endedSinceRead.has(key) || concurrent >= MAX_CONCURRENT_RETRIES) return;
    const end = retry(row, lease)
      .catch((error: unknown) => log(`retry: ${failureText(error)}`, { level: "error", part: "events" }))
      .finally(() => {
        running.delete(key);
        endedSinceRead.add(key);
        wakeSignal.notify();
      });
    running.set(key, { subscriptionId, partition, end });
  };

  const startDueRetries = async (): Promise<void> => {
    const held = new Map(leases().map((lease) => [lease.partition, lease]));
    if (held.size === 0) return;
    if (performance.now() - lastRepair > REPAIR_INTERVAL_MS) {
      await store.repair([...held.keys()], now());
      lastRepair = performance.now();
    }
    nextDue = Infinity;
    endedSinceRead.clear();
    for (const row of await store.due(now(), [...held.keys()], 2 * MAX_CONCURRENT_RETRIES)) {
      const lease = held.get(row.partition);
      if (lease && !lease.signal.aborted) startRetry(row, lease);
    }
  };

  return {
    async prepare(subscriptionIds, partitions) {
      const rows = await store.heldEntities(subscriptionIds, partitions);
      const [requested, opened] = [new Set(subscriptionIds), new Set(partitions)];
      for (const [key, partition] of heldUp)
        if (opened.has(partition) && requested.has(key.split(" ", 1)[0] ?? "")) heldUp.delete(key);
      for (const row of rows) heldUp.set(entityKey(row), row.partition);
      lastRepair = -Infinity;
      wakeSignal.notify();
    },
    async deliver(current, event, signal) {
      await waitingLimit.turn(current().id, signal);
      const row = newDelivery(current().id, event, now());
      const key = entityKey(row);
      if (!heldUp.has(key)) return attemptFirst(current, event, signal);
      const saved = await inOrderOfEntity(key, async () => (heldUp.has(key) ? saveRow(row, signal) : undefined));
      return saved ?? attemptFirst(current, event, signal);
    },
    async release(partition) {
      for (const [key, heldPartition] of heldUp) if (heldPartition === partition) heldUp.delete(key);
      await Promise.all([...running.values()].filter((each) => each.partition === partition).map((each) => each.end));
    },
    notify: () => wakeSignal.notify(),
    async step() {
      await startDueRetries();
      if (shutdownSignal.aborted) return;
      await wakeSignal.wait(Math.min(Math.max(nextDue - now().getTime(), 0), pollMs));
      await sleep(MIN_STEP_INTERVAL_MS, shutdownSignal);
    },
  };
};
