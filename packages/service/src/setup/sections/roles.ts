import type { Role, RoleSetting } from "@parley/contract";
import { deny, type SectionRules } from "../section.ts";

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
  means: (item, { name }) => item.name === name,
  merge: (present, item, { place, newId }) => {
    if (present?.is_custom_role === false) deny(`${place}.name`, `is the built-in role ${present.name}: leave it out`);
    return {
      id: present?.id ?? item.id?.toLowerCase() ?? newId(),
      name: item.name,
      is_custom_role: true,
      description: item.description ?? present?.description ?? "",
    };
  },
  isFixed: ({ is_custom_role }) => !is_custom_role,
};
