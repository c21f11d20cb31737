import type { AgentRole, Role, RoleSetting, StatusSetting } from "@parley/contract";
import { VALUES } from "../../contract-values.ts";
import { ADMIN_VALUES } from "../contract-values.ts";
import { ROLE_VALUES, type Capability } from "./contract-values.ts";
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

/** Values of the form of a role. */
export interface RoleValues {
  readonly name: string;
  readonly description: string;
}

export const roleValuesOf = (role: Pick<RoleSetting, "name" | "description"> | undefined): RoleValues => ({
  name: role?.name ?? "",
  description: role?.description ?? "",
});

const { name_characters: nameMax } = ADMIN_VALUES.accountLimits;

/** Names of roles and statuses are given in requests: two that differ in case only would be mistaken. */
const isTaken = (name: string, others: readonly string[]): boolean =>
  others.some((other) => other.toLowerCase() === name.toLowerCase());

const nameProblem = (
  typed: string,
  others: readonly string[],
  { missing, taken }: { readonly missing: string; readonly taken: string },
): string | undefined => {
  const name = typed.trim();
  if (name === "") return missing;
  if (name.length > nameMax) return texts.nameTooLong(nameMax);
  return isTaken(name, others) ? taken : undefined;
};

/** @shape others: names of the other roles, including built-in roles */
export const roleProblemsOf = (
  { name, description }: RoleValues,
  others: readonly string[],
): Partial<Record<keyof RoleValues, string>> => {
  const problem = nameProblem(name, others, { missing: texts.roleMissing, taken: texts.roleTaken });
  return {
    ...(problem !== undefined && { name: problem }),
    ...(description.length > VALUES.limits.text_characters && { description: texts.descriptionTooLong }),
  };
};

/** @shape id: undefined for a new role */
export const roleSettingOf = (id: string | undefined, { name, description }: RoleValues): RoleSetting => ({
  ...(id !== undefined && { id }),
  name: name.trim(),
  description: description.trim(),
});

export const AVAILABILITIES = ["AVAILABLE", "UNAVAILABLE"] as const;

/** Values of the form of a status. */
export interface StatusValues {
  readonly name: string;
  readonly availability: (typeof AVAILABILITIES)[number];
}

export const statusValuesOf = (status: StatusSetting | undefined): StatusValues => ({
  name: status?.name ?? "",
  availability: status?.availability_status ?? "AVAILABLE",
});

/** Whether an account needs one of its other statuses to be available before this one is changed or removed. */
export const isLastAvailable = ({ id }: StatusSetting, statuses: readonly StatusSetting[]): boolean =>
  !statuses.some((other) => other.id !== id && other.availability_status !== "UNAVAILABLE");

/** @shape status: undefined for a new status; statuses: all of the account */
export const statusProblemsOf = (
  { name, availability }: StatusValues,
  status: StatusSetting | undefined,
  statuses: readonly StatusSetting[],
): Partial<Record<keyof StatusValues, string>> => {
  const others = statuses.filter(({ id }) => id !== status?.id).map((other) => other.name);
  const problem = nameProblem(name, others, { missing: texts.statusMissing, taken: texts.statusTaken });
  const isLast = availability === "UNAVAILABLE" && status !== undefined && isLastAvailable(status, statuses);
  return {
    ...(problem !== undefined && { name: problem }),
    ...(isLast && { availability: texts.lastAvailable }),
  };
};

/** @shape id: undefined for a new status */
export const statusSettingOf = (id: string | undefined, { name, availability }: StatusValues): StatusSetting => ({
  ...(id !== undefined && { id }),
  name: name.trim(),
  availability_status: availability,
});
