import type { Group, GroupSetting, StatusSetting, Role, RoleSetting } from "@parley/contract";
import { refuseChange, type SectionRules } from "./section.ts";
import type { OrgGroup, AgentStatusSetting } from "./state.ts";

/**
 * The default logic of each routing type.
 * @assumed The account-level logic, which a group shows whose routing is off, is ROUND_ROBIN.
 */
const DEFAULT_ROUTING_LOGIC: Readonly<Record<Group["routing_type"], Group["routing_logic"]>> = {
  OCR: "OCR",
  INTELLIASSIGN: "ROUND_ROBIN",
  DISABLED: "ROUND_ROBIN",
};

/** @spec Resources and their fields > Group object */
const routingOf = (present: OrgGroup | undefined, item: GroupSetting, place: string) => {
  const routing_type = item.routing_type ?? present?.routing_type ?? "INTELLIASSIGN";
  const unchangedLogic =
    routing_type === present?.routing_type ? present.routing_logic : DEFAULT_ROUTING_LOGIC[routing_type];
  const routing_logic = item.routing_logic ?? unchangedLogic;
  if (routing_type === "OCR" && routing_logic !== "OCR")
    refuseChange(`${place}.routing_logic`, "must be OCR where routing_type is OCR");
  return { routing_type, routing_logic };
};

export const groupRules: SectionRules<GroupSetting, OrgGroup> = {
  section: "groups",
  nameOf: ({ name }) => name,
  matches: (item, { name }) => item.name === name,
  merge: (present, item, { place, newId }) => {
    const description = item.description ?? present?.description;
    return {
      id: present?.id ?? item.id?.toLowerCase() ?? newId(),
      name: item.name,
      ...(description !== undefined && { description }),
      ...routingOf(present, item, place),
      // A new group has the setting unless its document says otherwise.
      signed_in_agents_only: item.signed_in_agents_only ?? present?.signed_in_agents_only ?? true,
      org_id: item.org_id ?? present?.org_id ?? newId(),
    };
  },
};

/** @errors INVALID_VALUE if two groups have the same org_id */
export const checkOrgIds = (groups: readonly OrgGroup[], items: readonly GroupSetting[] = []): void => {
  for (const [index, { org_id, name }] of items.entries()) {
    const other = groups.find((group) => group.org_id === org_id && group.name !== name);
    if (org_id !== undefined && other)
      refuseChange(`groups[${index}].org_id`, `is that of the group ${other.name} already`);
  }
};

/** @assumed The statuses of a new account whose document contains no statuses. */
export const DEFAULT_STATUSES: readonly StatusSetting[] = [
  { name: "Available", availability_status: "AVAILABLE" },
  { name: "Away", availability_status: "UNAVAILABLE" },
];

export const statusRules: SectionRules<StatusSetting, AgentStatusSetting> = {
  section: "statuses",
  nameOf: ({ name }) => name,
  matches: (item, { name }) => item.name === name,
  merge: (present, item, { newId }) => ({
    id: present?.id ?? item.id?.toLowerCase() ?? newId(),
    name: item.name,
    availability_status: item.availability_status ?? present?.availability_status ?? "AVAILABLE",
  }),
};

/** @errors INVALID_VALUE if no status makes an agent available */
export const checkAvailable = (statuses: readonly AgentStatusSetting[]): void => {
  if (!statuses.some(({ availability_status }) => availability_status === "AVAILABLE"))
    refuseChange("statuses", "must hold at least one status whose availability_status is AVAILABLE");
};

/** The roles that every account has. @spec Resources and their fields > Role object */
export const BUILT_IN_ROLES: readonly Role[] = [
  {
    id: "ACCOUNT_ADMIN",
    name: "Account admin",
    is_custom_role: false,
    description: "Owns the account: everything, billing included.",
  },
  { id: "ADMIN", name: "Admin", is_custom_role: false, description: "Sets the account up: everything but billing." },
  {
    id: "SUPER_USER",
    name: "Super user",
    is_custom_role: false,
    description: "Works on all conversations and reads the reports.",
  },
  { id: "AGENT", name: "Agent", is_custom_role: false, description: "Works on conversations." },
];

export const roleRules: SectionRules<RoleSetting, Role> = {
  section: "roles",
  nameOf: ({ name }) => name,
  matches: (item, { name }) => item.name === name,
  merge: (present, item, { place, newId }) => {
    if (present?.is_custom_role === false)
      refuseChange(`${place}.name`, `is the built-in role ${present.name}: leave it out`);
    return {
      id: present?.id ?? item.id?.toLowerCase() ?? newId(),
      name: item.name,
      is_custom_role: true,
      description: item.description ?? present?.description ?? "",
    };
  },
  isFixed: ({ is_custom_role }) => !is_custom_role,
};
