import type { InboxCounts } from "@parley/contract";
import { statement, type Db } from "@parley/database";
import { agentCreatedTime, createParameters, isUnread, joinReadMark, segmentsCondition } from "./conditions.sql.ts";
import { PRIORITY_RANKS } from "./fold.sql.ts";
import { type InboxViewer, OPEN_STATUSES, segmentsOfScope } from "./view.ts";

const openBy = (column: string, key = column): string =>
  `(select coalesce(json_object_agg(key, count), '{}')
      from (select ${key} as key, sum(count) as count from cell where is_open and ${column} is not null group by 1) open_cells
     where count > 0)`;

const countsText = (viewer: InboxViewer, accountId: number) => {
  const parameters = createParameters();
  const [account, agent] = [parameters.add(accountId, "integer"), parameters.add(viewer.id, "uuid")];
  const open = parameters.add(OPEN_STATUSES, "text[]");
  const names = parameters.add(PRIORITY_RANKS, "text[]");
  const scope = segmentsCondition(segmentsOfScope(viewer), parameters);
  const text = `
    with cell as materialized (
      select e.*, e.status = any(${open}) as is_open from inbox_counts e where e.account_id = ${account} and e.count <> 0 and ${scope}
    ), unread as (
      select count(*) as all, count(*) filter (where e.agent_id = ${agent}) as mine
        from inbox_entries e ${joinReadMark(agent)}
       where e.account_id = ${account} and e.status = any(${open}) and (e.agent_id = ${agent} or e.agent_id is null) and ${scope}
         and ${isUnread(agentCreatedTime(account, agent))}
    )
    select coalesce(sum(count) filter (where is_open), 0)::bigint as open,
           coalesce(sum(count) filter (where not is_open), 0)::bigint as resolved,
           coalesce(sum(count) filter (where is_open and agent_id = ${agent}), 0)::bigint as mine,
           coalesce(sum(count) filter (where is_open and agent_id is null), 0)::bigint as unassigned,
           (select "all" from unread) as unread, (select mine from unread) as mine_unread,
           ${openBy("agent_id")} as by_agent, ${openBy("group_id")} as by_group, ${openBy("channel_id")} as by_channel,
           ${openBy("priority", `(${names})[priority + 1]`)} as by_priority
      from cell`;
  return { text, values: parameters.values };
};

/** The numbers of conversations within the scope of an agent. */
export const readInboxCounts = async (db: Db, accountId: number, viewer: InboxViewer): Promise<InboxCounts> => {
  const { text, values } = countsText(viewer, accountId);
  const row = await db.one<InboxCounts>(statement("", text), values);
  if (!row) throw new Error("an aggregate returned no row");
  return row;
};
