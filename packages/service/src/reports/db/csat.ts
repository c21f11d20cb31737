import { statement } from "@parley/database";

/** What a customer said of how it went. */
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
