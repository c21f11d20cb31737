import { statement, type Db } from "@parley/database";
import { PARTITIONS } from "../partition.ts";

/** Advisory locks have two numbers: the first tells ours from anybody's. */
const MEMBER = 0x7061_7201;
const PARTITION = 0x7061_7202;

const JOIN = statement(
  "join_dispatchers",
  `select pg_advisory_lock(${MEMBER}, pg_backend_pid()), pg_backend_pid() as number`,
);
const SEE = statement(
  "see_leases",
  `select classid = ${MEMBER}::oid as is_member, objid::integer as number
     from pg_locks
    where locktype = 'advisory'
      and database = (select oid from pg_database where datname = current_database())
      and classid in (${MEMBER}::oid, ${PARTITION}::oid)
      and objsubid = 2
      and granted`,
);
const TAKE = statement(
  "take_partitions",
  `select number
     from unnest($1::integer[]) as number
    where pg_try_advisory_lock(${PARTITION}, number)`,
);
const GIVE = statement("give_partition", `select pg_advisory_unlock(${PARTITION}, $1::integer)`);

/**
 * A process that is stopped, or whose machine is gone without a word, asks nothing any more, though its connection stands: it is closed,
 * and its locks with it. Whose role may not close it is left alone.
 */
const BEAT = statement(
  "beat_dispatcher",
  `select pg_terminate_backend(other.pid) as is_ended
     from pg_locks lock
     join pg_stat_activity other on other.pid = lock.objid::bigint
    where lock.locktype = 'advisory' and lock.classid = ${MEMBER}::oid and lock.objsubid = 2 and lock.granted
      and lock.database = (select oid from pg_database where datname = current_database())
      and other.pid <> pg_backend_pid() and other.datname = current_database() and other.usename = current_user
      and other.state = 'idle' and other.state_change < clock_timestamp() - $1 * interval '1 millisecond'`,
);

/** Leases as session-level advisory locks: they end with the connection, however its process ends. */
export const leaseStore = (connection: Db) => ({
  /** Makes this connection's process count as one of those that share the work. -> a number that no other has */
  join: async (): Promise<number> => (await connection.one<{ number: number }>(JOIN, []))?.number ?? 0,
  /** Shows that this process lives, and ends the sessions of those that have not shown it for so long. @units milliseconds */
  beat: async (staleMs: number): Promise<void> => {
    await connection.rows(BEAT, [staleMs]);
  },
  see: async (): Promise<{ members: number; free: number[] }> => {
    const rows = await connection.rows<{ is_member: boolean; number: number }>(SEE, []);
    const taken = new Set(rows.filter((row) => !row.is_member).map((row) => row.number));
    const all = Array.from({ length: PARTITIONS }, (_, partition) => partition);
    return { members: rows.filter((row) => row.is_member).length, free: all.filter((each) => !taken.has(each)) };
  },
  /** -> those that nobody else held. */
  take: async (partitions: readonly number[]): Promise<number[]> =>
    (await connection.rows<{ number: number }>(TAKE, [partitions])).map((row) => row.number),
  give: async (partition: number): Promise<void> => {
    await connection.one(GIVE, [partition]);
  },
});
export type LeaseStore = ReturnType<typeof leaseStore>;
