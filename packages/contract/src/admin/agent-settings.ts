import Type, { type Static } from "typebox";
import { Agent, AGENT_NOT_FOUND } from "../api/agents.ts";
import { AGENT_SCOPES, sessionsOf } from "../kernel/access.ts";
import { endpoint } from "../kernel/endpoint.ts";
import { ACCOUNT_NOT_FOUND } from "../api/accounts.ts";

/** @assumed The maximum capacity of an agent, in active conversations. */
export const AGENT_CAPACITY_MAX = 10_000;

/**
 * Fields of the agent object that no endpoint of the API sets: the specification lists them in no request.
 * @assumed The operator of the installation sets them. A deactivated agent keeps its conversations and is assigned no others.
 */
export const AgentSettings = Type.Object(
  {
    is_deactivated: Type.Optional(Type.Boolean()),
    scope: Type.Optional(Type.Enum([...AGENT_SCOPES])),
    agent_capacity: Type.Optional(Type.Integer({ minimum: 0, maximum: AGENT_CAPACITY_MAX })),
  },
  { title: "AgentSettings" },
);
export type AgentSettings = Static<typeof AgentSettings>;

/** Authenticated by the admin key. */
export const agentSettings = {
  changeAgentSettings: endpoint({
    route: "PUT /admin/accounts/{account}/agents/{agent_id}",
    summary:
      "Deactivate an agent or activate it again, or set its capacity or scope; null and omitted keep their value",
    spec: "Resources and their fields",
    access: { adminKey: true, session: sessionsOf("ADMIN", "account") },
    body: AgentSettings,
    reply: { code: 200, body: Agent },
    problems: [ACCOUNT_NOT_FOUND, AGENT_NOT_FOUND],
  }),
};
