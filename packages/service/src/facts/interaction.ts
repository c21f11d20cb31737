import type { ActorType } from "@parley/contract";

/** From a conversation's start or reopening to its resolution: a row of the table `interactions`. */
export interface Interaction {
  readonly conversation_id: string;
  readonly interaction_id: string;
  readonly account_id: number;
  readonly created_time: Date;
  readonly reopened: boolean;
  readonly channel_id: string;
  readonly user_id: string;
  readonly group_id: string | null;
  readonly agent_id: string | null;
  readonly first_assigned_time: Date | null;
  readonly first_response_time: Date | null;
  readonly first_response_agent_id: string | null;
  readonly responses: number;
  readonly resolved_time: Date | null;
  readonly resolved_agent_id: string | null;
  readonly resolved_group_id: string | null;
  readonly resolver_type: ActorType | null;
  readonly resolver_id: string | null;
  /** When the first message of the user came that no agent has answered yet. */
  readonly waiting_since: Date | null;
}

/** What names an interaction. */
export type InteractionKey = Pick<Interaction, "conversation_id" | "interaction_id">;

export const keyOf = ({ conversation_id, interaction_id }: InteractionKey): string =>
  `${conversation_id} ${interaction_id}`;
