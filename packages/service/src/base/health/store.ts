import { SQLSTATE, statement, type Pool } from "@parley/database";

/** The server is read-only. The error has the code of a refused write, so that its connection is given up too. */
export class ReadOnlyServer extends Error {
  override readonly name = "ReadOnlyServer";
  readonly code = SQLSTATE.READ_ONLY_SQL_TRANSACTION;
  readonly isReplica: boolean;
  constructor(isReplica: boolean) {
    super(isReplica ? "the server is a replica" : "default_transaction_read_only is on");
    this.isReplica = isReplica;
  }
}

interface WriteState {
  readonly is_replica: boolean;
  readonly is_read_only: boolean;
}

const STATE = statement(
  "health_state",
  `select pg_is_in_recovery() as is_replica, current_setting('transaction_read_only') = 'on' as is_read_only`,
);
// A transaction with an assigned id is written to the WAL and flushed at commit, and inserts no row.
const ASSIGN_TRANSACTION_ID = statement("health_number", "select pg_current_xact_id()::text as id");
const LIMIT_WORK_MEM = statement("", "set local work_mem = '64kB'");
// About 500 kB sorted in a temporary file, which fails on a full disk even if table files still have free space.
const SORT_ON_DISK = statement(
  "health_sort",
  "select count(*) from (select md5(i::text) as word from generate_series(1, 8000) as i order by word offset 0) as sorted",
);

export const healthStore = (pool: Pool) => ({
  /** Writes to the WAL and to the disk. @errors ReadOnlyServer, or the error of the failing write */
  probe: (): Promise<void> =>
    pool.transaction(async (tx) => {
      const state = await tx.one<WriteState>(STATE, []);
      if (state?.is_replica || state?.is_read_only) throw new ReadOnlyServer(state.is_replica);
      await Promise.all([tx.rows(ASSIGN_TRANSACTION_ID, []), tx.rows(LIMIT_WORK_MEM, []), tx.rows(SORT_ON_DISK, [])]);
    }),
});
