import { statement, type Db } from "@parley/database";
import { PARTITIONS } from "../log/store.ts";

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
export const leaseStore = (connection: Db) => ({
  /** Registers this process as one that shares the partitions. -> a number that no other process has */
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
export type LeaseStore = ReturnType<typeof leaseStore>;
