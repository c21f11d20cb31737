import { AGENT_ROLES, AGENT_SCOPES, type Agent, type AgentRole, type AgentScope } from "@parley/contract";
import type { BrowserSession, SessionHarness } from "../identity/authentication/session-harness.ts";

/** An agent of one role and scope, with its session. */
export interface SignedInAgent {
  readonly role: AgentRole;
  readonly scope: AgentScope;
  readonly id: string;
  readonly email: string;
  readonly session: BrowserSession;
  /** A conversation that is assigned to the agent. */
  readonly own: ReachedConversation;
}

/** A conversation and its user, who has no other one. */
interface ReachedConversation {
  readonly conversation_id: string;
  readonly user_id: string;
}

/** Agents of every role and scope in acme, all in one group, and conversations inside and outside of their scopes. */
export interface SessionFixture {
  readonly agents: readonly SignedInAgent[];
  /** The group of all these agents. */
  readonly groupId: string;
  /** Assigned to the agents' group. */
  readonly inGroup: ReachedConversation;
  /** Assigned to another group. */
  readonly elsewhere: ReachedConversation;
  /** Assigned to nobody. */
  readonly unassigned: ReachedConversation;
}

/** @errors Error if the fixture has no such agent */
export const signedInAgent = (
  { agents }: SessionFixture,
  role: AgentRole,
  scope: AgentScope = "Global",
): SignedInAgent => {
  const found = agents.find((agent) => agent.role === role && agent.scope === scope);
  if (!found) throw new Error(`There is no ${role} with the scope ${scope}.`);
  return found;
};

/** Creates the agents and conversations through the API, and signs the agents in. */
export async function createSessionFixture(s: SessionHarness): Promise<SessionFixture> {
  const { client } = s;
  const { groups } = await client.groups.listGroups();
  const [group, otherGroup] = groups;
  const { channels } = await client.channels.listChannels();
  const channel_id = channels[0]?.id ?? "";

  const open = async (
    name: string,
    assignment: { readonly assigned_agent_id?: string; readonly assigned_group_id?: string },
  ): Promise<ReachedConversation> => {
    const { id } = await client.users.createUser({ body: { first_name: name } });
    const message = {
      actor_type: "user" as const,
      actor_id: id,
      message_parts: [{ text: { content: `From ${name}` } }],
    };
    const { conversation_id } = await client.conversations.createConversation({
      body: { channel_id, messages: [message], users: [{ id }] },
    });
    if (Object.keys(assignment).length > 0)
      await client.conversations.updateConversation({
        params: { conversation_id },
        body: { status: "assigned", ...assignment },
      });
    return { conversation_id, user_id: id };
  };

  const agents: SignedInAgent[] = [];
  for (const role of AGENT_ROLES)
    for (const scope of AGENT_SCOPES) {
      const email = `${role}.${scope}@acme.example`.toLowerCase();
      const { id } = await client.agents.createAgent({
        body: { email, role_id: role, groups: [group?.id ?? ""], first_name: role, last_name: scope },
      });
      const { code } = await s.adminRequest<Agent>("PUT", `/admin/accounts/acme/agents/${id}`, { scope });
      if (code !== 200) throw new Error(`The scope of ${email} was not set: ${code}.`);
      const own = await open(`${role} ${scope}`, { assigned_agent_id: id });
      agents.push({ role, scope, id, email, session: await s.signIn(email), own });
    }
  return {
    agents,
    groupId: group?.id ?? "",
    inGroup: await open("group", { assigned_group_id: group?.id ?? "" }),
    elsewhere: await open("elsewhere", { assigned_group_id: otherGroup?.id ?? "" }),
    unassigned: await open("unassigned", {}),
  };
}
