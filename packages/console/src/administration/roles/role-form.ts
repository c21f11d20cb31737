import type { AgentRole, Role, RoleSetting, StatusSetting } from "@parley/contract";
import { VALUES } from "../../contract-values.ts";
import type { SchemaForm } from "../../forms/schema-form.ts";
import { ROLE_SCHEMA, ROLE_VALUES, STATUS_SCHEMA, type Capability } from "./contract-values.ts";
import { roleMessages as texts } from "./messages.ts";

const CAPABILITY_TEXTS: Readonly<Record<Capability, string>> = {
  conversations: texts.mayConversations,
  customers: texts.mayCustomers,
  ownProfile: texts.mayOwnProfile,
  templates: texts.mayTemplates,
  reports: texts.mayReports,
  outbound: texts.mayOutbound,
  agents: texts.mayAgents,
  settings: texts.maySettings,
  webhooks: texts.mayWebhooks,
  apps: texts.mayApps,
  records: texts.mayRecords,
  customerData: texts.mayCustomerData,
  tokens: texts.mayTokens,
  identityProviders: texts.mayIdentityProviders,
  signedIdentities: texts.maySignedIdentities,
  closing: texts.mayClosing,
};

/** -> the abilities of a built-in role that the role before it lacks */
export const capabilityTexts = (role: AgentRole): readonly string[] =>
  ROLE_VALUES.capabilities.filter((each) => each.role === role).map(({ id }) => CAPABILITY_TEXTS[id]);

/** The built-in roles, the least powerful first. */
export const builtInRoles = (roles: readonly Role[]): readonly { readonly id: AgentRole; readonly name: string }[] =>
  VALUES.agentRoles.flatMap((id) => roles.filter((role) => role.id === id).map(({ name }) => ({ id, name })));

/** Names of roles and statuses are given in requests: two that differ in case only would be mistaken. */
const takenCheck =
  (others: readonly { readonly id?: string; readonly name: string }[], id: string | undefined, taken: string) =>
  (name: string): string | undefined =>
    others.some((other) => other.id !== id && other.name.toLowerCase() === name.toLowerCase()) ? taken : undefined;

interface RoleValues {
  readonly name: string;
  readonly description: string;
}

/** The form of a role; undefined for a new role. @shape roles: all roles, including built-in roles */
export const roleForm = (
  role: RoleSetting | undefined,
  roles: readonly RoleSetting[],
): SchemaForm<RoleSetting, RoleValues> => ({
  schema: ROLE_SCHEMA,
  members: {
    name: { label: texts.name, missing: texts.roleMissing, check: takenCheck(roles, role?.id, texts.roleTaken) },
    description: { label: texts.description, help: texts.descriptionHelp, lines: 3 },
  },
});

/** Whether an account needs one of its other statuses to be available before this one is changed or removed. */
export const isLastAvailable = (id: string | undefined, statuses: readonly StatusSetting[]): boolean =>
  !statuses.some((other) => other.id !== id && other.availability_status !== "UNAVAILABLE");

interface StatusValues {
  readonly name: string;
  readonly availability_status: NonNullable<StatusSetting["availability_status"]>;
}

/** The form of a status; undefined for a new status. @shape statuses: all of the account */
export const statusForm = (
  status: StatusSetting | undefined,
  statuses: readonly StatusSetting[],
): SchemaForm<StatusSetting, StatusValues> => ({
  schema: STATUS_SCHEMA,
  members: {
    name: {
      label: texts.name,
      missing: texts.statusMissing,
      check: takenCheck(statuses, status?.id, texts.statusTaken),
    },
    availability_status: {
      label: texts.availability,
      initial: "AVAILABLE",
      choices: { AVAILABLE: texts.AVAILABLE, UNAVAILABLE: texts.UNAVAILABLE },
      help: ({ availability_status: chosen }) => (chosen === "AVAILABLE" ? texts.availableHelp : texts.unavailableHelp),
      check: (chosen) =>
        chosen === "UNAVAILABLE" && status !== undefined && isLastAvailable(status.id, statuses)
          ? texts.lastAvailable
          : undefined,
    },
  },
});
