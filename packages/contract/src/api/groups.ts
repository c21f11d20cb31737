import { sessionsOf } from "../kernel/access.ts";
import Type, { type Static } from "typebox";
import { endpoint } from "../kernel/endpoint.ts";
import { problem } from "../kernel/problem.ts";
import { scalarFieldsOf } from "../kernel/shape.ts";
import { listQuery, pageOf } from "./pagination.ts";

/** @spec Resources and their fields > Group object */
export const Group = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    description: Type.Optional(Type.String()),
    /** @assumed LOAD is the name of load-based routing. */
    routing_type: Type.Enum(["OCR", "INTELLIASSIGN", "DISABLED"]),
    routing_logic: Type.Enum(["OCR", "ROUND_ROBIN", "LOAD", "DISABLED"]),
  },
  { title: "Group" },
);
export type Group = Static<typeof Group>;

/** Values of sort_by. */
export const GROUP_SORT_FIELDS = scalarFieldsOf(Group);
export type GroupSortField = (typeof GROUP_SORT_FIELDS)[number];

export const GROUP_NOT_FOUND = problem({ code: 404, status: "GROUP_NOT_FOUND", message: "group not found" });

export const groups = {
  listGroups: endpoint({
    route: "GET /groups",
    summary: "List the groups of the account",
    spec: "Endpoints > Groups, channels, roles",
    access: { token: "group:read", session: sessionsOf("AGENT", "account") },
    query: Type.Object(listQuery(...GROUP_SORT_FIELDS)),
    reply: { code: 200, body: pageOf("groups", Group) },
  }),
};
