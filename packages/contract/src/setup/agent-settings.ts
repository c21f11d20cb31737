import Type, { type Static } from "typebox";
import { Agent, AGENT_NOT_FOUND } from "../api/agents.ts";
import { endpoint } from "../kernel/endpoint.ts";
import { ACCOUNT_NOT_FOUND } from "./admin-problems.ts";

/** @assumed The most active conversations that an agent can be said to handle. */
const AGENT_CAPACITY_MAX = 10_000;

/**
 * What the agent object shows and no call of the API sets: the specification lists it in no request.
 * @assumed The owner of the installation sets it. A deactivated agent keeps the conversations that it has and gets no others.
 */
export const AgentSettings = Type.Object(
  {
    is_deactivated: Type.Optional(Type.Boolean()),
    agent_capacity: Type.Optional(Type.Integer({ minimum: 0, maximum: AGENT_CAPACITY_MAX })),
  },
  { title: "AgentSettings" },
);
export type AgentSettings = Static<typeof AgentSettings>;

/** With the admin key. */
export const agentSettings = {
  changeAgentSettings: endpoint({
    route: "PUT /admin/accounts/{account}/agents/{agent_id}",
    summary: "Deactivate an agent or activate it again, or set its capacity; null and omitted keep their value",
    spec: "Resources and their fields",
    permission: null,
    body: AgentSettings,
    reply: { code: 200, body: Agent },
    problems: [ACCOUNT_NOT_FOUND, AGENT_NOT_FOUND],
  }),
};
