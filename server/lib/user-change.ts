import type { User } from "@parley/contract";
import { shortName } from "./short-name.ts";

/** What the account can change of a user. @spec Endpoints > Users */
export const CHANGEABLE = ["email", "first_name", "last_name", "phone"] as const;
export type Changeable = (typeof CHANGEABLE)[number];
export type UserValues = { readonly [Field in Changeable]?: string };

/** What other systems have told of a user last, by field. */
export type ReportedUser = { readonly [Field in Changeable]?: HeardValue };
/** @shape at: ISO 8601; mark: stands for the value, which is not kept twice */
interface HeardValue {
  readonly at: string;
  readonly mark: string;
}

const markOf = (value: string): string => shortName("v", value);
const isLater = (one: string, other: string): boolean => Date.parse(one) > Date.parse(other);

/**
 * What becomes of a user by what another system tells. Of two tellings the later one counts, in whatever order they come; and what
 * somebody else has changed since then stands.
 * @shape at: when it was so, ISO 8601
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
