/**
 * Permissions of a token, as `<resource>:<verb>`.
 * @spec Authentication
 * @assumed The names of the permissions, one per resource and verb.
 */
export const PERMISSIONS = [
  "account:read",
  "user:read",
  "user:create",
  "user:update",
  "user:delete",
  "conversation:read",
  "conversation:create",
  "conversation:update",
  "message:read",
  "message:create",
  "agent:read",
  "agent:create",
  "agent:update",
  "agent:delete",
  "group:read",
  "channel:read",
  "role:read",
  "csat:create",
  "image:create",
  "file:create",
  "outbound:create",
  "outbound:read",
  "report:create",
  "report:read",
  "metric:read",
  "business-hours:read",
] as const;

export type Permission = (typeof PERMISSIONS)[number];
