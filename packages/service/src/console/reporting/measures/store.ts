import { statement, type Db } from "@parley/database";
import type { OpenChange, InteractionUpdate, Interaction, InteractionKey } from "./projection.ts";
import type { HourCell } from "./measures.ts";

const INTERACTIONS = statement(
  "fact_interactions",
  `select i.*
     from (select distinct * from unnest($1::uuid[], $2::text[]) as names (conversation_id, interaction_id)) asked
    cross join lateral (
      select * from interactions
       where conversation_id = asked.conversation_id and interaction_id = asked.interaction_id
       limit 1
    ) i`,
);
/** The columns are named, since a next release may add some that this one can't fill. */
const insertion = (table: string, columns: string, alias = ""): string =>
  `insert into ${table}${alias} (${columns}) select ${columns} from json_populate_recordset(null::${table}, $1)`;

const INTERACTION_COLUMNS = `conversation_id, interaction_id, account_id, created_time, reopened, channel_id, user_id, group_id, agent_id,
  first_assigned_time, first_response_time, first_response_agent_id, responses, resolved_time, resolved_agent_id, resolved_group_id,
  resolver_type, resolver_id, waiting_since`;
const ASSIGNMENT_COLUMNS =
  "seq, kind, account_id, conversation_id, interaction_id, created_time, from_id, to_id, actor_type, actor_id";
const RESPONSE_COLUMNS =
  "message_id, account_id, conversation_id, interaction_id, created_time, agent_id, group_id, first, value_in_seconds";
const HOUR_COLUMNS =
  "account_id, measure, cut, hour, group_id, agent_id, count, sum_ms, min_ms, max_ms, buckets, counts";

const KEEP_INTERACTIONS = statement(
  "keep_interactions",
  `${insertion("interactions", INTERACTION_COLUMNS)}
   on conflict (conversation_id, interaction_id) do update
     set group_id = excluded.group_id, agent_id = excluded.agent_id,
         first_assigned_time = excluded.first_assigned_time, first_response_time = excluded.first_response_time,
         first_response_agent_id = excluded.first_response_agent_id, responses = excluded.responses,
         resolved_time = excluded.resolved_time, resolved_agent_id = excluded.resolved_agent_id,
         resolved_group_id = excluded.resolved_group_id, resolver_type = excluded.resolver_type,
         resolver_id = excluded.resolver_id, waiting_since = excluded.waiting_since`,
);
const ADD_ASSIGNMENTS = statement("add_assignments", insertion("assignments", ASSIGNMENT_COLUMNS));
const ADD_RESPONSES = statement("add_responses", insertion("responses", RESPONSE_COLUMNS));
const ADD_HOURS = statement(
  "add_metric_hours",
  `${insertion("metric_hours", HOUR_COLUMNS, " as present")}
   on conflict (account_id, measure, cut, hour, group_id, agent_id) do update
     set count = present.count + excluded.count, sum_ms = present.sum_ms + excluded.sum_ms,
         min_ms = least(present.min_ms, excluded.min_ms), max_ms = greatest(present.max_ms, excluded.max_ms),
         (buckets, counts) = (
           select coalesce(array_agg(bucket order by bucket), '{}'), coalesce(array_agg(number order by bucket), '{}')
             from (
               select bucket, sum(number)::bigint as number
                 from (
                   select * from unnest(present.buckets, present.counts) as p (bucket, number)
                    union all
                   select * from unnest(excluded.buckets, excluded.counts) as e (bucket, number)
                 ) parts
                group by bucket
             ) merged
         )`,
);
const ADD_OPEN = statement(
  "add_open_interactions",
  `${insertion("open_interactions", "account_id, group_id, agent_id, count", " as present")}
   on conflict (account_id, group_id, agent_id) do update set count = present.count + excluded.count`,
);

const cellRow = ({ histogram, ...cell }: HourCell) => {
  const entries = [...histogram].sort(([a], [b]) => a - b);
  return { ...cell, buckets: entries.map(([bucket]) => bucket), counts: entries.map(([, count]) => count) };
};

/** All results of one batch. */
interface ProjectedBatch extends Pick<InteractionUpdate, "interactions" | "assignments" | "responses"> {
  readonly hours: readonly HourCell[];
  readonly open: readonly OpenChange[];
}

/** The tables that events are projected into. */
export const analyticsStore = (db: Db) => ({
  /** -> each interaction once, also when it is asked for twice */
  interactions: (keys: readonly InteractionKey[]): Promise<Interaction[]> =>
    db.rows<Interaction>(INTERACTIONS, [
      keys.map(({ conversation_id }) => conversation_id),
      keys.map(({ interaction_id }) => interaction_id),
    ]),
  add: async ({ interactions, assignments, responses, hours, open }: ProjectedBatch): Promise<void> => {
    if (interactions.length > 0) await db.rows(KEEP_INTERACTIONS, [JSON.stringify(interactions)]);
    if (assignments.length > 0) await db.rows(ADD_ASSIGNMENTS, [JSON.stringify(assignments)]);
    if (responses.length > 0) await db.rows(ADD_RESPONSES, [JSON.stringify(responses)]);
    if (hours.length > 0) await db.rows(ADD_HOURS, [JSON.stringify(hours.map(cellRow))]);
    if (open.length > 0) await db.rows(ADD_OPEN, [JSON.stringify(open)]);
  },
});
