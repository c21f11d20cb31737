import type { AccessToken, NewAccessToken, Permission } from "@parley/contract";
import { tokenMessages as texts } from "./messages.ts";

/** Permissions of one resource. */
interface PermissionGroup {
  readonly resource: string;
  readonly permissions: readonly Permission[];
}

/** Permissions by the resource that they concern, in the order of the contract. */
export const permissionGroups = (permissions: readonly Permission[]): readonly PermissionGroup[] => {
  const resourceOf = (permission: Permission): string => permission.slice(0, permission.indexOf(":"));
  return [...new Set(permissions.map(resourceOf))].map((resource) => ({
    resource,
    permissions: permissions.filter((permission) => resourceOf(permission) === resource),
  }));
};

/** -> those that change nothing */
export const readingPermissions = (permissions: readonly Permission[]): readonly Permission[] =>
  permissions.filter((permission) => permission.endsWith(":read"));

const DAY_SECONDS = 86_400;
/** Lifetimes to choose from. The longest one is the longest that a token can have. @units days */
export const LIFETIMES = [30, 90, 365, 3_650] as const;
export type Lifetime = (typeof LIFETIMES)[number];

/** Values of the form of a new token. */
interface TokenValues {
  readonly name: string;
  readonly permissions: readonly Permission[];
  readonly days: Lifetime;
}

export const newTokenValues = (permissions: readonly Permission[]): TokenValues => ({
  name: "",
  permissions,
  days: 365,
});

/** The contract's limit. @units characters */
const NAME_MAX = 255;

export const tokenProblemsOf = ({ name, permissions }: TokenValues): Partial<Record<keyof TokenValues, string>> => ({
  ...(name.trim() === "" && { name: texts.nameMissing }),
  ...(name.trim().length > NAME_MAX && { name: texts.nameTooLong }),
  ...(permissions.length === 0 && { permissions: texts.permissionsMissing }),
});

export const tokenBodyOf = ({ name, permissions, days }: TokenValues): NewAccessToken => ({
  name: name.trim(),
  permissions: [...permissions],
  expires_in_seconds: days * DAY_SECONDS,
});

/** Whether a token can be used. @shape now: milliseconds of the epoch */
export const tokenState = (
  { revoked_time, expires_time }: Pick<AccessToken, "revoked_time" | "expires_time">,
  now: number,
): "valid" | "expired" | "revoked" => {
  if (revoked_time !== undefined) return "revoked";
  return Date.parse(expires_time) <= now ? "expired" : "valid";
};
