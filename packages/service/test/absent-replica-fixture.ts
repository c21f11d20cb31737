import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { migrate, openDatabase, statement, type Database } from "@parley/database";
import { ignorePreparedCluster, startOwnServer } from "@parley/database/testing";
import { SERVICE_MIGRATIONS, SERVICE_SCHEMA } from "../src/index.ts";

/** A PostgreSQL that can wait with each commit for a replica that does not exist, as after the loss of all synchronous replicas. */
export interface AbsentReplicaFixture {
  /** A database with the tables of the service. */
  readonly database: Database;
  /** From now on no transaction is confirmed, or those that wait and all others are. */
  awaitReplica(isAwaited: boolean): Promise<void>;
  /** Ends the connections that wait: their transactions are visible then, and were never acknowledged. */
  abandonWaits(): Promise<void>;
  close(): Promise<void>;
}

export async function absentReplicaFixture(): Promise<AbsentReplicaFixture> {
  // The prepared cluster has another administrator.
  ignorePreparedCluster();
  const folder = await mkdtemp(join(tmpdir(), "parley-replica-"));
  const server = await startOwnServer({ dataFolder: folder, settings: { wal_level: "replica", max_wal_senders: "1" } });
  const database = await openDatabase({ dataFolder: "", url: await server.createDatabase("service") });
  const administrator = await openDatabase({ dataFolder: "", url: server.administratorUrl("postgres") });
  const superuser = administrator.pool("public", { max: 1 });
  const run = <T>(sql: string) => superuser.rows<T>(statement("", sql), []);
  await migrate(database, SERVICE_SCHEMA, SERVICE_MIGRATIONS);
  return {
    database,
    async awaitReplica(isAwaited) {
      const change = isAwaited ? "set synchronous_standby_names = 'absent'" : "reset synchronous_standby_names";
      await run(`alter system ${change}`);
      await run("select pg_reload_conf()");
    },
    async abandonWaits() {
      await run("select pg_terminate_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'");
    },
    async close() {
      await database.close();
      await administrator.close();
      await server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
