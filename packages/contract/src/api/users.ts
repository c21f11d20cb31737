import { sessionsOf } from "../kernel/access.ts";
import Type, { type Static } from "typebox";
import { endpoint } from "../kernel/endpoint.ts";
import { problem } from "../kernel/problem.ts";
import { KEPT_ANSWER_REMOVED } from "./idempotency.ts";
import { LIMITS } from "./limits.ts";
import { listQuery, pageOf } from "./pagination.ts";
import { MISSING_PARAMETER } from "./problems.ts";
import { Avatar, Link, NoContent, ShortText, SocialProfile, Time } from "./values.ts";

const writableFields = {
  avatar: Type.Optional(Avatar),
  email: Type.Optional(ShortText),
  first_name: Type.Optional(ShortText),
  last_name: Type.Optional(ShortText),
  phone: Type.Optional(ShortText),
  properties: Type.Optional(
    Type.Array(Type.Object({ name: ShortText, value: Type.String({ maxLength: LIMITS.text_characters }) }), {
      maxItems: LIMITS.properties,
    }),
  ),
  reference_id: Type.Optional(ShortText),
  social_profiles: Type.Optional(Type.Array(SocialProfile, { maxItems: 20 })),
};

/** A customer of the business. @spec Resources and their fields > User object */
export const User = Type.Object(
  {
    id: Type.String(),
    created_time: Time,
    updated_time: Time,
    login_status: Type.Boolean(),
    org_contact_id: Type.Optional(Type.String()),
    restore_id: Type.Optional(Type.String()),
    ...writableFields,
  },
  { title: "User" },
);
export type User = Static<typeof User>;

/** The fields of a user that a client can set: all except those that the service assigns. */
export const NewUser = Type.Object(writableFields, { title: "NewUser" });
export type NewUser = Static<typeof NewUser>;

export const USER_NOT_FOUND = problem({ code: 404, status: "USER_NOT_FOUND", message: "user not found" });

/** At least one of these filters is required. @spec Endpoints > Users */
export const USER_FILTERS = [
  "first_name",
  "last_name",
  "email",
  "reference_id",
  "phone_no",
  "created_from",
  "created_to",
  "updated_from",
  "updated_to",
] as const;

/**
 * Values of sort_by.
 * @assumed Those that the specification's object has one value of, without those that are the same for nearly all users.
 */
export const USER_SORT_FIELDS = [
  "created_time",
  "updated_time",
  "first_name",
  "last_name",
  "email",
  "phone",
  "reference_id",
  "id",
] as const;
export type UserSortField = (typeof USER_SORT_FIELDS)[number];

const filter = (description: string) =>
  Type.Optional(Type.String({ maxLength: LIMITS.short_text_characters, description }));
const UserFilter = Type.Object({
  first_name: filter("The whole name, in any case; accents count."),
  last_name: filter("The whole name, in any case; accents count."),
  email: filter("The whole address, in any case."),
  reference_id: filter("The whole id, exactly."),
  phone_no: filter("The whole number, however its digits are grouped; write its plus sign as %2B."),
  created_from: Type.Optional(Type.String({ format: "date-time", description: "Inclusive." })),
  created_to: Type.Optional(Type.String({ format: "date-time", description: "Exclusive." })),
  updated_from: Type.Optional(Type.String({ format: "date-time", description: "After this time." })),
  updated_to: Type.Optional(Type.String({ format: "date-time", description: "Before this time." })),
  ...listQuery(...USER_SORT_FIELDS),
});

export const users = {
  createUser: endpoint({
    route: "POST /users",
    summary: "Create a user",
    spec: "Endpoints > Users",
    access: { token: "user:create", session: sessionsOf("AGENT", "some") },
    acceptsIdempotencyKey: true,
    body: NewUser,
    reply: { code: 201, body: User },
    problems: [KEPT_ANSWER_REMOVED],
  }),
  listUsers: endpoint({
    route: "GET /users",
    summary: "List users that match all the given filters",
    spec: "Endpoints > Users",
    access: { token: "user:read", session: sessionsOf("AGENT", "all") },
    query: UserFilter,
    reply: { code: 200, body: pageOf("users", User) },
    problems: [MISSING_PARAMETER],
  }),
  fetchUsers: endpoint({
    route: "POST /users/fetch",
    summary: "Get up to 100 users by their ids; unknown ids are left out",
    spec: "Endpoints > Users",
    access: { token: "user:read", session: sessionsOf("AGENT", "some") },
    body: Type.Object({ ids: Type.Array(Type.String(), { maxItems: LIMITS.ids_per_fetch }) }),
    reply: { code: 200, body: Type.Object({ users: Type.Array(User) }) },
  }),
  getUser: endpoint({
    route: "GET /users/{user_id}",
    summary: "Get one user",
    spec: "Endpoints > Users",
    access: { token: "user:read", session: sessionsOf("AGENT", "user") },
    reply: { code: 200, body: User },
    problems: [USER_NOT_FOUND],
  }),
  updateUser: endpoint({
    route: "PUT /users/{user_id}",
    summary: "Change a user's email, first_name, last_name or phone; null and omitted keep their value",
    spec: "Endpoints > Users",
    access: { token: "user:update", session: sessionsOf("AGENT", "user") },
    body: NewUser,
    reply: { code: 202, body: NoContent },
    problems: [USER_NOT_FOUND],
  }),
  listUserConversations: endpoint({
    route: "GET /users/{user_id}/conversations",
    summary: "List the ids of a user's conversations, the newest first",
    spec: "Endpoints > Users",
    access: { token: "conversation:read", session: sessionsOf("AGENT", "user") },
    reply: {
      code: 200,
      body: Type.Object({ conversations: Type.Array(Type.Object({ id: Type.String() })) }),
    },
    problems: [USER_NOT_FOUND],
  }),
  deleteUser: endpoint({
    route: "DELETE /users/{user_id}",
    summary: "Delete a user for good",
    spec: "Endpoints > Users",
    access: { token: "user:delete", session: sessionsOf("ADMIN", "all") },
    reply: { code: 202, body: Type.Object({ id: Type.String(), link: Link }) },
    problems: [USER_NOT_FOUND],
  }),
};
