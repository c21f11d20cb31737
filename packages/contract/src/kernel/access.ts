import type { Permission } from "./permissions.ts";

/**
 * The predefined roles of agents, the least powerful first. Each may do what those before it may.
 * @spec Resources and their fields > Agent object
 * @assumed The ranking. A custom role ranks as AGENT.
 */
export const AGENT_ROLES = ["AGENT", "SUPER_USER", "ADMIN", "ACCOUNT_ADMIN"] as const;
export type AgentRole = (typeof AGENT_ROLES)[number];

/** The predefined role that an agent's role ranks as. */
export const rankedRole = (roleId: string): AgentRole => AGENT_ROLES.find((role) => role === roleId) ?? "AGENT";

/** Whether a role has all rights of another role. */
export const isAtLeast = (roleId: string, needed: AgentRole): boolean =>
  AGENT_ROLES.indexOf(rankedRole(roleId)) >= AGENT_ROLES.indexOf(needed);

/**
 * How far an agent's access to customers and conversations goes, the narrowest first.
 * @spec Resources and their fields > Agent object
 * @assumed The scope None contains no conversation. Me: conversations assigned to the agent. Group: also those assigned to a group of the agent's.
 * Global: all. The role alone decides about the administration.
 */
export const AGENT_SCOPES = ["None", "Me", "Group", "Global"] as const;
export type AgentScope = (typeof AGENT_SCOPES)[number];

/**
 * Whether an agent's scope contains a conversation with this assignment.
 * @shape assignment: ids; null or absent where nobody is assigned
 */
export const reachesAssignment = (
  { id, scope, groups }: { readonly id: string; readonly scope: AgentScope; readonly groups: readonly string[] },
  { agentId, groupId }: { readonly agentId?: string | null | undefined; readonly groupId?: string | null | undefined },
): boolean => {
  switch (scope) {
    case "None":
      return false;
    case "Me":
      return agentId === id;
    case "Group":
      return agentId === id || (typeof groupId === "string" && groups.includes(groupId));
    case "Global":
      return true;
  }
};

/**
 * Part of the account that an agent's scope must contain for a request:
 * - `account`: nothing, since the endpoint concerns no customer;
 * - `some`: any conversation at all, so every scope but None;
 * - `conversation`: the conversation of the path; another conversation answers as if it did not exist;
 * - `user`: the user of the path, who has a conversation within the scope; another user answers as an unknown user;
 * - `all`: the scope Global;
 * - `ownAgent`: the agent of the path is the session's own, or the session's role is at least ADMIN.
 */
export const REACHES = ["account", "some", "conversation", "user", "all", "ownAgent"] as const;
export type Reach = (typeof REACHES)[number];

/** Requirements for an agent session. */
export interface SessionAccess {
  /** The least powerful role that is admitted. */
  readonly role: AgentRole;
  readonly reach: Reach;
}

/**
 * Part of the account that an endpoint concerns for a visitor's session: `session`: nothing but the session, so that no signed identity is needed;
 * `account`: nothing but the visitor's own user; `conversation`: the conversation of the path, which must be the user's own; another conversation
 * answers as if it did not exist.
 */
export const VISITOR_REACHES = ["session", "account", "conversation"] as const;
export type VisitorReach = (typeof VISITOR_REACHES)[number];

/** The credentials that an endpoint accepts. A request with another credential is refused. */
export interface Access {
  /** Permission that an API token needs; null: any valid token. Absent: no API token is accepted. */
  readonly token?: Permission | null;
  /** Absent: no agent session is accepted. */
  readonly session?: SessionAccess;
  /** Absent: no visitor's session is accepted. */
  readonly visitor?: VisitorReach;
  /** Whether the admin key of the installation is accepted. */
  readonly adminKey?: true;
  /** No credential is needed: the request contains what it is admitted by, such as a password, or the reply is public. */
  readonly isPublic?: true;
}

/** Agents of this role and higher roles, with the reach. */
export const sessionsOf = (role: AgentRole, reach: Reach): SessionAccess => ({ role, reach });

/** The header with the second secret of a session. Its first one is the session cookie, which other ports of the same host receive too. */
export const SESSION_TOKEN = "X-Session-Token";

/**
 * Requests of one session in a minute. They do not count against the account's hourly allowance.
 * @assumed
 */
export const SESSION_CALLS_PER_MINUTE = 1_200;
