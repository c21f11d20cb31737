import { PRODUCT_EVENTS } from "@parley/contract";
import { gather, type Database } from "@parley/database";
import { egress as openEgress, type Egress } from "@parley/egress";
import type { Directory } from "../accounts/directory.ts";
import { SCHEMA } from "../db/migrations.ts";
import type { Ports } from "../ports.ts";
import { post } from "./attempt.ts";
import { bell, clockPause, pause, stopper } from "./bell.ts";
import { courier } from "./courier.ts";
import { cursorStore } from "./db/cursors.ts";
import { logStore } from "./db/log.ts";
import { notify } from "./db/notices.ts";
import { payloadStore } from "./db/payload.ts";
import { subscriptionStore, type Subscription } from "./db/subscriptions.ts";
import { feed as openFeed } from "./feed.ts";
import { lane } from "./lane.ts";
import { lanes as allLanes } from "./lanes.ts";
import { leases as openLeases } from "./leases.ts";
import { listening } from "./listening.ts";
import { lineOf, loop } from "./loop.ts";
import { PARTITIONS } from "./partition.ts";
import { eventOf } from "./payload.ts";
import { DISPATCH_RULES, type DispatchRules } from "./rules.ts";

export interface DispatcherOptions {
  readonly database: Database;
  readonly directory: Directory;
  readonly ports: Ports;
  readonly log: (line: string) => void;
  /** Taken over: it is closed with the dispatcher. */
  readonly egress?: Egress;
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

/** Apps have a word for some kinds only; a subscription's cursor passes over the others. */
const hears = (subscriber: Subscription["kind"], kind: string): boolean =>
  subscriber !== "app" || Object.hasOwn(PRODUCT_EVENTS, kind);

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
  const rows = { log: logStore(pool), cursors: cursorStore(pool), events: payloadStore(pool) };
  const send = post(egress, ports, rules.tryMs);

  const payload = gather<number, string | undefined>({
    maxBatch: 64,
    maxInFlight: 2,
    maxQueue: Number.MAX_SAFE_INTEGER,
    run: async (positions) => {
      const found = await rows.events.read(positions);
      return Promise.all(
        found.map(async (row) => row && fresh(JSON.stringify(await eventOf(directory, row)), row.account_id)),
      );
    },
  });

  const laneFor = ({ id, name, account_id, kind: subscriber }: Subscription, current: () => Subscription) => {
    const deliver = courier({
      subscription: current,
      rules,
      payload,
      post: send,
      wait: clockPause(ports),
      bury: (letter) => rows.cursors.bury({ ...letter, failed_time: ports.now() }),
      signal,
      log,
    });
    return lane({
      subscriptionId: id,
      rules,
      horizon: () => feed.horizon(),
      readBack: (places, upTo, limit) => rows.log.readBack(account_id, places, upTo, limit),
      deliver: (event, ended) =>
        (hears(subscriber, event.kind) ? deliver(event, ended) : Promise.resolve(true)).finally(() =>
          bells.save.ring(),
        ),
      failed: (error) => log(`events: ${name}: ${lineOf(error)}`),
    });
  };

  const lanes = allLanes({ cursors: rows.cursors, laneFor });
  const feed = openFeed({
    log: rows.log,
    rules,
    signal,
    isIdle: () => lanes.isEmpty(),
    tell: (rows, from) => lanes.tell(rows, from),
  });
  const leases = openLeases({
    connect,
    leave: (partition) => lanes.leave(partition),
    freed: () => void notify(pool, "control").catch(() => undefined),
  });
  const ears = listening(connect, { log: () => feed.ring(), control: () => bells.control.ring() });
  const subscribers = subscriptionStore(pool);

  const control = async (): Promise<void> => {
    await ears.step();
    await leases.step();
    await lanes.arrange(await subscribers.list(), leases.held());
  };

  const finish = async (loops: readonly Promise<void>[], graceMs = rules.graceMs): Promise<void> => {
    stop.abort();
    feed.ring();
    for (const each of Object.values(bells)) each.ring();
    await Promise.all(loops);
    const left = leases.close();
    const grace = stopper();
    await Promise.race([left, pause(graceMs, grace.signal)]);
    grace.abort();
    // What is still under way fails now, and is delivered again by whoever comes next.
    await egress.close();
    await left;
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
