import { type NewAgent, refuse, type Role, ROLE_NOT_FOUND } from "@parley/contract";

export type RoleName = Pick<Role, "id" | "name">;

/** What a new agent is when nothing is said. @assumed */
export const USUAL_ROLE = "AGENT";

/**
 * Finds the role that a request names by its id, its name or both.
 * @shape undefined: it names none
 * @errors ROLE_NOT_FOUND, also where id and name are those of two roles
 * @assumed Names of roles are compared without case; of several roles of one name the first by id counts.
 */
export const roleOf = (
  roles: readonly RoleName[],
  { role_id, role_name }: Pick<NewAgent, "role_id" | "role_name">,
): RoleName | undefined => {
  if (role_id === undefined && role_name === undefined) return undefined;
  const name = role_name?.toLowerCase();
  const role = roles.find(
    (each) =>
      (role_id === undefined || each.id === role_id) && (name === undefined || each.name.toLowerCase() === name),
  );
  return role ?? refuse(ROLE_NOT_FOUND, "role_id and role_name must name one role of GET /roles.");
};
