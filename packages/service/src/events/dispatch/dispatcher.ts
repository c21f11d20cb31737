import { createSemaphore, gather, UNBOUNDED_WAIT, type Database } from "@parley/database";
import type { Egress } from "@parley/egress";
import { failureText, type Log, type Metrics } from "@parley/telemetry";
import { createRecordAudit, SYSTEM_ACTOR } from "../../identity/audit/record.sql.ts";
import { runLoop } from "../../base/concurrency/run-loop.ts";
import { singleFlight } from "../../base/concurrency/keyed-mutex.ts";
import { createClockSleep, createStopController, createWakeSignal, sleep } from "../../base/concurrency/wake-signal.ts";
import { SERVICE_SCHEMA } from "../../base/db/migrations.ts";
import { KEYED_PLANS } from "../../base/db/pools.ts";
import type { Directory } from "../../messaging/directory/directory.ts";
import type { Ports } from "../../base/environment/ports.ts";
import { payloadStore, type EventRow } from "../event-payload/store.ts";
import { createLogFeed } from "../../base/log/feed.ts";
import { createLogListener, notify } from "../../base/log/notifications.sql.ts";
import { logStore, PARTITIONS, type LogRow } from "../../base/log/store.ts";
import { reportPools } from "../../base/telemetry/process-metrics.ts";
import { telemetryStore } from "../../base/telemetry/store.ts";
import { createActiveSubscriptions } from "./subscriptions.ts";
import { createAppDelivery } from "./app-delivery.ts";
import { createAppSubscriber } from "./app-subscriber.ts";
import { deliveryStore } from "./deliveries.sql.ts";
import { createAttemptDelivery, createDeliveryLog } from "./delivery.ts";
import { createDeliveryMachine } from "./delivery-machine.ts";
import { createLoopUtilization } from "../../base/concurrency/loop-utilization.ts";
import { createDeliveryPacing } from "./delivery-pacing.ts";
import { appRetryRules, DISPATCH_RULES, type DispatchRules } from "./dispatch-rules.ts";
import { createReportDeadLetter, measureAttempts, reportBacklogs } from "./dispatch-metrics.ts";
import { createPartitionLeases } from "./leases.sql.ts";
import { cursorStore } from "./partition-cursor.sql.ts";
import { createRetention, retentionStore } from "./retention.sql.ts";
import { createRetryQueue } from "./retry-queue.ts";
import type { SubscriberKind, SubscriberKinds } from "./subscriber-kind.ts";
import { createSubscriptionQueue } from "./subscription-queue.ts";
import { createSubscriptionQueues } from "./subscription-queues.ts";
import { subscriptionStore, type Subscription } from "./subscriptions.sql.ts";
import { createWaitingLimit } from "./waiting-limit.ts";

export interface DispatcherOptions {
  readonly database: Database;
  readonly directory: Directory;
  readonly ports: Ports;
  readonly metrics: Metrics;
  readonly log: Log;
  /** Closed with the dispatcher. */
  readonly egress: Egress;
  /** Protocol for webhooks; when it is absent their events stay in the log. */
  readonly webhook?: SubscriberKind | undefined;
  readonly rules?: DispatchRules | undefined;
  /** Renews the signatures of the upload URLs in an event. */
  readonly resignUrls?: ((text: string, accountId: number) => string) | undefined;
}

/** Delivers committed events to their subscribers: in order per entity, at least once, each subscription at its own pace. */
export interface EventDispatcher {
  /** Events were committed. */
  wake(): void;
  /**
   * Lets deliveries under way end for the grace time, saves the cursors and releases the partitions.
   * @shape graceMs: that of the rules when absent
   */
  close(graceMs?: number): Promise<void>;
}

/** Connections for data that is not read or written for each event. */
const POOL_SIZE = 4;
/** Longest wait of a loop that only a notification wakes. @units milliseconds */
const IDLE_WAIT_MS = 60_000;

/** Composes the dispatcher: each part is created after the parts that it uses. */
async function startDispatcher({
  database,
  directory,
  ports,
  metrics,
  log,
  egress,
  webhook,
  rules = DISPATCH_RULES,
  resignUrls = (text) => text,
}: DispatcherOptions): Promise<EventDispatcher> {
  const pool = database.pool(SERVICE_SCHEMA, { max: POOL_SIZE, applicationName: "parley events" });
  // Connections for the statements of each event: planning the statement that reads an event takes ten times as long as running it.
  const keyed = database.pool(SERVICE_SCHEMA, { max: 3, applicationName: "parley events", settings: KEYED_PLANS });
  const connect = () => database.connect(SERVICE_SCHEMA);
  const shutdown = createStopController();
  const { signal } = shutdown;
  const controlSignal = createWakeSignal();
  const saveSignal = createWakeSignal();
  const notifySignal = createWakeSignal();
  const notifyControl = () => notify(pool, "control");

  const eventLog = logStore({ keyed, other: pool });
  // All queues read back at once when a process takes partitions. One connection of the pool is left to other work.
  const backReads = createSemaphore({ max: POOL_SIZE - 1, ...UNBOUNDED_WAIT });
  const deliveries = deliveryStore(pool);
  const subscriptions = subscriptionStore(pool);
  const eventRows = payloadStore(keyed);
  const active = createActiveSubscriptions();
  const recordAudit = createRecordAudit(ports);
  const leases = createPartitionLeases({ connect, onUnlocked: () => void notifyControl().catch(() => undefined) });
  const feed = createLogFeed({ log: eventLog, rules, signal, isIdle: () => active.isEmpty() });
  const listener = createLogListener(connect, { log: () => feed.notify(), control: () => controlSignal.notify() });

  const kinds: SubscriberKinds = { app: createAppSubscriber({ egress, directory, ports, resignUrls }), webhook };
  const wants = (subscription: Subscription, eventKind: LogRow["kind"]): boolean =>
    kinds[subscription.kind]?.wants(subscription, eventKind) ?? false;
  const readEvent = gather<number, EventRow | undefined>({
    name: "events to deliver",
    maxBatch: 64,
    maxInFlight: 2,
    maxQueue: Number.MAX_SAFE_INTEGER,
    run: (positions) => eventRows.read(positions),
  });
  const attemptDelivery = measureAttempts(metrics, createAttemptDelivery(kinds, singleFlight(readEvent)));
  const reportDeadLetter = createReportDeadLetter(metrics, log);
  const deliveryLog = createDeliveryLog(deliveries);
  const pacing = createDeliveryPacing({
    rules: rules.pacing,
    utilization: createLoopUtilization(),
    now: () => performance.now(),
    repeat: (run, everyMs) => {
      const timer = setInterval(run, everyMs);
      return () => clearInterval(timer);
    },
  });

  const waitingLimit = createWaitingLimit({ rules: rules.webhookWaiting, store: deliveries, ...ports });
  const machine = createDeliveryMachine({
    attemptDelivery,
    rulesOf: (kind) => (kind === "app" ? appRetryRules(rules) : rules.webhook),
    active,
    confirmHeld: (ended) => leases.confirmHeld(ended),
    waitingLimit,
    turnOff: async ({ id, name, account_id }, reason) => {
      await pool.transaction(async (tx) => {
        const turnedOff = await subscriptionStore(tx).turnOff(id, reason, ports.now());
        if (!turnedOff) return;
        const account = { id: account_id, name: turnedOff.account };
        const details = { members: ["state"], state: "off", reason };
        await recordAudit(tx, { actor: SYSTEM_ACTOR, action: "webhook.change", account, subject: id, details });
      });
      log(`${name}: turned off: ${reason}`, { level: "error", part: "events" });
      active.remove(id);
      await notifyControl();
    },
    deliveryLog,
    reportDeadLetter,
    ports,
    log,
  });
  const retryQueue = createRetryQueue({
    store: deliveries,
    machine,
    wants,
    leases: () => leases.held(),
    waitingLimit,
    ports,
    shutdownSignal: signal,
    log,
    pollMs: rules.controlMs,
  });
  const appDeliveryOf = (subscription: Subscription) =>
    createAppDelivery({
      subscription,
      machine,
      active,
      rules,
      sleep: createClockSleep(ports),
      saveDeadLetter: (delivery) => deliveries.saveDeadLetter(delivery),
      shutdownSignal: signal,
      log,
    });
  const queues = createSubscriptionQueues({
    active,
    cursors: cursorStore(pool),
    prepare: (subscriptionIds, partitions) => retryQueue.prepare(subscriptionIds, partitions),
    createQueue: (subscription) => {
      const { id, name, account_id, kind } = subscription;
      const current = () => active.get(id) ?? subscription;
      const deliver = kind === "app" ? appDeliveryOf(subscription) : retryQueue.deliver.bind(undefined, id);
      return createSubscriptionQueue({
        subscriptionId: id,
        rules,
        highWatermark: () => feed.highWatermark(),
        readBack: (from, upTo, limit) => backReads.run(() => eventLog.readBack(account_id, from, upTo, limit)),
        deliver: async (event, ended) => {
          try {
            if (!wants(current(), event.kind)) return true;
            await pacing.turn(ended);
            return !signal.aborted && (await deliver(event, ended));
          } finally {
            saveSignal.notify();
          }
        },
        onError: (error) => log(`${name}: ${failureText(error)}`, { level: "error", part: "events" }),
      });
    },
  });
  reportBacklogs({
    metrics,
    backlogs: () => queues.backlogs(),
    partitions: () => leases.held().length,
    store: telemetryStore(pool),
  });
  reportPools(metrics, { events: pool, event_reads: keyed });
  leases.onRelease((partition) => queues.release(partition));
  leases.onRelease((partition) => retryQueue.release(partition));
  const removeExpired = createRetention({ store: retentionStore(pool), rules, ports, signal });
  const removeClockListener = ports.onJump?.(() => retryQueue.notify());

  const control = async (): Promise<void> => {
    await listener.ensureConnected();
    await leases.rebalance();
    const listed = await subscriptions.list();
    active.replace(listed.filter(({ kind, off_time }) => kinds[kind] && off_time === null));
    await queues.configure(leases.held());
    retryQueue.notify();
  };

  const shutDown = async (loops: readonly Promise<void>[], graceMs = rules.graceMs): Promise<void> => {
    shutdown.abort();
    pacing.close();
    removeClockListener?.();
    for (const each of [feed, retryQueue, controlSignal, saveSignal, notifySignal]) each.notify();
    await Promise.all(loops);
    const released = leases.close();
    const grace = createStopController();
    await Promise.race([released, sleep(graceMs, grace.signal)]);
    grace.abort();
    // Deliveries still under way fail now; the next process delivers their events again.
    await Promise.all(Object.values(kinds).map(async (kind) => kind?.close?.()));
    await released;
    await deliveryLog.save().catch(() => undefined);
    await notifyControl().catch(() => undefined);
    await Promise.all([listener.close(), pool.end(), keyed.end()]);
  };

  try {
    await control();
  } catch (error) {
    await shutDown([]);
    throw error;
  }

  const clockSleep = createClockSleep(ports);
  const steps: Readonly<Record<string, () => Promise<void>>> = {
    "read the log": () => feed.step((rows, from) => queues.offer(rows, from)),
    "distribute partitions": async () => {
      await controlSignal.wait(rules.controlMs);
      if (!signal.aborted) await control();
    },
    "save cursors": async () => {
      await saveSignal.wait(rules.controlMs);
      await sleep(rules.saveMs, signal);
      await queues.save(rules.idleLag);
    },
    "retry deliveries": () => retryQueue.step(),
    "count waiting deliveries": async () => {
      await waitingLimit.count();
      await sleep(rules.webhookWaiting.countMs, signal);
    },
    heartbeat: async () => {
      await leases.heartbeat();
      await sleep(rules.controlMs, signal);
    },
    "record deliveries": async () => {
      await sleep(rules.controlMs, signal);
      await deliveryLog.save();
    },
    "remove expired events": async () => {
      await clockSleep(rules.retentionIntervalMs, signal);
      // Only the process that holds the first partition removes them.
      if (!signal.aborted && leases.held().some(({ partition }) => partition === 0)) await removeExpired();
    },
    "notify other processes": async () => {
      await notifySignal.wait(IDLE_WAIT_MS);
      if (!signal.aborted) await notify(pool, "log");
      await sleep(rules.notifyMs, signal);
    },
  };
  const loops = Object.entries(steps).map(([name, step]) => runLoop(name, step, { signal, log }));

  let closed: Promise<void> | undefined;
  return {
    wake() {
      feed.notify();
      // The holder of all partitions has no other process to notify.
      if (leases.held().length < PARTITIONS && !active.isEmpty()) notifySignal.notify();
    },
    close: (graceMs) => (closed ??= shutDown(loops, graceMs)),
  };
}

/** A dispatcher; a disabled one delivers nothing, and the events remain in the log. */
export const openDispatcher = async ({
  isDisabled,
  ...options
}: DispatcherOptions & { readonly isDisabled: boolean }): Promise<EventDispatcher> =>
  isDisabled ? { wake: () => undefined, close: () => options.egress.close() } : startDispatcher(options);
