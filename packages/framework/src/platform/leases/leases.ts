import { InstallationHeldElsewhere } from "../../model/held-elsewhere.ts";
import type { Log } from "@parley/telemetry";
import { PROCESS_LIFETIME_MS, type LeaseHolder, type InstallationLeaseStore } from "./store.ts";

/**
 * Leases of installations. A process runs the code of an installation only while it holds it, so that an installation has one child
 * process, one order of its events and one firing of its schedules, however many processes the platform has.
 *
 * States of this process: off → registered → (renewed every second) → lost → registered again, under a new id.
 * It is lost when its row expires before it is renewed, for example after it was stopped for some seconds, or while the database can't be
 * reached. It then ends all its work on installations before others can take them over: its own deadline is earlier than the row's.
 */
export interface InstallationLeases {
  /** Registers this process. @shape address: origin at which other processes of the platform reach it */
  start(address: string): Promise<void>;
  /** Id of this process; another id after each registration. */
  processId(): string;
  /** Whether this process is registered for certain, so that it can run apps. */
  isRegistered(): boolean;
  /** Runs the work while this process holds the installation. @errors InstallationHeldElsewhere */
  whileHeld<T>(installation: string, work: () => Promise<T>): Promise<T>;
  /** -> the other living process that holds the installation; undefined when this process or no process holds it */
  otherHolder(installation: string): Promise<LeaseHolder | undefined>;
  /** Gives up the leases that had no work for this time. @units milliseconds */
  releaseIdle(idleMs: number): Promise<void>;
  /** Gives up all leases, so that other processes take over at once. */
  stop(): Promise<void>;
}

interface LeasesDeps {
  readonly store: InstallationLeaseStore;
  /** Ids of processes: unique also where the ids of apps are reproducible. */
  readonly newId: () => string;
  /** Ends all work on installations at once: this process has lost its leases. */
  readonly lost: () => void;
  readonly log: Log;
}

/** @units milliseconds */
const RENEWAL_INTERVAL_MS = 1_000;
/** This process counts as lost this much before its row expires, since ending its work takes time. @units milliseconds */
const SAFETY_MARGIN_MS = 1_000;

interface HeldInstallation {
  work: number;
  /** @units milliseconds of the monotonic clock */
  lastUsedMs: number;
}

export const createInstallationLeases = ({ store, newId, lost, log }: LeasesDeps): InstallationLeases => {
  let process: LeaseHolder | undefined;
  /** Until when this process is registered for certain. @units milliseconds of the monotonic clock */
  let validUntilMs = -Infinity;
  let timer: NodeJS.Timeout | undefined;
  let renewal: Promise<void> | undefined;
  const held = new Map<string, HeldInstallation>();
  /** A lease that is being given up can be taken again only afterwards. */
  let release: Promise<void> = Promise.resolve();

  const isValid = (): boolean => process !== undefined && performance.now() < validUntilMs;

  const register = async (address: string): Promise<void> => {
    const next = { id: newId(), address };
    const begun = performance.now();
    await store.register(next);
    process = next;
    validUntilMs = begun + PROCESS_LIFETIME_MS - SAFETY_MARGIN_MS;
  };

  const lose = (): void => {
    validUntilMs = -Infinity;
    if (held.size > 0)
      log("This process could not renew its leases in time: other processes may run its installations.", {
        level: "warn",
      });
    held.clear();
    lost();
  };

  const renew = async ({ id, address }: LeaseHolder): Promise<void> => {
    const begun = performance.now();
    const isRenewed = await store.renew(id).catch(() => undefined);
    // Without an answer the leases last until the deadline.
    if (isRenewed === undefined && isValid()) return;
    if (isRenewed === true && isValid()) {
      validUntilMs = begun + PROCESS_LIFETIME_MS - SAFETY_MARGIN_MS;
      return;
    }
    lose();
    await register(address).catch(() => undefined);
  };

  const tick = (): void => {
    // After a stop of this process, this runs before the answer of a renewal.
    if (process && !isValid() && held.size > 0) lose();
    if (!process || renewal) return;
    renewal = renew(process).finally(() => {
      renewal = undefined;
    });
  };

  const take = async (installation: string): Promise<HeldInstallation> => {
    const known = held.get(installation);
    if (known && isValid()) return known;
    await release;
    if (!process || !isValid()) throw new InstallationHeldElsewhere();
    const { id } = process;
    const isTaken = await store.take(installation, id);
    if (!isTaken || process?.id !== id || !isValid()) throw new InstallationHeldElsewhere();
    const entry = held.get(installation) ?? { work: 0, lastUsedMs: performance.now() };
    held.set(installation, entry);
    return entry;
  };

  return {
    async start(address) {
      await register(address);
      timer = setInterval(tick, RENEWAL_INTERVAL_MS);
      timer.unref();
    },
    processId: () => process?.id ?? "00000000-0000-0000-0000-000000000000",
    isRegistered: isValid,
    async whileHeld(installation, work) {
      const entry = await take(installation);
      entry.work += 1;
      try {
        return await work();
      } finally {
        entry.work -= 1;
        entry.lastUsedMs = performance.now();
      }
    },
    async otherHolder(installation) {
      if (held.has(installation) && isValid()) return undefined;
      const holder = await store.holder(installation);
      return holder?.id === process?.id ? undefined : holder;
    },
    async releaseIdle(idleMs) {
      if (!process) return;
      const limit = performance.now() - idleMs;
      const idle = [...held].filter(([, { work, lastUsedMs }]) => work === 0 && lastUsedMs < limit).map(([id]) => id);
      for (const id of idle) held.delete(id);
      release = store.release(idle, process.id).catch(() => undefined);
      await release;
    },
    async stop() {
      clearInterval(timer);
      await renewal;
      const stopped = process;
      process = undefined;
      validUntilMs = -Infinity;
      held.clear();
      if (stopped) await store.remove(stopped.id).catch(() => undefined);
    },
  };
};
