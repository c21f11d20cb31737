import { sessionsOf } from "../kernel/access.ts";
import Type, { type Static } from "typebox";
import { endpoint } from "../kernel/endpoint.ts";
import { problem } from "../kernel/problem.ts";
import { scalarFieldsOf } from "../kernel/shape.ts";
import { GROUP_NOT_FOUND } from "./groups.ts";
import { LIMITS } from "./limits.ts";
import { listQuery, pageOf } from "./pagination.ts";
import { StatusBody, Avatar, ShortText, SocialProfile, Time } from "./values.ts";

export const AgentStatus = Type.Object({ id: Type.String(), name: Type.String() }, { title: "AgentStatus" });
export type AgentStatus = Static<typeof AgentStatus>;

export const Availability = Type.Enum(["AVAILABLE", "UNAVAILABLE"]);

/** @spec Resources and their fields > Agent object */
export const Agent = Type.Object(
  {
    id: Type.String(),
    created_time: Time,
    agent_capacity: Type.Optional(Type.Integer()),
    agent_status: Type.Optional(AgentStatus),
    availability_status: Availability,
    avatar: Type.Optional(Avatar),
    biography: Type.Optional(Type.String()),
    email: Type.String(),
    first_name: Type.Optional(Type.String()),
    last_name: Type.Optional(Type.String()),
    masterid_group_ids: Type.Optional(Type.Array(Type.String())),
    masterid_uuid: Type.Optional(Type.String()),
    groups: Type.Array(Type.String()),
    is_deactivated: Type.Boolean(),
    is_deleted: Type.Boolean(),
    license_type: Type.Optional(Type.String()),
    locale: Type.Optional(Type.String()),
    login_status: Type.Boolean(),
    org_contact_id: Type.Optional(Type.String()),
    phone: Type.Optional(Type.String()),
    role_id: Type.String(),
    role_name: Type.String(),
    routing_type: Type.Optional(Type.String()),
    scope: Type.Optional(Type.Enum(["Global", "Group", "Me", "None"])),
    skill_id: Type.Optional(Type.String()),
    social_profiles: Type.Optional(Type.Array(SocialProfile)),
    timezone: Type.Optional(Type.String()),
  },
  { title: "Agent" },
);
export type Agent = Static<typeof Agent>;

/** Values of sort_by. */
export const AGENT_SORT_FIELDS = scalarFieldsOf(Agent);
export type AgentSortField = (typeof AGENT_SORT_FIELDS)[number];

export const AGENT_NOT_FOUND = problem({ code: 404, status: "AGENT_NOT_FOUND", message: "agent not found" });
/** @assumed The status token and the HTTP code. */
export const AGENT_EMAIL_TAKEN = problem({
  code: 409,
  status: "AGENT_EMAIL_TAKEN",
  message: "Another agent of the account has this e-mail address.",
});
/** role_id or role_name matches no role of the account, or the two match different roles. @assumed */
export const ROLE_NOT_FOUND = problem({ code: 404, status: "ROLE_NOT_FOUND", message: "role not found" });
/** `agent_status` matches no entry of the account's status list. @assumed */
export const AGENT_STATUS_NOT_FOUND = problem({
  code: 400,
  status: "AGENT_STATUS_NOT_FOUND",
  message: "agent_status must be an id or a name of GET /agents/status, or both of the same status.",
});

const writableFields = {
  avatar: Type.Optional(Avatar),
  biography: Type.Optional(Type.String({ maxLength: LIMITS.text_characters })),
  first_name: Type.Optional(ShortText),
  last_name: Type.Optional(ShortText),
  groups: Type.Optional(Type.Array(ShortText, { maxItems: LIMITS.agent_groups })),
  locale: Type.Optional(ShortText),
  phone: Type.Optional(ShortText),
  role_id: Type.Optional(ShortText),
  role_name: Type.Optional(ShortText),
  skill_id: Type.Optional(ShortText),
  social_profiles: Type.Optional(Type.Array(SocialProfile, { maxItems: 20 })),
  timezone: Type.Optional(ShortText),
  license_type: Type.Optional(ShortText),
  org_contact_id: Type.Optional(ShortText),
};
/** @spec Endpoints > Agents */
export const NewAgent = Type.Object({ email: ShortText, ...writableFields }, { title: "NewAgent" });
export type NewAgent = Static<typeof NewAgent>;
/** Accepted as clients have read them, since they send whole objects back. Another value is refused. */
const statusFields = {
  availability_status: Type.Optional(
    Type.Enum(["AVAILABLE", "UNAVAILABLE"], { description: "Follows from agent_status: another value is refused." }),
  ),
  agent_status: Type.Optional(Type.Partial(AgentStatus)),
};
/** A field that is null or omitted keeps its value. @spec Endpoints > Agents */
export const AgentChange = Type.Object(
  { email: Type.Optional(ShortText), ...writableFields, ...statusFields },
  { title: "AgentChange" },
);
export type AgentChange = Static<typeof AgentChange>;

const AGENT_RULES = [AGENT_EMAIL_TAKEN, GROUP_NOT_FOUND, ROLE_NOT_FOUND] as const;

export const agents = {
  listAgents: endpoint({
    route: "GET /agents",
    summary: "List agents that match all the given filters",
    spec: "Endpoints > Agents",
    access: { token: "agent:read", session: sessionsOf("AGENT", "account") },
    query: Type.Object({
      is_deactivated: Type.Optional(Type.Boolean()),
      groups: Type.Optional(Type.String({ description: "Id of a group that the agent belongs to." })),
      availability_status: Type.Optional(Availability),
      ...listQuery(...AGENT_SORT_FIELDS),
    }),
    reply: { code: 200, body: pageOf("agents", Agent) },
  }),
  createAgent: endpoint({
    route: "POST /agents",
    summary: "Create an agent",
    spec: "Endpoints > Agents",
    access: { token: "agent:create", session: sessionsOf("ADMIN", "account") },
    acceptsIdempotencyKey: true,
    body: NewAgent,
    reply: { code: 201, body: Agent },
    problems: [...AGENT_RULES],
  }),
  listAgentStatuses: endpoint({
    route: "GET /agents/status",
    summary: "List the statuses that an agent can have",
    spec: "Endpoints > Agents",
    access: { token: "agent:read", session: sessionsOf("AGENT", "account") },
    reply: { code: 200, body: Type.Object({ states: Type.Array(AgentStatus) }) },
  }),
  getAgent: endpoint({
    route: "GET /agents/{agent_id}",
    summary: "Get one agent",
    spec: "Endpoints > Agents",
    access: { token: "agent:read", session: sessionsOf("AGENT", "account") },
    reply: { code: 200, body: Agent },
    problems: [AGENT_NOT_FOUND],
  }),
  updateAgent: endpoint({
    route: "PUT /agents/{agent_id}",
    summary: "Change an agent; null and omitted attributes keep their value",
    spec: "Endpoints > Agents",
    access: { token: "agent:update", session: sessionsOf("AGENT", "ownAgent") },
    body: AgentChange,
    reply: { code: 200, body: Agent },
    problems: [AGENT_NOT_FOUND, ...AGENT_RULES],
  }),
  updateAgentStatus: endpoint({
    route: "PATCH /agents/{agent_id}",
    summary: "Change an agent's status; availability follows from it",
    spec: "Endpoints > Agents",
    access: { token: "agent:update", session: sessionsOf("AGENT", "ownAgent") },
    body: Type.Object(statusFields, { title: "AgentStatusChange" }),
    reply: {
      code: 200,
      body: Type.Object({ availability_status: Availability, agent_status: Type.Optional(AgentStatus) }),
    },
    problems: [AGENT_NOT_FOUND, AGENT_STATUS_NOT_FOUND],
  }),
  deleteAgent: endpoint({
    route: "DELETE /agents/{agent_id}",
    summary: "Delete an agent for good",
    spec: "Endpoints > Agents",
    access: { token: "agent:delete", session: sessionsOf("ADMIN", "account") },
    reply: { code: 202, body: StatusBody },
    problems: [AGENT_NOT_FOUND],
  }),
};
