import { statement } from "@parley/database";
import type { AboutConversation } from "./columns.ts";
import type { Interaction } from "../measures/projection.ts";

/** A message with its conversation and the user of the conversation. The fields of a deleted user are null. */
export interface ReportedMessageRow {
  /** JSON text of the message. */
  readonly body: string;
  readonly user_id: string;
  readonly email: string | null;
  readonly first_name: string | null;
  readonly last_name: string | null;
}

export const MESSAGES = statement(
  "",
  `select m.body, c.user_id, u.email, u.first_name, u.last_name
     from messages m
     join conversations c on c.id = m.conversation_id
     join users u on u.id = c.user_id
    where c.account_id = $1 and m.created_time >= $2 and m.created_time < $3
    order by m.created_time, m.conversation_id, m.seq`,
);

/** A response of an agent to a waiting user. */
export interface ResponseRow extends AboutConversation {
  readonly agent_id: string | null;
  readonly group_id: string | null;
  readonly value_in_seconds: number | null;
  readonly created_time: Date;
}

const responses = (more: string) => `
select conversation_id, interaction_id, agent_id, group_id, value_in_seconds, created_time
  from responses
 where account_id = $1 and created_time >= $2 and created_time < $3${more}
 order by created_time, message_id`;

export const RESPONSES = statement("", responses(""));
export const FIRST_RESPONSES = statement("", responses(" and first"));

/** A customer's rating of an interaction. */
export interface RatingRow {
  readonly id: number;
  readonly conversation_id: string;
  readonly rating: number | null;
  readonly additional_feedback: string | null;
  readonly created_time: Date;
  readonly agent_id: string | null;
}

export const RATINGS = statement(
  "",
  `select id, conversation_id, rating, additional_feedback, created_time, agent_id
     from csat
    where account_id = $1 and created_time >= $2 and created_time < $3
    order by created_time, id`,
);

/** A change of the assigned agent or group. */
export interface AssignmentRow extends AboutConversation {
  readonly created_time: Date;
  readonly from_id: string | null;
  readonly to_id: string | null;
  readonly actor_type: string;
  readonly actor_id: string | null;
}

const assignments = (kind: "agent" | "group") => `
select conversation_id, interaction_id, created_time, from_id, to_id, actor_type, actor_id
  from assignments
 where account_id = $1 and kind = '${kind}' and created_time >= $2 and created_time < $3
 order by created_time, seq`;

export const AGENT_ASSIGNMENTS = statement("", assignments("agent"));
export const GROUP_ASSIGNMENTS = statement("", assignments("group"));

/** The fields of an interaction that the columns need. */
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

const COLUMNS = `i.conversation_id, i.interaction_id, i.created_time, i.reopened, i.channel_id, i.user_id, i.group_id, i.agent_id,
       i.first_assigned_time, i.first_response_time, i.responses, i.resolved_time, i.resolved_agent_id, i.resolved_group_id`;

export const CREATED = statement(
  "",
  `select ${COLUMNS}, null as rating
     from interactions i
    where i.account_id = $1 and i.created_time >= $2 and i.created_time < $3
    order by i.created_time, i.conversation_id`,
);
export const FIND_RATED_CONVERSATIONS = statement(
  "",
  `select ${COLUMNS}, rated.rating
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
  `select ${COLUMNS}, null as rating
     from interactions i
    where i.account_id = $1 and i.resolved_time >= $2 and i.resolved_time < $3
    order by i.resolved_time, i.conversation_id`,
);
