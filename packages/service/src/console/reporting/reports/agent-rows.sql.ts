import { statement } from "@parley/database";

/** A change of an agent's status, with the end of the new status. */
export interface ActivityRow {
  readonly agent_id: string;
  readonly created_time: Date;
  readonly from_status: string | null;
  readonly to_status: string | null;
  readonly availability_status: string;
  /** null: the status is current. */
  readonly ended_time: Date | null;
}

/** The next activity of an agent is searched beyond the end of the period, so that every end is found. */
const activity = (isChange: string, isEnd: string) => `
select present.agent_id, present.created_time, present.from_status, present.to_status, present.availability_status,
       following.created_time as ended_time
  from agent_activity present
  left join lateral (
    select created_time
      from agent_activity later
     where later.account_id = present.account_id and later.agent_id = present.agent_id
       and (later.created_time, later.id) > (present.created_time, present.id)${isEnd}
     order by later.created_time, later.id
     limit 1
  ) following on true
 where present.account_id = $1 and present.created_time >= $2 and present.created_time < $3${isChange}
 order by present.created_time, present.id`;

export const AGENT_ACTIVITY = statement("", activity("", ""));
export const AVAILABILITY = statement(
  "",
  activity(
    ` and present.availability_status is distinct from (
    select availability_status
      from agent_activity earlier
     where earlier.account_id = present.account_id and earlier.agent_id = present.agent_id
       and (earlier.created_time, earlier.id) < (present.created_time, present.id)
     order by earlier.created_time desc, earlier.id desc
     limit 1)`,
    " and later.availability_status <> present.availability_status",
  ),
);

/** The results of an agent. @units averages: seconds */
export interface PerformanceRow {
  readonly agent_id: string;
  readonly assigned: number;
  readonly resolved: number;
  readonly responses: number;
  readonly first_response_time: number | null;
  readonly response_time: number | null;
  readonly resolution_time: number | null;
  readonly ratings: number;
  readonly rating: number | null;
}

export const PERFORMANCE = statement(
  "",
  `with assigned as (
     select to_id as agent_id, count(*) as assigned
       from assignments
      where account_id = $1 and kind = 'agent' and to_id is not null and created_time >= $2 and created_time < $3
      group by to_id
   ), resolved as (
     select resolved_agent_id as agent_id, count(*) as resolved,
            avg(extract(epoch from resolved_time - created_time))::double precision as resolution_time
       from interactions
      where account_id = $1 and resolved_agent_id is not null and resolved_time >= $2 and resolved_time < $3
      group by resolved_agent_id
   ), responded as (
     select agent_id, count(*) as responses, avg(value_in_seconds) as response_time,
            avg(value_in_seconds) filter (where first) as first_response_time
       from responses
      where account_id = $1 and agent_id is not null and created_time >= $2 and created_time < $3
      group by agent_id
   ), rated as (
     select agent_id, count(rating) as ratings, avg(rating)::double precision as rating
       from csat
      where account_id = $1 and agent_id is not null and created_time >= $2 and created_time < $3
      group by agent_id
   ), known as (
     select id as agent_id from agents where account_id = $1
     union select agent_id from assigned
     union select agent_id from resolved
     union select agent_id from responded
     union select agent_id from rated
   )
   select agent_id, coalesce(assigned, 0) as assigned, coalesce(resolved, 0) as resolved, coalesce(responses, 0) as responses,
          first_response_time, response_time, resolution_time, coalesce(ratings, 0) as ratings, rating
     from known
     left join assigned using (agent_id)
     left join resolved using (agent_id)
     left join responded using (agent_id)
     left join rated using (agent_id)
    order by agent_id`,
);
