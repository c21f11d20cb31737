import type { Agent, Role } from "@parley/contract";

const SCOPES: Readonly<Record<string, NonNullable<Agent["scope"]>>> = {
  ACCOUNT_ADMIN: "Global",
  ADMIN: "Global",
  SUPER_USER: "Global",
  AGENT: "Group",
};

/**
 * What an agent of this role reaches.
 * @spec Resources and their fields > Agent object
 * @assumed Account admin, Admin and Super user reach everything; Agent and custom roles reach their groups.
 */
export const scopeOf = ({ id }: Pick<Role, "id">): NonNullable<Agent["scope"]> => SCOPES[id] ?? "Group";
