import type { Connection } from "@parley/database";
import { createStopController, sleep } from "../concurrency/wake-signal.ts";
import { PARTITIONS } from "../log/store.ts";
import { leaseStore, type LeaseStore } from "./leases.sql.ts";

/** Distribution of the partitions, as one process sees it. */
interface Holdings {
  /** Processes that share the partitions, this one included. */
  readonly members: number;
  readonly own: readonly number[];
  readonly free: readonly number[];
}

/**
 * Decides what a process releases above its share, or takes of what is free below it. When every process is at or below its share and the
 * shares together cover all partitions, no partition stays free.
 */
export const rebalance = ({
  members,
  own,
  free,
}: Holdings): { readonly give: readonly number[]; readonly take: readonly number[] } => {
  const share = Math.ceil(PARTITIONS / Math.max(members, 1));
  return { give: own.slice(share), take: free.slice(0, Math.max(share - own.length, 0)) };
};

/** A partition that only this process serves, until the signal aborts. */
export interface PartitionLease {
  readonly partition: number;
  readonly signal: AbortSignal;
}

/**
 * The partitions that this process holds, shared with other processes by session locks. A process that dies loses its connection, and with
 * it the locks, at once.
 *
 * States of a partition: free → held (lock taken) → releasing (signal aborted, deliveries end, cursors are saved) → free (unlocked).
 * A lost connection moves all held partitions to releasing; their locks are gone already.
 */
interface PartitionLeases {
  /** Takes partitions up to this process's share, or begins to release those above it. */
  rebalance(): Promise<void>;
  /** The held partitions; the same object for a partition as long as it is held. */
  held(): readonly PartitionLease[];
  /** Registers work that must end before a partition is unlocked. */
  onRelease(listener: (partition: number) => Promise<void>): void;
  /** Shows other processes that this one is alive, and takes the locks of those that have not shown it. Call it every second. */
  heartbeat(): Promise<void>;
  /**
   * Resolves when no other process can hold the partitions: a process that was suspended may have lost them without knowing. Also resolves
   * when the signal aborts.
   */
  confirmHeld(signal: AbortSignal): Promise<void>;
  /** Releases all partitions and closes the connection. */
  close(): Promise<void>;
}

interface PartitionLeaseDeps {
  /** Opens the connection that owns the locks. */
  readonly connect: () => Promise<Connection>;
  /** Called after a partition was unlocked: other processes may take it. */
  readonly onUnlocked: () => void;
}

interface Session {
  readonly connection: Connection;
  readonly store: LeaseStore;
  readonly number: number;
}

/** A process without a heartbeat for this time loses its partitions. @units milliseconds @assumed The number. */
const STALE_AFTER_MS = 6_000;
/** A process without an answered heartbeat for this time pauses its deliveries; less than `STALE_AFTER_MS`. @units milliseconds */
const UNCERTAIN_AFTER_MS = 4_000;
/** Time between two checks while the process is uncertain. @units milliseconds */
const UNCERTAIN_POLL_MS = 25;

export const createPartitionLeases = ({ connect, onUnlocked }: PartitionLeaseDeps): PartitionLeases => {
  const held = new Map<number, { readonly lease: PartitionLease; readonly controller: AbortController }>();
  const releaseListeners: ((partition: number) => Promise<void>)[] = [];
  let session: Session | undefined;
  /** Start of the last question that the database answered: no other process had taken anything until then. */
  let lastConfirmed = -Infinity;

  const release = async (partition: number): Promise<void> => {
    held.get(partition)?.controller.abort();
    held.delete(partition);
    await Promise.all(releaseListeners.map((listener) => listener(partition)));
  };

  const onConnectionLost = (): void => {
    session = undefined;
    for (const partition of [...held.keys()]) void release(partition);
  };

  const openSession = async (): Promise<Session> => {
    const connection = await connect();
    const store = leaseStore(connection);
    const asked = performance.now();
    const opened = { connection, store, number: await store.join() };
    lastConfirmed = asked;
    session = opened;
    connection.onLost(onConnectionLost);
    return opened;
  };

  const giveBack = async (partition: number, { store }: Session): Promise<void> => {
    await release(partition);
    await store.release(partition);
    onUnlocked();
  };

  return {
    async rebalance() {
      const current = session ?? (await openSession());
      const { members, free } = await current.store.holdings();
      // Processes that start at the same time take different partitions first.
      const offset = free.length === 0 ? 0 : current.number % free.length;
      const { give, take } = rebalance({
        members,
        own: [...held.keys()],
        free: [...free.slice(offset), ...free.slice(0, offset)],
      });
      for (const partition of give) giveBack(partition, current).catch(() => undefined);
      if (take.length === 0) return;
      const taken = await current.store.take(take);
      if (session !== current) return;
      for (const partition of taken) {
        const controller = createStopController();
        held.set(partition, { lease: { partition, signal: controller.signal }, controller });
      }
    },
    held: () => [...held.values()].map(({ lease }) => lease),
    onRelease: (listener) => void releaseListeners.push(listener),
    async heartbeat() {
      if (!session) return;
      const asked = performance.now();
      await session.store.heartbeat(STALE_AFTER_MS);
      lastConfirmed = asked;
    },
    async confirmHeld(signal) {
      while (!signal.aborted && performance.now() - lastConfirmed > UNCERTAIN_AFTER_MS)
        await sleep(UNCERTAIN_POLL_MS, signal);
    },
    async close() {
      const { connection } = session ?? {};
      session = undefined;
      await Promise.all([...held.keys()].map(release));
      await connection?.close();
    },
  };
};
