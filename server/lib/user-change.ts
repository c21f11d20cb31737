import type { User } from "@parley/contract";
import { shortName } from "./short-name.ts";

/** Fields of a user that the account can change. @spec Endpoints > Users */
export const CHANGEABLE = ["email", "first_name", "last_name", "phone"] as const;
export type Changeable = (typeof CHANGEABLE)[number];
export type UserValues = { readonly [Field in Changeable]?: string };

/** The latest values that other systems have reported for a user, by field. */
export type ReportedUser = { readonly [Field in Changeable]?: HeardValue };
/** @shape at: ISO 8601; mark: a hash of the value, which is not stored twice */
interface HeardValue {
  readonly at: string;
  readonly mark: string;
}

const markOf = (value: string): string => shortName("v", value);
const isLater = (one: string, other: string): boolean => Date.parse(one) > Date.parse(other);

/**
 * Returns the changes to a user that follow from another system's report. The later report takes precedence, regardless of the order of
 * arrival, and values that somebody else has changed since then are kept.
 * @shape at: time of the reported state, ISO 8601
 */
export function changeOf(
  user: Pick<User, Changeable | "updated_time">,
  given: UserValues,
  heard: ReportedUser,
  at: string,
): { readonly change: UserValues; readonly heard: ReportedUser } {
  const change: Partial<Record<Changeable, string>> = {};
  const next: Partial<Record<Changeable, HeardValue>> = {};
  for (const field of CHANGEABLE) {
    const value = given[field];
    if (!value) continue;
    const [stands, before] = [user[field], heard[field]];
    if (before && isLater(before.at, at)) continue;
    const isOurs = before !== undefined && stands !== undefined && before.mark === markOf(stands);
    if (stands && stands !== value && !isOurs && isLater(user.updated_time, at)) continue;
    next[field] = { at, mark: markOf(value) };
    if (stands !== value) change[field] = value;
  }
  return { change, heard: next };
}
