import { statement, type Db } from "@parley/database";
import type { MeasureBreakdown, MeasureKind } from "../measures/measures.ts";
import type { TimeSpan } from "./range.ts";
import { validGroupingIds, type Grouping, type GroupingKey, type MetricScope } from "./scope.ts";

/** The measurements of one interval and one group or agent. @units milliseconds */
export interface MetricSum {
  readonly start: Date;
  readonly key: GroupingKey;
  readonly count: number;
  readonly sum_ms: number;
  readonly min_ms: number | null;
  readonly max_ms: number | null;
  /** Histogram bucket of the quantile; only if a quantile is requested. */
  readonly quantile?: number | null;
}

interface HoursQuery extends TimeSpan {
  readonly measure: MeasureKind;
  readonly cut: MeasureBreakdown;
  readonly intervals: readonly TimeSpan[];
}

const CELL_COLUMNS = `
       ($8::timestamptz[])[width_bucket(hour, $8::timestamptz[])] as start,
       case $9::text when 'group' then group_id when 'agent' then agent_id end as key`;
const MATCHING = `
   where account_id = $1 and measure = $2 and cut = $3 and hour >= $4 and hour < $5
     and ($6::uuid[] is null or group_id = any($6))
     and ($7::uuid[] is null or agent_id = any($7))`;

// A row belongs to the interval with the latest start before it. Not prepared: the selectivity of the range and the filter varies too much
// between requests.
const SUMS = statement(
  "",
  `select ${CELL_COLUMNS}, sum(count)::bigint as count, sum(sum_ms)::double precision as sum_ms,
          min(min_ms) as min_ms, max(max_ms) as max_ms
    from metric_hours ${MATCHING}
   group by start, key`,
);
const QUANTILES = statement(
  "",
  `with parts as (
     select ${CELL_COLUMNS}, part.bucket, sum(part.number) as number
       from metric_hours
      cross join lateral unnest(buckets, counts) as part (bucket, number) ${MATCHING}
      group by start, key, part.bucket
   ), ranked as (
     select start, key, bucket,
            sum(number) over (partition by start, key order by bucket) as reached,
            sum(number) over (partition by start, key) as total
       from parts
   )
   select start, key, min(bucket) as quantile from ranked where reached >= total * $10::numeric group by start, key`,
);
const UNASSIGNED = statement(
  "",
  `select case $5::text when 'group' then group_id end as key, count(*) as count
     from interactions
    where account_id = $1 and resolved_time is null and agent_id is null and created_time <= $2
      and ($3::uuid[] is null or group_id = any($3))
      and $4::uuid[] is null
    group by key`,
);
const OPEN = statement(
  "",
  `select case $4::text when 'group' then group_id when 'agent' then agent_id end as key, sum(count)::bigint as count
     from open_interactions
    where account_id = $1
      and ($2::uuid[] is null or group_id = any($2))
      and ($3::uuid[] is null or agent_id = any($3))
      and ($5::boolean is false or agent_id is null)
    group by key`,
);
const PRESENCE = statement(
  "",
  `select case $4::text when 'group' then member.group_id when 'agent' then agents.id::text end as key,
          count(distinct agents.id) filter (where case when $5::boolean
            then availability_status = 'AVAILABLE'
            else coalesce((body::json ->> 'login_status')::boolean, false) end) as count
     from agents
     left join lateral unnest(agents.groups) as member (group_id) on $4 = 'group'
    where account_id = $1 and not is_deactivated
      and ($2::text[] is null or agents.groups && $2)
      and ($2::text[] is null or member.group_id is null or member.group_id = any($2))
      and ($3::uuid[] is null or agents.id = any($3))
    group by key`,
);

const RATINGS = statement(
  "",
  `select ($6::timestamptz[])[width_bucket(csat.created_time, $6::timestamptz[])] as start,
          case $7::text when 'group' then i.group_id when 'agent' then csat.agent_id end as key,
          count(*) as count, avg(rating)::double precision as average
     from csat
     left join interactions i on i.conversation_id = csat.conversation_id and i.interaction_id = csat.interaction_id
    where csat.account_id = $1 and csat.created_time >= $2 and csat.created_time < $3 and rating is not null
      and ($4::uuid[] is null or i.group_id = any($4))
      and ($5::uuid[] is null or csat.agent_id = any($5))
    group by start, key`,
);

/** The ratings of one interval and one group or agent. */
export interface RatingSum {
  readonly start: Date;
  readonly key: GroupingKey;
  readonly count: number;
  readonly average: number;
}

/** The present count of a group or agent. */
export interface MetricCount {
  readonly key: GroupingKey;
  readonly count: number;
}

/** Without a grouping: one row for all. */
const dropKeyUnless = <R extends { readonly key: GroupingKey }>(rows: readonly R[], by: Grouping | undefined): R[] =>
  rows.map((row) => (by === undefined ? { ...row, key: undefined } : row));

const startsOf = (intervals: readonly TimeSpan[]): readonly string[] =>
  intervals.map(({ start }) => start.toISOString());

/** Queries of the measurements and of the presence of agents. */
export const metricStore = (db: Db) => {
  const hoursValues = (
    { accountId, groups, agents, by }: MetricScope,
    { measure, cut, start, end, intervals }: HoursQuery,
  ) => [
    accountId,
    measure,
    cut,
    start,
    end,
    validGroupingIds(groups) ?? null,
    validGroupingIds(agents) ?? null,
    startsOf(intervals),
    by ?? null,
  ];
  return {
    sums: async (scope: MetricScope, query: HoursQuery): Promise<MetricSum[]> =>
      dropKeyUnless(await db.rows<MetricSum>(SUMS, hoursValues(scope, query)), scope.by),
    /** @shape quantile, from 0 to 1 */
    quantiles: async (scope: MetricScope, query: HoursQuery, quantile: number) =>
      dropKeyUnless(
        await db.rows<Pick<MetricSum, "start" | "key" | "quantile">>(QUANTILES, [
          ...hoursValues(scope, query),
          quantile,
        ]),
        scope.by,
      ),
    ratings: async (
      { accountId, groups, agents, by }: MetricScope,
      { start, end, intervals }: TimeSpan & Pick<HoursQuery, "intervals">,
    ): Promise<RatingSum[]> =>
      dropKeyUnless(
        await db.rows<RatingSum>(RATINGS, [
          accountId,
          start,
          end,
          validGroupingIds(groups) ?? null,
          validGroupingIds(agents) ?? null,
          startsOf(intervals),
          by ?? null,
        ]),
        by,
      ),
    /** Interactions without an agent at present that began at or before a time. */
    unassigned: async ({ accountId, groups, agents, by }: MetricScope, before: Date): Promise<MetricCount[]> =>
      dropKeyUnless(
        await db.rows<MetricCount>(UNASSIGNED, [
          accountId,
          before,
          validGroupingIds(groups) ?? null,
          validGroupingIds(agents) ?? null,
          by ?? null,
        ]),
        by,
      ),
    open: async ({ accountId, groups, agents, by }: MetricScope, unassignedOnly: boolean): Promise<MetricCount[]> =>
      dropKeyUnless(
        await db.rows<MetricCount>(OPEN, [
          accountId,
          validGroupingIds(groups) ?? null,
          validGroupingIds(agents) ?? null,
          by ?? null,
          unassignedOnly,
        ]),
        by,
      ),
    presence: async ({ accountId, groups, agents, by }: MetricScope, availableOnly: boolean): Promise<MetricCount[]> =>
      dropKeyUnless(
        await db.rows<MetricCount>(PRESENCE, [
          accountId,
          groups ?? null,
          validGroupingIds(agents) ?? null,
          by ?? null,
          availableOnly,
        ]),
        by,
      ),
  };
};
export type MetricStore = ReturnType<typeof metricStore>;
