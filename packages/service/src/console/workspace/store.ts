import type { Agent, ListedAgent } from "@parley/contract";
import { statement, type Db } from "@parley/database";
import { sortKey } from "../../base/db/page.ts";

// The stored JSON of an agent is read once for all of its members.
const LISTED_AGENTS = statement(
  "listed_agents",
  `select a.id, a.email, a.first_name, a.last_name, a.groups, a.is_deactivated, a.availability_status,
          stored.avatar ->> 'url' as avatar_url, stored.agent_status
     from agents a
    cross join lateral json_to_record(a.body::json) as stored (avatar json, agent_status json)
    where a.account_id = $1
    order by ${sortKey("coalesce(a.first_name, a.email)")}, ${sortKey("a.last_name")}, a.id`,
);

interface ListedAgentRow extends Pick<Agent, "id" | "email" | "groups" | "is_deactivated" | "availability_status"> {
  readonly first_name: string | null;
  readonly last_name: string | null;
  readonly avatar_url: string | null;
  readonly agent_status: NonNullable<Agent["agent_status"]> | null;
}

const listedAgent = ({ is_deactivated, ...row }: ListedAgentRow): ListedAgent => ({
  id: row.id,
  email: row.email,
  groups: row.groups,
  is_active: !is_deactivated,
  availability_status: row.availability_status,
  ...(row.first_name !== null && { first_name: row.first_name }),
  ...(row.last_name !== null && { last_name: row.last_name }),
  ...(row.avatar_url !== null && { avatar_url: row.avatar_url }),
  ...(row.agent_status !== null && { agent_status: row.agent_status }),
});

/** Reads of the table `agents` for the console. */
export const workspaceStore = (db: Db) => ({
  /** All agents of an account, by name. */
  agents: async (accountId: number): Promise<ListedAgent[]> =>
    (await db.rows<ListedAgentRow>(LISTED_AGENTS, [accountId])).map(listedAgent),
});
export type WorkspaceStore = ReturnType<typeof workspaceStore>;
