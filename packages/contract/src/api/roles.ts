import { sessionsOf } from "../kernel/access.ts";
import Type, { type Static } from "typebox";
import { endpoint } from "../kernel/endpoint.ts";
import { scalarFieldsOf } from "../kernel/shape.ts";
import { listQuery, pageOf } from "./pagination.ts";

/** @spec Resources and their fields > Role object */
export const Role = Type.Object(
  { id: Type.String(), name: Type.String(), is_custom_role: Type.Boolean(), description: Type.String() },
  { title: "Role" },
);
export type Role = Static<typeof Role>;

/** Values of sort_by. */
export const ROLE_SORT_FIELDS = scalarFieldsOf(Role);
export type RoleSortField = (typeof ROLE_SORT_FIELDS)[number];

export const roles = {
  listRoles: endpoint({
    route: "GET /roles",
    summary: "List the roles of the account",
    spec: "Endpoints > Groups, channels, roles",
    access: { token: "role:read", session: sessionsOf("AGENT", "account") },
    query: Type.Object(listQuery(...ROLE_SORT_FIELDS)),
    reply: { code: 200, body: pageOf("roles", Role) },
  }),
};
