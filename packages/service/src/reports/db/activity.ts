import { statement } from "@parley/database";

/** A change of an agent's status, and how long that lasted. */
export interface ActivityRow {
  readonly agent_id: string;
  readonly created_time: Date;
  readonly from_status: string | null;
  readonly to_status: string | null;
  readonly availability_status: string;
  /** null: it lasts. */
  readonly ended_time: Date | null;
}

/** What comes next for an agent counts from the end of a stretch on too, so that it is looked for in whole. */
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

export const ACTIVITY = statement("", activity("", ""));
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
