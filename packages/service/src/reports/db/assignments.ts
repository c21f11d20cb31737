import { statement } from "@parley/database";
import type { AboutConversation } from "../columns.ts";

/** An agent or a group took the place of another, or of none. */
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
