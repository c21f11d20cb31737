import type { Changes, NewUser, User } from "@parley/contract";

/** @spec Endpoints > Users */
const CHANGEABLE = ["email", "first_name", "last_name", "phone"] as const;

/**
 * What a PUT makes of a user: its next revision and `[old, new]` by field.
 * @shape undefined: nothing is different, so nothing happened
 */
export const changeUser = (
  user: User,
  given: NewUser,
  now: Date,
): { readonly user: User; readonly changes: Changes } | undefined => {
  const changed = CHANGEABLE.filter((field) => given[field] !== undefined && given[field] !== user[field]);
  if (changed.length === 0) return undefined;
  const values = Object.fromEntries(changed.map((field) => [field, given[field]]));
  return {
    user: { ...user, ...values, updated_time: now.toISOString() },
    changes: {
      model_changes: Object.fromEntries(changed.map((field) => [field, [user[field] ?? null, given[field] ?? null]])),
    },
  };
};
