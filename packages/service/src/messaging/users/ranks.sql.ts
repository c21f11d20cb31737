import { statement, type Db, type Pool } from "@parley/database";

/** Minimum users per range; smaller ranges would only lengthen the list of ranges. */
const RANGE_SIZE_MIN = 500;

/**
 * Target users per range. Summing a range costs several times as much as skipping a user, so that the range size is a
 * small multiple of the number of ranges. A range is split at twice this size.
 */
const sizeOf = (least: string) => `greatest(${least}::integer, floor(2 * sqrt(sum(count))))::bigint`;

const ACCOUNTS_TO_FOLD = statement(
  "accounts_to_fold",
  `select account_id from user_rank_changes group by account_id
   union
   select account_id from user_ranks group by account_id having max(count) > 2 * ${sizeOf("$1")}`,
);

// Serializes folds of one account. The lock is released with the transaction.
const LOCK = statement(
  "lock_user_ranks",
  `select pg_try_advisory_xact_lock(hashtext('parley.user_ranks'), $1::integer) as locked`,
);

const BEGIN_RANKS = statement(
  "begin_user_ranks",
  // A deleted account has no ranks.
  `insert into user_ranks (account_id, from_time, from_sequence, count)
   select id, '-infinity', 0, 0 from accounts where id = $1
       on conflict do nothing`,
);

const FOLD = statement(
  "fold_user_ranks",
  `with folded as (
     delete from user_rank_changes where account_id = $1 returning created_time, sequence, change
   ), summed as (
     select range.from_time, range.from_sequence, sum(folded.change) as change
       from folded
      cross join lateral (
        select from_time, from_sequence
          from user_ranks
         where account_id = $1 and (from_time, from_sequence) <= (folded.created_time, folded.sequence)
         order by from_time desc, from_sequence desc
         limit 1
      ) as range
      group by range.from_time, range.from_sequence
   )
   update user_ranks
      set count = user_ranks.count + summed.change
     from summed
    where user_ranks.account_id = $1
      and (user_ranks.from_time, user_ranks.from_sequence) = (summed.from_time, summed.from_sequence)
      and summed.change <> 0`,
);

// The count of each part is taken from the snapshot: its users less its pending changes. Concurrent commits add to both
// alike.
const SPLIT = statement(
  "split_user_ranks",
  `with size as (
     select ${sizeOf("$2")} as size from user_ranks where account_id = $1
   ), ranges as (
     select from_time, from_sequence, count,
            lead(from_time, 1, 'infinity') over place as to_time, lead(from_sequence, 1, 0::bigint) over place as to_sequence
       from user_ranks
      where account_id = $1
     window place as (order by from_time, from_sequence)
   ), members as (
     select ranges.*, member.*, row_number() over (
              partition by ranges.from_time, ranges.from_sequence order by member.created_time, member.sequence
            ) - 1 as number
       from ranges
      cross join lateral (
        select created_time, sequence
          from users
         where account_id = $1 and deleted_time is null
           and (created_time, sequence) >= (ranges.from_time, ranges.from_sequence)
           and (created_time, sequence) < (ranges.to_time, ranges.to_sequence)
      ) as member
      where ranges.count > 2 * (select size from size)
   ), starts as (
     select case when number = 0 then from_time else created_time end as from_time,
            case when number = 0 then from_sequence else sequence end as from_sequence, to_time, to_sequence,
            least((select size from size), max(number) over (partition by from_time, from_sequence) + 1 - number) as held,
            number
       from members
   ), parts as (
     select from_time, from_sequence, held,
            lead(from_time, 1, to_time) over place as to_time, lead(from_sequence, 1, to_sequence) over place as to_sequence
       from starts
      where number % (select size from size) = 0
     window place as (partition by to_time, to_sequence order by from_time, from_sequence)
   )
   insert into user_ranks (account_id, from_time, from_sequence, count)
   select $1, from_time, from_sequence, held - (
            select coalesce(sum(change), 0)
              from user_rank_changes
             where account_id = $1
               and (created_time, sequence) >= (parts.from_time, parts.from_sequence)
               and (created_time, sequence) < (parts.to_time, parts.to_sequence)
          )
     from parts
   on conflict (account_id, from_time, from_sequence) do update set count = excluded.count`,
);

// The preceding range covers the removed one without a change of its count.
const DROP_EMPTY = statement(
  "drop_empty_user_ranks",
  `delete from user_ranks where account_id = $1 and count = 0 and from_time > '-infinity'`,
);

/**
 * Maintains the counts of `user_ranks` from the pending changes.
 * @shape least: minimum users per range
 */
export const rankStore = (pool: Pool, least = RANGE_SIZE_MIN) => ({
  accounts: async (): Promise<number[]> =>
    (await pool.rows<{ account_id: number }>(ACCOUNTS_TO_FOLD, [least])).map(({ account_id }) => account_id),
  /**
   * Folds all committed changes of an account and splits oversized ranges. No-op while another process folds the
   * account.
   */
  fold: (accountId: number): Promise<void> =>
    pool.transaction(async (tx: Db) => {
      if (!(await tx.one<{ locked: boolean }>(LOCK, [accountId]))?.locked) return;
      await tx.rows(BEGIN_RANKS, [accountId]);
      await tx.rows(FOLD, [accountId]);
      await tx.rows(SPLIT, [accountId, least]);
      await tx.rows(DROP_EMPTY, [accountId]);
    }),
});
export type RankStore = ReturnType<typeof rankStore>;
