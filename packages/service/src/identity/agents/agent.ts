import {
  Agent,
  type Role,
  type NewAgent,
  refuse,
  ROLE_NOT_FOUND,
  type AgentChange,
  type AgentStatus,
} from "@parley/contract";
import type { DirectoryGroup } from "../../messaging/directory/directory.ts";
import { serializerOf } from "../../http/serializer.ts";
import type { Ports } from "../../base/environment/ports.ts";
import type { StatusRow } from "./store.ts";

const SCOPES: Readonly<Record<string, NonNullable<Agent["scope"]>>> = {
  ACCOUNT_ADMIN: "Global",
  ADMIN: "Global",
  SUPER_USER: "Global",
  AGENT: "Group",
};

/**
 * Scope of an agent with this role.
 * @spec Resources and their fields > Agent object
 * @assumed Account admin, Admin and Super user reach everything; Agent and custom roles reach their groups.
 */
export const roleScope = ({ id }: Pick<Role, "id">): NonNullable<Agent["scope"]> => SCOPES[id] ?? "Group";

type RoleName = Pick<Role, "id" | "name">;

/** Role of a new agent. @assumed */
export const DEFAULT_ROLE_ID = "AGENT";

/**
 * Finds a role by its id, its name or both.
 * @shape undefined: neither is given
 * @errors ROLE_NOT_FOUND, also if id and name belong to different roles
 * @assumed Role names are compared without case; among roles of one name the first by id counts.
 */
export const findRole = (
  roles: readonly RoleName[],
  { role_id, role_name }: Pick<NewAgent, "role_id" | "role_name">,
): RoleName | undefined => {
  if (role_id === undefined && role_name === undefined) return undefined;
  const name = role_name?.toLowerCase();
  const role = roles.find(
    (each) =>
      (role_id === undefined || each.id === role_id) && (name === undefined || each.name.toLowerCase() === name),
  );
  return role ?? refuse(ROLE_NOT_FOUND, "role_id and role_name must name one role of GET /roles.");
};

/** Serializes an agent as stored and returned. */
export const agentJson = serializerOf(Agent);

/** References of a request, resolved in the account. Absent: not given. */
export interface AgentNames {
  readonly groups: readonly DirectoryGroup[] | undefined;
  readonly role: RoleName | undefined;
}

const groupsOf = (groups: readonly DirectoryGroup[]): Pick<Agent, "groups" | "masterid_group_ids"> => ({
  groups: groups.map(({ id }) => id),
  masterid_group_ids: groups.flatMap(({ org_id }) => org_id ?? []),
});

const roleFields = (role: RoleName): Pick<Agent, "role_id" | "role_name" | "scope"> => ({
  role_id: role.id,
  role_name: role.name,
  scope: roleScope(role),
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
 * Creates the object from a request.
 * @assumed A new agent works fulltime, takes five conversations, is routed by INTELLIASSIGN, has the first status that
 * makes available, and has not logged in.
 */
export const newAgent = (
  fields: NewAgent,
  { groups = [], role }: AgentNames & { readonly role: RoleName },
  status: StatusRow | undefined,
  { now, newId }: Ports,
): Agent => ({
  avatar: {},
  license_type: "fulltime",
  social_profiles: [],
  org_contact_id: newId(),
  ...fields,
  ...groupsOf(groups),
  ...roleFields(role),
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

/** Applies a PUT. */
export const changedAgent = (
  agent: Agent,
  fields: Omit<AgentChange, "availability_status" | "agent_status">,
  { groups, role }: AgentNames,
): Agent => ({
  ...agent,
  ...fields,
  ...(groups ? groupsOf(groups) : { groups: agent.groups }),
  ...(role ? roleFields(role) : { role_id: agent.role_id, role_name: agent.role_name }),
});

/** Applies a PATCH. */
export const withStatus = (agent: Agent, status: StatusRow): Agent => ({ ...agent, ...statusOf(status) });

/** Finds a status by its id, its name or both. */
export const findStatus = (statuses: readonly StatusRow[], { id, name }: Partial<AgentStatus>): StatusRow | undefined =>
  statuses.find(
    (status) => (id === undefined || status.id === id.toLowerCase()) && (name === undefined || status.name === name),
  );
