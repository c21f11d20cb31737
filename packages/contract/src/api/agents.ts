import Type, { type Static } from "typebox";
import { endpoint } from "../kernel/endpoint.ts";
import { problem } from "../kernel/problem.ts";
import { listQuery, pageOf } from "./pagination.ts";
import { Avatar, SocialProfile, Time } from "./values.ts";

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

export const AGENT_NOT_FOUND = problem({ code: 404, status: "AGENT_NOT_FOUND", message: "agent not found" });

export const agents = {
  listAgents: endpoint({
    route: "GET /agents",
    summary: "List agents that match all the filters given",
    spec: "Endpoints > Agents",
    permission: "agent:read",
    query: Type.Object({
      is_deactivated: Type.Optional(Type.Boolean()),
      groups: Type.Optional(Type.String({ description: "Id of a group that the agent belongs to." })),
      availability_status: Type.Optional(Availability),
      ...listQuery("created_time", "first_name", "last_name", "email"),
    }),
    reply: { code: 200, body: pageOf("agents", Agent) },
  }),
};
