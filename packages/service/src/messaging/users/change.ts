import { INVALID_VALUE, LIMITS, refuse, type Changes, type NewUser, type User } from "@parley/contract";
import type { Db } from "@parley/database";
import { partitionOf } from "../../base/log/store.ts";
import type { Ports } from "../../base/environment/ports.ts";
import { checkProfileFields } from "../accounts/profile-fields.ts";
import type { UserStore } from "./store.ts";
import { userJson } from "./user.ts";

type ChangedFields = NewUser & Partial<Pick<User, "login_status" | "restore_id">>;
type ChangeableField =
  | "email"
  | "first_name"
  | "last_name"
  | "phone"
  | "reference_id"
  | "properties"
  | "login_status"
  | "restore_id";

interface UserChange {
  readonly input: ChangedFields;
  /** The fields that are changed to the values of the input, or which they are for a user. Others keep their value. */
  readonly fields: readonly ChangeableField[] | ((user: User) => readonly ChangeableField[]);
  /** Checks the user while it is locked. */
  readonly check?: (user: User) => void;
}

/**
 * Changes fields of a user and appends the event. Properties that the input does not name keep their value.
 * @shape undefined: unknown user; db: a transaction of the caller
 * @errors INVALID_VALUE
 */
export type ChangeUser = (accountId: number, id: string, change: UserChange, db?: Db) => Promise<User | undefined>;

const mergedProperties = (present: User["properties"] = [], given: NonNullable<User["properties"]>) => {
  const merged = new Map([...present, ...given].map((property) => [property.name, property]));
  if (merged.size > LIMITS.properties) refuse(INVALID_VALUE, `a user has at most ${LIMITS.properties} properties`);
  return [...merged.values()];
};

/** -> the next revision and `[old, new]` by field; undefined: no field differs */
const nextRevision = (
  user: User,
  { input, fields }: UserChange,
  now: Date,
): { readonly user: User; readonly changes: Changes } | undefined => {
  const { properties } = input;
  const given: ChangedFields = {
    ...input,
    ...(properties && { properties: mergedProperties(user.properties, properties) }),
  };
  const isChanged = (field: ChangeableField) =>
    given[field] !== undefined && JSON.stringify(given[field]) !== JSON.stringify(user[field]);
  const changed = (typeof fields === "function" ? fields(user) : fields).filter(isChanged);
  if (changed.length === 0) return undefined;
  const values = Object.fromEntries(changed.map((field) => [field, given[field]]));
  return {
    user: { ...user, ...values, updated_time: now.toISOString() },
    changes: {
      model_changes: Object.fromEntries(
        // No event contains the secret.
        changed.flatMap((field) =>
          field === "restore_id" ? [] : [[field, [user[field] ?? null, given[field] ?? null]] as const],
        ),
      ),
    },
  };
};

interface ChangeUserDeps {
  readonly users: Pick<UserStore, "change">;
  readonly ports: Ports;
  /** Notifies the event dispatcher of a commit. */
  readonly wake: () => void;
}

export const createChangeUser =
  ({ users, ports, wake }: ChangeUserDeps): ChangeUser =>
  async (accountId, id, change, db) => {
    let result: User | undefined;
    const changed = await users.change(
      accountId,
      id,
      (found) => {
        const user = JSON.parse(found.body) as User;
        result = user;
        change.check?.(user);
        checkProfileFields(change.input, user);
        const next = nextRevision(user, change, ports.now());
        if (!next) return undefined;
        result = next.user;
        return {
          ...next.user,
          body: userJson(next.user),
          event_id: ports.newId(),
          partition: partitionOf(id),
          changes: JSON.stringify(next.changes),
        };
      },
      db,
    );
    if (changed) wake();
    return result;
  };
