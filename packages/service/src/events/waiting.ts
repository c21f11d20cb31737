import { gather } from "@parley/database";
import type { Ports } from "../ports.ts";
import type { Attempt } from "./attempt.ts";
import { bell, pause } from "./bell.ts";
import type { Delivery, DeliveryStore } from "./db/deliveries.ts";
import type { LogRow } from "./db/log.ts";
import type { Subscription } from "./db/subscriptions.ts";
import { deathOf, delivered, failed, untried } from "./delivery.ts";
import type { Journal } from "./journal.ts";
import type { Tenure } from "./leases.ts";
import { lineOf } from "./loop.ts";
import { persist } from "./persisting.ts";
import type { RetryRules } from "./schedule.ts";
import type { Tell } from "./telling.ts";
import { turns } from "./turns.ts";

/**
 * Events that wait for another try, of all subscriptions: kept in the table, so that they survive the process and take nobody else's
 * place. While an event of an entity waits, what follows it is kept behind it.
 */
export interface Waiting {
  /** Learns whose order is held up, before lanes bring events of these subscriptions and partitions. */
  prepare(subscriptions: readonly string[], partitions: readonly number[]): Promise<void>;
  /** Tries an event for the first time, or keeps it behind one that waits. -> false when it was left because of the signal */
  deliver(current: () => Subscription, event: LogRow, signal: AbortSignal): Promise<boolean>;
  /** Looks after a partition no longer; resolves when nothing of it is under way. */
  leave(partition: number): Promise<void>;
  /** Something may be due. */
  ring(): void;
  /** One look at what is due, and the wait after it. */
  step(): Promise<void>;
}

export interface WaitingDeps {
  readonly store: DeliveryStore;
  readonly rulesOf: (kind: Subscription["kind"]) => RetryRules;
  readonly tell: Tell;
  /** -> undefined where it is off, or no more */
  readonly subscription: (id: string) => Subscription | undefined;
  readonly tenures: () => readonly Tenure[];
  /** Resolves when the partitions are known to be this process's still, or when the signal says that it is no use. */
  readonly sure: (signal: AbortSignal) => Promise<void>;
  readonly turnOff: (subscription: Subscription, reason: string) => Promise<void>;
  readonly journal: Journal;
  readonly ports: Pick<Ports, "now">;
  readonly signal: AbortSignal;
  readonly log: (line: string) => void;
  /** The longest wait between two looks. @units milliseconds */
  readonly lookMs: number;
}

/** Tries of one subscription's waiting events at a time. */
const AT_A_TIME = 8;
/** Before an event that could not be read, or whose host is down, is tried again. @units milliseconds */
const REST = 500;
/** Between two looks that are rung for. @units milliseconds */
const BREATH = 20;
/** Between two searches for what a process that ended left standing. @units milliseconds */
const MENDING = 60_000;

const entityOf = ({ subscription_id, entity_id }: Pick<Delivery, "subscription_id" | "entity_id">) =>
  `${subscription_id} ${entity_id}`;
const placeOf = ({ subscription_id, seq }: Pick<Delivery, "subscription_id" | "seq">) => `${subscription_id} ${seq}`;

export const waiting = (deps: WaitingDeps): Waiting => {
  const { store, rulesOf, tell, tenures, sure, journal, signal: over, log } = deps;
  const { now } = deps.ports;
  /** Partitions of the entities whose order is held up. */
  const held = new Map<string, number>();
  const running = new Map<string, { readonly of: string; readonly partition: number; readonly end: Promise<void> }>();
  const turn = turns();
  const rung = bell();
  /** What ended since the last look began: what it finds of these may be how they were before. */
  const ended = new Set<string>();
  /** Being turned off: nothing more is sent for them. */
  const leaving = new Set<string>();
  let soonest = Infinity;
  let mended = -Infinity;

  const subscriptionOf = (id: string): Subscription | undefined =>
    leaving.has(id) ? undefined : deps.subscription(id);

  /** Notes what came of a try; one that turns its receiver off has done so when this resolves. */
  const noted = async <T>(of: Subscription, attempt: Attempt, note: () => Promise<T>, signal: AbortSignal) => {
    if (attempt.kind !== "failed" || !attempt.isOff) return note();
    leaving.add(of.id);
    try {
      const answer = await note();
      await persist(() => deps.turnOff(of, attempt.reason), signal, log);
      return answer;
    } finally {
      leaving.delete(of.id);
    }
  };

  const expect = (time: Date | null): void => {
    if (time === null || time.getTime() >= soonest) return;
    soonest = time.getTime();
    rung.ring();
  };

  const put = gather<Delivery, Delivery["state"] | undefined>({
    maxBatch: 128,
    maxInFlight: 1,
    maxQueue: Number.MAX_SAFE_INTEGER,
    run: async (rows) => {
      const states = new Map((await store.put(rows)).map((row) => [placeOf(row), row.state]));
      return rows.map((row) => states.get(placeOf(row)));
    },
  });

  /** To be called in the entity's turn. */
  const keep = async (row: Delivery, signal: AbortSignal): Promise<boolean> => {
    const kept = await persist(() => put(row), signal, log);
    // Only what the table says: with a partition that was lost meanwhile, and may be had again, nothing is known of it.
    if (kept?.value === "waiting") held.set(entityOf(row), row.partition);
    expect(row.next_time);
    return kept !== undefined;
  };

  const begin = async (current: () => Subscription, event: LogRow, signal: AbortSignal): Promise<boolean> => {
    for (;;) {
      const subscription = current();
      const rules = rulesOf(subscription.kind);
      await sure(signal);
      if (signal.aborted || !subscriptionOf(subscription.id)) return false;
      const first_time = now();
      const tried = { tries: 0, taken: 0, timeoutMs: rules.tryMs };
      const { attempt, taken, isNothing } = await tell(subscription, event, tried);
      const row = { ...untried(subscription.id, event, first_time), first_time, taken };
      if (attempt.kind === "accepted") {
        if (!isNothing) journal.note(delivered(row, attempt, now()));
        return true;
      }
      if (attempt.kind === "failed") {
        const next = failed(rules, { ...row, state: "waiting" }, attempt, now());
        if (next.state === "dead") log(deathOf(subscription.name, next));
        return noted(subscription, attempt, () => turn(entityOf(next), () => keep(next, signal)), signal);
      }
      await pause(REST, signal);
    }
  };

  /** Somebody else changed it, or it was done, the answer was lost, and it is forgotten by now: what is known here may be wrong. */
  const lookAnew = async (row: Delivery, signal: AbortSignal): Promise<void> => {
    const rows = await persist(() => store.held([row.subscription_id], [row.partition]), signal, log);
    if (rows && !rows.value.some((each) => entityOf(each) === entityOf(row))) held.delete(entityOf(row));
    mended = -Infinity;
    rung.ring();
  };

  const settle = (before: Delivery, after: Delivery, signal: AbortSignal): Promise<void> =>
    turn(entityOf(before), async () => {
      const answer = await persist(() => store.settle(before, after), signal, log);
      if (!answer) return;
      if (!answer.value) return lookAnew(before, signal);
      expect(after.next_time);
      if (after.state === "waiting") return;
      if (answer.value.isFollowed) rung.ring();
      else if (!before.is_replay && before.state === "waiting") held.delete(entityOf(before));
    });

  /** Another try, or the end of the time in which the order is held up. */
  const again = async (row: Delivery, { signal }: Tenure): Promise<void> => {
    const subscription = subscriptionOf(row.subscription_id);
    const { state, retry_time } = row;
    if (!subscription || (state !== "waiting" && state !== "aside")) return;
    const began = now();
    if (state === "waiting" && retry_time !== null && retry_time > began)
      return settle(row, { ...row, state: "aside", next_time: retry_time, changed_time: began }, signal);
    await sure(signal);
    if (signal.aborted) return;
    const rules = rulesOf(subscription.kind);
    const tried = { tries: row.tries, taken: row.taken, timeoutMs: rules.tryMs };
    const { attempt, taken } = await tell(subscription, row, tried);
    const present = { ...row, state, taken, first_time: row.first_time ?? began };
    if (attempt.kind === "accepted") return settle(row, delivered(present, attempt, now()), signal);
    if (attempt.kind === "unreachable")
      return settle(row, { ...row, taken, next_time: new Date(now().getTime() + REST) }, signal);
    const next = failed(rules, present, attempt, now());
    if (next.state === "dead") log(deathOf(subscription.name, next));
    await noted(subscription, attempt, () => settle(row, next, signal), signal);
  };

  const start = (row: Delivery, tenure: Tenure): void => {
    const { subscription_id: of, partition } = row;
    const place = placeOf(row);
    const beside = [...running.values()].filter((each) => each.of === of).length;
    if (running.has(place) || ended.has(place) || beside >= AT_A_TIME) return;
    const end = again(row, tenure)
      .catch((error: unknown) => log(`events: trying again: ${lineOf(error)}`))
      .finally(() => {
        running.delete(place);
        ended.add(place);
        rung.ring();
      });
    running.set(place, { of, partition, end });
  };

  const look = async (): Promise<void> => {
    const own = new Map(tenures().map((tenure) => [tenure.partition, tenure]));
    if (own.size === 0) return;
    if (performance.now() - mended > MENDING) {
      await store.mend([...own.keys()], now());
      mended = performance.now();
    }
    soonest = Infinity;
    ended.clear();
    for (const row of await store.due(now(), [...own.keys()], 2 * AT_A_TIME)) {
      const tenure = own.get(row.partition);
      if (tenure && !tenure.signal.aborted) start(row, tenure);
    }
  };

  return {
    async prepare(subscriptions, partitions) {
      const rows = await store.held(subscriptions, partitions);
      const [asked, left] = [new Set(subscriptions), new Set(partitions)];
      for (const [entity, partition] of held)
        if (left.has(partition) && asked.has(entity.split(" ", 1)[0] ?? "")) held.delete(entity);
      for (const row of rows) held.set(entityOf(row), row.partition);
      mended = -Infinity;
      rung.ring();
    },
    async deliver(current, event, signal) {
      const row = untried(current().id, event, now());
      const entity = entityOf(row);
      if (!held.has(entity)) return begin(current, event, signal);
      const isKept = await turn(entity, async () => (held.has(entity) ? keep(row, signal) : undefined));
      return isKept ?? begin(current, event, signal);
    },
    async leave(partition) {
      for (const [entity, its] of held) if (its === partition) held.delete(entity);
      await Promise.all([...running.values()].filter((each) => each.partition === partition).map((each) => each.end));
    },
    ring: () => rung.ring(),
    async step() {
      await look();
      if (over.aborted) return;
      await rung.wait(Math.min(Math.max(soonest - now().getTime(), 0), deps.lookMs));
      await pause(BREATH, over);
    },
  };
};
