import { statement } from "@parley/database";

/** What an agent did. @units averages: seconds */
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
