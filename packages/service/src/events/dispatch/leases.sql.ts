import { statement, type Db, type Connection } from "@parley/database";
import { PARTITIONS } from "../../base/log/store.ts";
import { createStopController, sleep } from "../../base/concurrency/wake-signal.ts";

/** Classes of this product's advisory locks. */
const MEMBER_LOCK_CLASS = 0x7061_7201;
const PARTITION_LOCK_CLASS = 0x7061_7202;

const JOIN = statement(
  "join_dispatchers",
  `select pg_advisory_lock(${MEMBER_LOCK_CLASS}, pg_backend_pid()), pg_backend_pid() as number`,
);
const FIND_LEASES = statement(
  "see_leases",
  `select classid = ${MEMBER_LOCK_CLASS}::oid as is_member, objid::integer as number
     from pg_locks
    where locktype = 'advisory'
      and database = (select oid from pg_database where datname = current_database())
      and classid in (${MEMBER_LOCK_CLASS}::oid, ${PARTITION_LOCK_CLASS}::oid)
      and objsubid = 2
      and granted`,
);
const LEASE_PARTITIONS = statement(
  "take_partitions",
  `select number
     from unnest($1::integer[]) as number
    where pg_try_advisory_lock(${PARTITION_LOCK_CLASS}, number)`,
);
const RELEASE = statement("give_partition", `select pg_advisory_unlock(${PARTITION_LOCK_CLASS}, $1::integer)`);

/**
 * A process that is suspended, or whose machine has disappeared, sends no statement while its connection stays open: the connection is
 * closed, and its locks with it. A connection that this role may not close is left alone.
 */
const HEARTBEAT = statement(
  "beat_dispatcher",
  `select pg_terminate_backend(other.pid) as is_ended
     from pg_locks lock
     join pg_stat_activity other on other.pid = lock.objid::bigint
    where lock.locktype = 'advisory' and lock.classid = ${MEMBER_LOCK_CLASS}::oid and lock.objsubid = 2 and lock.granted
      and lock.database = (select oid from pg_database where datname = current_database())
      and other.pid <> pg_backend_pid() and other.datname = current_database() and other.usename = current_user
      and other.state = 'idle' and other.state_change < clock_timestamp() - $1 * interval '1 millisecond'`,
);

/** Leases as session-level advisory locks: they end with the connection, however its process ends. */
const partitionLeaseStore = (connection: Db) => ({
  /** Registers this process for a share of the partitions. -> a number that no other process has */
  join: async (): Promise<number> => (await connection.one<{ number: number }>(JOIN, []))?.number ?? 0,
  /** Shows that this process is alive, and ends the sessions of processes without a heartbeat for the given time. @units milliseconds */
  heartbeat: async (staleMs: number): Promise<void> => {
    await connection.rows(HEARTBEAT, [staleMs]);
  },
  holdings: async (): Promise<{ members: number; free: number[] }> => {
    const rows = await connection.rows<{ is_member: boolean; number: number }>(FIND_LEASES, []);
    const taken = new Set(rows.filter((row) => !row.is_member).map((row) => row.number));
    const all = Array.from({ length: PARTITIONS }, (_, partition) => partition);
    return { members: rows.filter((row) => row.is_member).length, free: all.filter((each) => !taken.has(each)) };
  },
  /** -> the partitions that no other process held */
  take: async (partitions: readonly number[]): Promise<number[]> =>
    (await connection.rows<{ number: number }>(LEASE_PARTITIONS, [partitions])).map((row) => row.number),
  release: async (partition: number): Promise<void> => {
    await connection.one(RELEASE, [partition]);
  },
});
type PartitionLeaseStore = ReturnType<typeof partitionLeaseStore>;

/** Distribution of the partitions, as one process sees it. */
interface Holdings {
  /** Processes that share the partitions, this one included. */
  readonly members: number;
  readonly own: readonly number[];
  readonly free: readonly number[];
}

/**
 * Decides what a process releases above its share, or which free partitions it takes below its share. When every process is at or below its share and the
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
  readonly store: PartitionLeaseStore;
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
    const store = partitionLeaseStore(connection);
    const requestedAt = performance.now();
    const opened = { connection, store, number: await store.join() };
    lastConfirmed = requestedAt;
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
      const requestedAt = performance.now();
      await session.store.heartbeat(STALE_AFTER_MS);
      lastConfirmed = requestedAt;
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
