import {
  AccountDocument,
  admin,
  AGENT_ROLES,
  agents,
  agentSettings,
  auditLog,
  conversations,
  customers,
  deliveries,
  messages,
  metricPages,
  metrics,
  outbound,
  platform,
  reportRequests,
  reports,
  replyTemplates,
  search,
  users,
  webhooks,
  type AgentRole,
  type Endpoint,
} from "@parley/contract";
import { formSchema } from "../../forms/form-schema.ts";

const { inviteAgent, resetAgentPassword, listAgentSessions, endAgentSessions, removeAgentSecondFactor } = admin;

const REPORT_TABLES: readonly Readonly<Record<string, Endpoint>>[] = [metrics, metricPages, reportRequests, reports];

/** Abilities of roles, by the endpoints that they need. */
const CAPABILITIES = {
  conversations: [conversations.updateConversation, messages.createMessage, conversations.createConversation],
  customers: [customers.listCustomers, search.search, users.updateUser],
  ownProfile: [agents.updateAgent, agents.updateAgentStatus],
  templates: [replyTemplates.createReplyTemplate],
  reports: REPORT_TABLES.flatMap((rows) => Object.values(rows)),
  outbound: Object.values(outbound),
  agents: [
    ...[agents.createAgent, agents.deleteAgent, ...Object.values(agentSettings)],
    ...[inviteAgent, resetAgentPassword, listAgentSessions, endAgentSessions, removeAgentSecondFactor],
  ],
  settings: [admin.getAccount, admin.applyAccount, admin.getAllowance],
  webhooks: [...Object.values(webhooks), ...Object.values(deliveries)],
  apps: Object.values(platform),
  records: [
    ...[admin.listTokens, admin.listIdentityProviders, admin.listSigningKeys, admin.getSignedIdentityRules],
    ...Object.values(auditLog),
  ],
  customerData: [users.deleteUser, customers.exportCustomer],
  tokens: [admin.createToken, admin.revokeToken],
  identityProviders: [admin.putIdentityProvider, admin.deleteIdentityProvider],
  signedIdentities: [admin.createSigningKey, admin.deleteSigningKey, admin.putSignedIdentityRules],
  closing: [admin.closeAccount],
} as const satisfies Readonly<Record<string, readonly Endpoint[]>>;

/** Something that agents do, of which the pages have a text. */
export type Capability = keyof typeof CAPABILITIES;

const sessionRoles = (rows: readonly Endpoint[]) =>
  rows.flatMap(({ route, access: { session } }) => (session ? [{ route, role: session.role }] : []));

/** The least powerful role that may use all endpoints. */
const roleOf = (rows: readonly Endpoint[]): AgentRole => {
  const ranks = sessionRoles(rows).map(({ role }) => AGENT_ROLES.indexOf(role));
  return AGENT_ROLES[Math.max(0, ...ranks)] ?? "ACCOUNT_ADMIN";
};

/** Evaluated like `../../contract-values.ts`. */
export const ROLE_VALUES = {
  /** Abilities of roles, each with the least powerful role that has it, and its endpoints. */
  capabilities: Object.entries(CAPABILITIES).map(([id, rows]) => ({
    id: id as Capability,
    role: roleOf(rows),
    endpoints: sessionRoles(rows),
  })),
};

const { roles, statuses } = AccountDocument.properties;
export const ROLE_SCHEMA = formSchema(roles.items, ["name", "description"]);
export const STATUS_SCHEMA = formSchema(statuses.items, ["name", "availability_status"]);
