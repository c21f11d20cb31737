import { statement } from "@parley/database";
import type { Interaction } from "../../facts/interaction.ts";
import type { AboutConversation } from "../columns.ts";

/** What of an interaction the columns are made of. */
export type InteractionRow = AboutConversation &
  Pick<
    Interaction,
    | "created_time"
    | "reopened"
    | "channel_id"
    | "user_id"
    | "group_id"
    | "agent_id"
    | "first_assigned_time"
    | "first_response_time"
    | "responses"
    | "resolved_time"
    | "resolved_agent_id"
    | "resolved_group_id"
  > & {
    /** The latest rating of the interaction. */
    readonly rating: number | null;
  };

const columns = `i.conversation_id, i.interaction_id, i.created_time, i.reopened, i.channel_id, i.user_id, i.group_id, i.agent_id,
       i.first_assigned_time, i.first_response_time, i.responses, i.resolved_time, i.resolved_agent_id, i.resolved_group_id`;

export const CREATED = statement(
  "",
  `select ${columns}, null as rating
     from interactions i
    where i.account_id = $1 and i.created_time >= $2 and i.created_time < $3
    order by i.created_time, i.conversation_id`,
);
export const RATED = statement(
  "",
  `select ${columns}, rated.rating
     from interactions i
     left join lateral (
       select rating from csat
        where csat.conversation_id = i.conversation_id and csat.interaction_id = i.interaction_id and rating is not null
        order by id desc
        limit 1
     ) rated on true
    where i.account_id = $1 and i.created_time >= $2 and i.created_time < $3
    order by i.created_time, i.conversation_id`,
);
export const RESOLVED = statement(
  "",
  `select ${columns}, null as rating
     from interactions i
    where i.account_id = $1 and i.resolved_time >= $2 and i.resolved_time < $3
    order by i.resolved_time, i.conversation_id`,
);
