import { statement, type Db } from "@parley/database";

// Does not wait for replicas, unlike acknowledged writes: every request would wait for them twice while they are gone. The price is that an
// account may get the calls again that were leased in the last moment before the primary was lost.
const LEASE = statement(
  "lease_allowance",
  `with relaxed as materialized (select set_config('synchronous_commit', 'local', true))
   insert into allowances (account_id, window_start, used)
   select $1, $2, $3::integer from relaxed where $3 <= $4::integer
       on conflict (account_id, window_start)
       do update set used = allowances.used + $3
                  where allowances.used + $3 <= $4
   returning used`,
);
const RELEASE = statement(
  "give_allowance_back",
  `update allowances set used = greatest(0, used - $3) where account_id = $1 and window_start = $2`,
);
const DELETE_OLD = statement(
  "delete_old_allowances",
  `delete from allowances where account_id = $1 and window_start < $2`,
);

/** Rows of the table `allowances`: the calls of an account's hour that the processes have leased. */
export const allowanceStore = (db: Db) => ({
  /** Leases `calls` if the limit allows all of them. -> calls leased by all processes in this window; undefined: the limit is reached */
  lease: (accountId: number, window: Date, calls: number, limit: number) =>
    db.one<{ used: number }>(LEASE, [accountId, window, calls, limit]),
  giveBack: (accountId: number, window: Date, calls: number) => db.rows(RELEASE, [accountId, window, calls]),
  deleteBefore: (accountId: number, window: Date) => db.rows(DELETE_OLD, [accountId, window]),
});
export type AllowanceStore = ReturnType<typeof allowanceStore>;
