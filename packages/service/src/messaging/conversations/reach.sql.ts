import { statement, type Db } from "@parley/database";
import type { CallerAgent } from "../../http/route-handlers.ts";
import { isUuid } from "../../http/uuid.ts";
import type { FindConversationId } from "./find.ts";

export { reachesAssignment } from "@parley/contract";

/** SQL condition: the conversation `c` is within the scope of an agent. @shape agent, groups: parameters; no groups for the scope Me */
export const isReached = (agent: string, groups: string): string =>
  `(c.assigned_agent_id = ${agent}::uuid or c.assigned_group_id = any(${groups}::uuid[]))`;

const CONVERSATION_REACHED = statement(
  "conversation_reached",
  `select c.id from conversations c where c.account_id = $1 and c.id = $4 and ${isReached("$2", "$3")}`,
);
const USERS_REACHED = statement(
  "users_reached",
  `select u.id
     from unnest($4::uuid[]) as u (id)
    where exists (select from conversations c where c.user_id = u.id and c.account_id = $1 and ${isReached("$2", "$3")})`,
);
const CONVERSATIONS_REACHED = statement(
  "conversations_reached",
  `select c.id from conversations c where c.account_id = $1 and c.id = any($4::uuid[]) and ${isReached("$2", "$3")}`,
);

/** The part of an agent that decides what it reaches. */
export type ReachingAgent = Pick<CallerAgent, "id" | "scope" | "groups">;

/** Ids of the groups whose conversations the agent reaches. */
export const groupsOf = ({ scope, groups }: ReachingAgent): readonly string[] =>
  scope === "Group" ? groups.filter(isUuid) : [];

/** Which conversations and users are within the scope of an agent. */
export function createAgentReach({ db, findId }: { readonly db: Db; readonly findId: FindConversationId }) {
  const reached = async (
    row: ReturnType<typeof statement>,
    accountId: number,
    agent: ReachingAgent,
    ids: readonly string[],
  ): Promise<readonly string[]> => {
    if (agent.scope === "Global") return ids;
    if (agent.scope === "None" || ids.length === 0) return [];
    const rows = await db.rows<{ id: string }>(row, [accountId, agent.id, groupsOf(agent), ids]);
    const found = new Set(rows.map(({ id }) => id));
    return ids.filter((id) => found.has(id));
  };
  return {
    /** @shape text: id or number of a conversation */
    async conversation(accountId: number, agent: ReachingAgent, text: string): Promise<boolean> {
      if (agent.scope === "Global") return true;
      const id = agent.scope === "None" ? undefined : await findId(accountId, text);
      return (
        id !== undefined &&
        (await db.one(CONVERSATION_REACHED, [accountId, agent.id, groupsOf(agent), id])) !== undefined
      );
    },
    user: async (accountId: number, agent: ReachingAgent, text: string): Promise<boolean> =>
      agent.scope === "Global" ||
      (isUuid(text) && (await reached(USERS_REACHED, accountId, agent, [text.toLowerCase()])).length > 0),
    /** Those of the users that the agent reaches, in their order. @shape ids: lower case */
    users: (accountId: number, agent: ReachingAgent, ids: readonly string[]) =>
      reached(USERS_REACHED, accountId, agent, ids),
    /** Those of the conversations that the agent reaches, in their order. */
    conversations: (accountId: number, agent: ReachingAgent, ids: readonly string[]) =>
      reached(CONVERSATIONS_REACHED, accountId, agent, ids),
  };
}
export type AgentReach = ReturnType<typeof createAgentReach>;
