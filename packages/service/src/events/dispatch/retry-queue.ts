import { gather } from "@parley/database";
import { failureText, type Log } from "@parley/telemetry";
import { createKeyedQueue } from "../../base/concurrency/keyed-mutex.ts";
import { createWakeSignal, sleep } from "../../base/concurrency/wake-signal.ts";
import type { Ports } from "../../base/environment/ports.ts";
import type { LogRow } from "../../base/log/store.ts";
import type { DeliveryStore, EventDelivery } from "./deliveries.sql.ts";
import { assertTransition, deliveryAfterSuccess, newDelivery, retryUntilPersisted } from "./delivery.ts";
import type { DeliveryMachine } from "./delivery-machine.ts";
import type { HostBackoff } from "./host-backoff.ts";
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
  deliver(subscriptionId: string, event: LogRow, signal: AbortSignal): Promise<boolean>;
  /** Stops retries of a partition. Resolves when no retry is in progress. */
  release(partition: number): Promise<void>;
  /** A retry may be due. */
  notify(): void;
  /** Starts the retries that are due and waits for the next retry. */
  step(): Promise<void>;
}

interface RetryQueueDeps {
  readonly store: DeliveryStore;
  readonly machine: DeliveryMachine;
  /** Whether events of a kind can make a request for the subscription. */
  readonly wants: (subscription: Subscription, eventKind: LogRow["kind"]) => boolean;
  readonly leases: () => readonly PartitionLease[];
  readonly waitingLimit: Pick<WaitingLimit, "turn" | "added">;
  readonly ports: Pick<Ports, "now">;
  /** Aborts when the dispatcher ends. */
  readonly shutdownSignal: AbortSignal;
  readonly log: Log;
  /** Longest time between two reads of due deliveries. @units milliseconds */
  readonly pollMs: number;
}

/** For one subscription. */
const CONCURRENT_RETRIES_MAX = 8;
/** Wait before an event is attempted again that could not be read or whose host could not be reached. @units milliseconds */
const UNREACHABLE_RETRY_MS = 500;
/** Shortest time between two reads of due deliveries. @units milliseconds */
const STEP_INTERVAL_MS_MIN = 20;
/** Time between two searches for rows that a process left inconsistent when it ended. @units milliseconds */
const REPAIR_INTERVAL_MS = 60_000;

/** A webhook is unreachable while the database can't be read: each event waits by itself. */
const BRIEF_BACKOFF: HostBackoff = {
  whenReachable: () => Promise.resolve(),
  unreachable: (_, signal) => sleep(UNREACHABLE_RETRY_MS, signal),
  reached: () => undefined,
};

const entityKey = ({ subscription_id, entity_id }: Pick<EventDelivery, "subscription_id" | "entity_id">) =>
  `${subscription_id} ${entity_id}`;
const deliveryKey = ({ subscription_id, seq }: Pick<EventDelivery, "subscription_id" | "seq">) =>
  `${subscription_id} ${seq}`;

export const createRetryQueue = ({
  store,
  machine,
  wants,
  leases,
  waitingLimit,
  ports: { now },
  shutdownSignal,
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
  let nextDue = Infinity;
  let lastRepair = -Infinity;

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

  const attemptFirst = (id: string, event: LogRow, signal: AbortSignal): Promise<boolean> =>
    machine.deliver(
      id,
      event,
      {
        host: BRIEF_BACKOFF,
        keep: (attempted) =>
          machine.conclude(attempted, (row) => inOrderOfEntity(entityKey(row), () => saveRow(row, signal)), signal),
      },
      signal,
    );

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
    const { subscription_id, state, retry_time } = row;
    if (!machine.activeSubscription(subscription_id) || (state !== "waiting" && state !== "aside")) return;
    const began = now();
    if (state === "waiting" && retry_time !== null && retry_time > began)
      return settle(row, { ...row, state: "aside", next_time: retry_time, changed_time: began }, signal);
    const subscription = await machine.ready(subscription_id, signal);
    if (!subscription) return;
    // The subscription's actions were changed since, or a replay contains events of every kind.
    if (!wants(subscription, row.kind))
      return settle(row, deliveryAfterSuccess(row, { kind: "accepted" }, now()), signal);
    const attempted = await machine.attempt(subscription, { ...row, state });
    const { outcome, after } = attempted;
    if (outcome.kind === "unreachable")
      return settle(row, { ...after, next_time: new Date(now().getTime() + UNREACHABLE_RETRY_MS) }, signal);
    await machine.conclude(attempted, () => settle(row, after, signal), signal);
  };

  const startRetry = (row: EventDelivery, lease: PartitionLease): void => {
    const { subscription_id: subscriptionId, partition } = row;
    const key = deliveryKey(row);
    const concurrent = [...running.values()].filter((each) => each.subscriptionId === subscriptionId).length;
    if (running.has(key) || endedSinceRead.has(key) || concurrent >= CONCURRENT_RETRIES_MAX) return;
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
    for (const row of await store.due(now(), [...held.keys()], 2 * CONCURRENT_RETRIES_MAX)) {
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
    async deliver(subscriptionId, event, signal) {
      await waitingLimit.turn(subscriptionId, signal);
      const row = newDelivery(subscriptionId, event, now());
      const key = entityKey(row);
      if (!heldUp.has(key)) return attemptFirst(subscriptionId, event, signal);
      const saved = await inOrderOfEntity(key, async () => (heldUp.has(key) ? saveRow(row, signal) : undefined));
      return saved ?? attemptFirst(subscriptionId, event, signal);
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
      await sleep(STEP_INTERVAL_MS_MIN, shutdownSignal);
    },
  };
};
