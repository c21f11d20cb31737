import { Agent, type AgentChange, type AgentStatus, type NewAgent } from "@parley/contract";
import type { GroupFacts } from "../groups/store.ts";
import { serializerOf } from "../http/serializer.ts";
import type { Ports } from "../ports.ts";
import type { RoleName } from "./role.ts";
import { scopeOf } from "./scope.ts";
import type { StatusRow } from "./store.ts";

/** An agent as the JSON text that is kept and replied. */
export const agentText = serializerOf(Agent);

/** What a request names, found in the account. Absent: not named. */
export interface Named {
  readonly groups: readonly GroupFacts[] | undefined;
  readonly role: RoleName | undefined;
}

const groupsOf = (groups: readonly GroupFacts[]): Pick<Agent, "groups" | "masterid_group_ids"> => ({
  groups: groups.map(({ id }) => id),
  masterid_group_ids: groups.flatMap(({ org_id }) => org_id ?? []),
});

const roleOf = (role: RoleName): Pick<Agent, "role_id" | "role_name" | "scope"> => ({
  role_id: role.id,
  role_name: role.name,
  scope: scopeOf(role),
});

const statusOf = ({
  id,
  name,
  availability_status,
}: StatusRow): Pick<Agent, "agent_status" | "availability_status"> => ({
  agent_status: { id, name },
  availability_status,
});

/**
 * Makes the object of what a caller gives.
 * @assumed A new agent works fulltime, takes five conversations, is routed by INTELLIASSIGN, has the first status that makes available,
 * and has not logged in.
 */
export const newAgent = (
  given: NewAgent,
  { groups = [], role }: Named & { readonly role: RoleName },
  status: StatusRow | undefined,
  { now, newId }: Ports,
): Agent => ({
  avatar: {},
  license_type: "fulltime",
  social_profiles: [],
  org_contact_id: newId(),
  ...given,
  ...groupsOf(groups),
  ...roleOf(role),
  id: newId(),
  created_time: now().toISOString(),
  agent_capacity: 5,
  availability_status: "AVAILABLE",
  ...(status && statusOf(status)),
  masterid_uuid: newId(),
  is_deactivated: false,
  is_deleted: false,
  login_status: false,
  routing_type: "INTELLIASSIGN",
});

/** What a PUT makes of an agent. */
export const changedAgent = (agent: Agent, given: AgentChange, { groups, role }: Named): Agent => ({
  ...agent,
  ...given,
  ...(groups ? groupsOf(groups) : { groups: agent.groups }),
  ...(role ? roleOf(role) : { role_id: agent.role_id, role_name: agent.role_name }),
});

/** What a PATCH makes of an agent. */
export const inStatus = (agent: Agent, status: StatusRow): Agent => ({ ...agent, ...statusOf(status) });

/** The status of that id, of that name, or of both together. */
export const statusNamed = (
  statuses: readonly StatusRow[],
  { id, name }: Partial<AgentStatus>,
): StatusRow | undefined =>
  statuses.find(
    (status) => (id === undefined || status.id === id.toLowerCase()) && (name === undefined || status.name === name),
  );
