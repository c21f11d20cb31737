import { statement } from "@parley/database";
import type { AboutConversation } from "../columns.ts";

/** An agent's answer to a user who waited. */
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
