import { gather, type Database } from "@parley/database";
import { egress as openEgress, type Egress } from "@parley/egress";
import type { Directory } from "../accounts/directory.ts";
import { SCHEMA } from "../db/migrations.ts";
import type { Ports } from "../ports.ts";
import { appKind } from "./app-kind.ts";
import { bell, clockPause, pause, stopper } from "./bell.ts";
import { courier } from "./courier.ts";
import { cursorStore } from "./db/cursors.ts";
import { deliveryStore } from "./db/deliveries.ts";
import { retentionStore } from "./db/retention.ts";
import { logStore } from "./db/log.ts";
import { notify } from "./db/notices.ts";
import { payloadStore, type EventRow } from "./db/payload.ts";
import { subscriptionStore, type Subscription } from "./db/subscriptions.ts";
import { feed as openFeed } from "./feed.ts";
import { journal as openJournal } from "./journal.ts";
import type { Kinds, SubscriberKind } from "./kinds.ts";
import { lane } from "./lane.ts";
import { lanes as allLanes } from "./lanes.ts";
import { leases as openLeases } from "./leases.ts";
import { listening } from "./listening.ts";
import { lineOf, loop } from "./loop.ts";
import { PARTITIONS } from "./partition.ts";
import { retention } from "./retention.ts";
import { appRetries, DISPATCH_RULES, type DispatchRules } from "./rules.ts";
import { shared } from "./sharing.ts";
import { telling } from "./telling.ts";
import { waiting as openWaiting } from "./waiting.ts";

export interface DispatcherOptions {
  readonly database: Database;
  readonly directory: Directory;
  readonly ports: Ports;
  readonly log: (line: string) => void;
  /** Taken over: it is closed with the dispatcher. */
  readonly egress?: Egress;
  /** How webhooks are spoken to; their events wait in the log when it is absent. */
  readonly webhook?: SubscriberKind | undefined;
  readonly rules?: DispatchRules | undefined;
  /** Makes the addresses of uploads in an event work again. */
  readonly fresh?: ((text: string, accountId: number) => string) | undefined;
}

/** Brings what is committed to who subscribed: per entity in order, at least once, each subscription at its own pace. */
export interface Dispatcher {
  /** Something was committed. */
  wake(): void;
  /** Lets deliveries under way end for `graceMs`, the rules' own when absent, saves how far each subscription came, frees the partitions. */
  close(graceMs?: number): Promise<void>;
}

/** How long a loop that waits for a ring sleeps without one. @units milliseconds */
const LONG = 60_000;

export async function startDispatcher(options: DispatcherOptions): Promise<Dispatcher> {
  const {
    database,
    directory,
    ports,
    log,
    egress = openEgress({ allowLoopback: true }),
    rules = DISPATCH_RULES,
    fresh = (text) => text,
  } = options;
  const pool = database.pool(SCHEMA, { max: 4, applicationName: "parley events" });
  const connect = () => database.connect(SCHEMA);
  const stop = stopper();
  const { signal } = stop;
  const bells = { control: bell(), save: bell(), notify: bell() };
  const rows = {
    log: logStore(pool),
    cursors: cursorStore(pool),
    events: payloadStore(pool),
    deliveries: deliveryStore(pool),
  };
  const subscribers = subscriptionStore(pool);
  const kinds: Kinds = { app: appKind({ egress, directory, ports, fresh }), webhook: options.webhook };
  const journal = openJournal(rows.deliveries);
  const read = gather<number, EventRow | undefined>({
    maxBatch: 64,
    maxInFlight: 2,
    maxQueue: Number.MAX_SAFE_INTEGER,
    run: (positions) => rows.events.read(positions),
  });
  const tell = telling(kinds, shared(read));
  const sure = (ended: AbortSignal) => leases.sure(ended);

  const courierFor = (current: () => Subscription) =>
    courier({
      subscription: current,
      rules,
      tell,
      sure,
      wait: clockPause(ports),
      bury: (delivery) => rows.deliveries.bury(delivery),
      journal,
      ports,
      signal,
      log,
    });

  const laneFor = ({ id, name, account_id, kind }: Subscription, current: () => Subscription) => {
    const bring = kind === "app" ? courierFor(current) : waiting.deliver.bind(undefined, current);
    return lane({
      subscriptionId: id,
      rules,
      horizon: () => feed.horizon(),
      readBack: (places, upTo, limit) => rows.log.readBack(account_id, places, upTo, limit),
      deliver: (event, ended) =>
        (kinds[kind]?.hears(current(), event.kind) ? bring(event, ended) : Promise.resolve(true)).finally(() =>
          bells.save.ring(),
        ),
      failed: (error) => log(`events: ${name}: ${lineOf(error)}`),
    });
  };

  const lanes = allLanes({ cursors: rows.cursors, prepare: (ids, places) => waiting.prepare(ids, places), laneFor });
  const feed = openFeed({
    log: rows.log,
    rules,
    signal,
    isIdle: () => lanes.isEmpty(),
    tell: (rows, from) => lanes.tell(rows, from),
  });
  const leases = openLeases({
    connect,
    leave: async (partition) => {
      await Promise.all([lanes.leave(partition), waiting.leave(partition)]);
    },
    freed: () => void notify(pool, "control").catch(() => undefined),
  });
  const ears = listening(connect, { log: () => feed.ring(), control: () => bells.control.ring() });
  const waiting = openWaiting({
    store: rows.deliveries,
    rulesOf: (kind) => (kind === "app" ? appRetries(rules) : rules.webhook),
    tell,
    subscription: (id) => lanes.subscription(id),
    tenures: () => leases.held(),
    sure,
    turnOff: async ({ id, name }, reason) => {
      await subscribers.turnOff(id, reason, ports.now());
      log(`events: ${name}: turned off: ${reason}`);
      lanes.drop(id);
      await notify(pool, "control");
    },
    journal,
    ports,
    signal,
    log,
    lookMs: rules.controlMs,
  });
  const tidy = retention({ store: retentionStore(pool), rules, ports, signal });
  const forget = ports.onJump?.(() => waiting.ring());

  const control = async (): Promise<void> => {
    await ears.step();
    await leases.step();
    const heard = (await subscribers.list()).filter(({ kind, off_time }) => kinds[kind] && off_time === null);
    await lanes.arrange(heard, leases.held());
    waiting.ring();
  };

  const finish = async (loops: readonly Promise<void>[], graceMs = rules.graceMs): Promise<void> => {
    stop.abort();
    forget?.();
    feed.ring();
    waiting.ring();
    for (const each of Object.values(bells)) each.ring();
    await Promise.all(loops);
    const left = leases.close();
    const grace = stopper();
    await Promise.race([left, pause(graceMs, grace.signal)]);
    grace.abort();
    // What is still under way fails now, and is delivered again by whoever comes next.
    await Promise.all(Object.values(kinds).map(async (kind) => kind?.close?.()));
    await left;
    await journal.save().catch(() => undefined);
    await notify(pool, "control").catch(() => undefined);
    await Promise.all([ears.close(), pool.end()]);
  };

  try {
    await control();
  } catch (error) {
    await finish([]);
    throw error;
  }
  const running = { signal, log };
  const loops = [
    loop("reading the log", () => feed.step(), running),
    loop(
      "sharing the work",
      async () => {
        await bells.control.wait(rules.controlMs);
        if (!signal.aborted) await control();
      },
      running,
    ),
    loop(
      "saving cursors",
      async () => {
        await bells.save.wait(rules.controlMs);
        await pause(rules.saveMs, signal);
        await lanes.save(rules.idleLag);
      },
      running,
    ),
    loop("trying again", () => waiting.step(), running),
    loop(
      "showing that it lives",
      async () => {
        await leases.beat();
        await pause(rules.controlMs, signal);
      },
      running,
    ),
    loop(
      "noting deliveries",
      async () => {
        await pause(rules.controlMs, signal);
        await journal.save();
      },
      running,
    ),
    loop(
      "removing what is old",
      async () => {
        await clockPause(ports)(rules.tidyMs, signal);
        // Of several processes one does it.
        if (!signal.aborted && leases.held().some(({ partition }) => partition === 0)) await tidy();
      },
      running,
    ),
    loop(
      "waking other processes",
      async () => {
        await bells.notify.wait(LONG);
        if (!signal.aborted) await notify(pool, "log");
        await pause(rules.notifyMs, signal);
      },
      running,
    ),
  ];

  let closed: Promise<void> | undefined;
  return {
    wake() {
      feed.ring();
      // Who serves all partitions has nobody to wake.
      if (leases.held().length < PARTITIONS && !lanes.isEmpty()) bells.notify.ring();
    },
    close: (graceMs) => (closed ??= finish(loops, graceMs)),
  };
}
